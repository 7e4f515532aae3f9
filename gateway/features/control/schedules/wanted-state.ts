import type { SwitchState } from '#contract/words.ts';
import { clockOf } from '#core/zone-clock.ts';
import { holdingOrder, lastCoverEnd, type ManualOrder, standingOrders } from './manual-orders.ts';
import { endingEvent, nextCountingEvent, type RuleFacts, rulesState } from './rules-state.ts';
import type { ScheduleEvent } from './schedule-events.ts';
import { layOut } from './schedule-windows.ts';

/** What the water asks for, or an alarm of a siren. An emergency and an alarm can only ask for ON. */
export type SafetyDemand = {
  kind: 'EMERGENCY_OXYGEN' | 'SET_POINT' | 'ALARM';
  target: SwitchState;
  since: number;
  reason: string;
  /** More for the audit entry of the order. */
  details?: Record<string, unknown>;
};

export type WantedFacts = RuleFacts & {
  lockedOut: boolean;
  safety: readonly SafetyDemand[];
  orders: readonly ManualOrder[];
};

export type WantedCause =
  | { kind: 'lock_out' }
  | { kind: 'safety'; demand: SafetyDemand }
  | { kind: 'order'; order: ManualOrder }
  /** `event.at` is when it began to decide, which may be before it was entered or changed. */
  | { kind: 'schedule'; event: ScheduleEvent }
  | { kind: 'base' };

export type WantedState = {
  target: SwitchState;
  cause: WantedCause;
  /** Since when this cause decides, as far as the facts tell; for a lock-out simply now. */
  since: number;
  /** When time alone will next change the cause, and perhaps the target; null: only new facts will. */
  next_change_at: number | null;
};

/**
 * What a control point should do now. A level: it follows from the facts alone, never from what was computed before, so
 * that after a stop, a power cut or a clock step one call gives the one state to act on.
 *
 * Lock-out > emergency oxygen > local order > remote order > oxygen set point > schedule > base.
 */
export function wantedState(given: WantedFacts): WantedState {
  const zone = clockOf(given.zone);
  const facts = { ...given, zone, schedules: layOut(given.schedules, zone) };
  // A person may be working on the motor: nothing starts it, whatever the shrimp need.
  if (facts.lockedOut) {
    return { target: 'OFF', cause: { kind: 'lock_out' }, since: facts.now, next_change_at: null };
  }
  const emergency = strongest(facts.safety.filter(asksForEmergencyOxygen));
  if (emergency !== undefined) return asDemanded(emergency);

  const rules = rulesState(facts);
  const standing = standingOrders(facts.orders);
  const order = holdingOrder(standing, facts.now, endingEvent(rules, facts.base));
  if (order !== null) return asOrdered(facts, standing, order);

  const setPoint = strongest(facts.safety.filter((demand) => demand.kind === 'SET_POINT'));
  if (setPoint !== undefined) return asDemanded(setPoint);

  const { target, event } = rules;
  return {
    target,
    cause: event === null ? { kind: 'base' } : { kind: 'schedule', event },
    since: Math.max(rules.since, lastCoverEnd(standing, null, facts.now)),
    next_change_at: nextCountingEvent(facts, facts.now),
  };
}

/** When a temporary order that decides now ends, and what will hold from then on. */
export type OrderEnd = { at: number; then: SwitchState };

/**
 * What time alone will make of a temporary order that decides now, by the same facts: of several on top of each other
 * the end that changes the target. null: no order with an end decides, or the target stays as it is.
 */
export function orderEnd(facts: WantedFacts): OrderEnd | null {
  const { target, cause } = wantedState(facts);
  let at = cause.kind === 'order' ? cause.order.until : null;
  while (at !== null) {
    const after = wantedState({ ...facts, now: at });
    if (after.target !== target) return { at, then: after.target };
    const next = after.cause.kind === 'order' ? after.cause.order.until : null;
    at = next !== null && next > at ? next : null;
  }
  return null;
}

function asOrdered(facts: WantedFacts, standing: readonly ManualOrder[], order: ManualOrder): WantedState {
  // After a clock step an order may lie in the future; only events after it end it.
  const endsAt = order.until ?? nextCountingEvent(facts, Math.max(facts.now, order.at));
  return {
    target: order.target,
    cause: { kind: 'order', order },
    since: Math.max(order.at, lastCoverEnd(standing, order, facts.now)),
    next_change_at: endsAt,
  };
}

function asDemanded(demand: SafetyDemand): WantedState {
  return {
    target: demand.target,
    cause: { kind: 'safety', demand },
    since: demand.since,
    next_change_at: null,
  };
}

function asksForEmergencyOxygen(demand: SafetyDemand): boolean {
  return demand.kind === 'EMERGENCY_OXYGEN' && demand.target === 'ON';
}

/** Of several demands ON wins, as everywhere; then the one that has stood longest is named. */
export function strongest(demands: readonly SafetyDemand[]): SafetyDemand | undefined {
  const isOn = (demand: SafetyDemand) => (demand.target === 'ON' ? 1 : 0);
  return [...demands].sort((a, b) => isOn(b) - isOn(a) || a.since - b.since)[0];
}
