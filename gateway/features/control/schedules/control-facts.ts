import type { ControlView, Order, Schedule } from '../control-view.ts';
import type { ManualOrder } from './manual-orders.ts';
import type { ScheduleRule } from './schedule-events.ts';
import type { RuleFacts } from './wanted-state.ts';

// From the rows of a control point to what the pure schedule rules take.

export function ruleOf(row: Omit<Schedule, 'rev'>): ScheduleRule {
  return {
    id: row.id,
    action: row.action,
    start_time: Date.parse(row.start_time),
    end_time: row.end_time === null ? null : Date.parse(row.end_time),
    repeat_pattern: row.repeat_pattern,
    days_of_week: row.days_of_week,
    is_active: row.is_active,
    effective_from: Date.parse(row.effective_from),
  };
}

export function manualOrderOf(row: Order): ManualOrder {
  return {
    id: row.id,
    at: Date.parse(row.issued_at),
    sequence: row.version,
    target: row.target_status,
    origin: row.origin === 'REMOTE' ? 'REMOTE' : 'LOCAL',
    until: row.hold_until === null ? null : Date.parse(row.hold_until),
  };
}

/**
 * A clock that was years ahead and is right again has left stamps in the future; taken at their word they would keep a
 * schedule silent until then. Within a day a stamp is believed, beyond it it counts as long past.
 */
export const BELIEVED_AHEAD_MS = 24 * 3_600_000;

function notFromTheFuture(stamp: number, now: number): number {
  return stamp > now + BELIEVED_AHEAD_MS ? 0 : stamp;
}

export function ruleFactsOf(
  view: ControlView,
  now: number,
): RuleFacts & { schedules: readonly ScheduleRule[] } {
  return {
    now,
    zone: view.zone,
    schedules: view.schedules.map((row) => {
      const rule = ruleOf(row);
      return { ...rule, effective_from: notFromTheFuture(rule.effective_from, now) };
    }),
    base: { target: view.row.base_target, at: notFromTheFuture(Date.parse(view.row.base_at), now) },
  };
}

/** People's orders as they are stored; those that the disk did not take yet count like any other. */
export function storedManualOrders({ unsaved, manualOrders }: ControlView): Order[] {
  if (unsaved === null) return [...manualOrders];
  const pending = [...unsaved.earlier, unsaved.order].filter(
    ({ origin }) => origin === 'LOCAL' || origin === 'REMOTE',
  );
  return [...pending.map((row) => ({ ...row, rev: 0 })), ...manualOrders];
}

/**
 * People's orders to a control point, for the rules. One that the controller refused holds like any other: what a person
 * wants is not unsaid by the motor, and an alert tells of it.
 */
export function manualOrdersOf(view: ControlView, now: number): ManualOrder[] {
  return storedManualOrders(view)
    .filter((order) => order.state !== 'EXPIRED')
    .map((row) => {
      const given = manualOrderOf(row);
      const at = notFromTheFuture(given.at, now);
      if (given.until !== null && view.endOf !== undefined) return { ...given, at, until: view.endOf(row) };
      // the end of an order of unknown time is unknown too: it is over
      return at === given.at ? given : { ...given, at, until: given.until === null ? null : at };
    });
}
