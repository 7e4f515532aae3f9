import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Zone } from '#core/zone-clock.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf, storedManualOrders } from './control-facts.ts';
import { untrustedOrderEnd, untrustedWish } from './follow-clock-step.ts';
import { endedOrders, type ManualOrder } from './manual-orders.ts';
import type { ScheduleRule } from './schedule-events.ts';
import { decisionAt, layOut } from './schedule-windows.ts';
import {
  type Base,
  baseAfterChange,
  latestEvent,
  orderEnd,
  type RulesBefore,
  rulesBefore,
  type SafetyDemand,
  type WantedFacts,
  wantedState,
} from './wanted-state.ts';

/** What the schedules of a control point are after a change. */
export type ChangedRules = {
  schedules: readonly ScheduleRule[];
  zone: Zone;
  /** They act at once in the unsafe direction too (`apply_now`). */
  isApplied: boolean;
};

/** What a change of schedules leaves behind: the base that holds from now on, and the orders that are over. */
export type LeftBehind = { base: Base; over: ReadonlySet<string> };

/**
 * Decides what holds after a change of what schedules say; see the rules in rules-state.ts. Orders that schedules had
 * ended before it stay ended: their events may be gone with the change.
 */
export function leftBehind(view: ControlView, now: number, after: ChangedRules): LeftBehind {
  const facts = ruleFactsOf(view, now);
  const orders = manualOrdersOf(view, now);
  const ended = endedOrders(orders, now, latestEvent(facts));
  return {
    base: baseAfterChange(rulesBeforeChange(view, now), { ...after, now }, after.isApplied),
    over: new Set([...ended, ...endedByChange(orders, now, after)].map(({ id }) => id)),
  };
}

export function rulesBeforeChange(view: ControlView, now: number): RulesBefore {
  const enteredAt = new Map(view.schedules.map(({ id, created_at }) => [id, Date.parse(created_at)]));
  return rulesBefore(ruleFactsOf(view, now), (id) => enteredAt.get(id) ?? Number.POSITIVE_INFINITY);
}

/** Orders without an end that are older than what the schedules now ask for, where that acts at once against them. */
export function endedByChange(
  orders: readonly ManualOrder[],
  now: number,
  { schedules, zone, isApplied }: ChangedRules,
): ManualOrder[] {
  const decision = decisionAt(layOut(schedules, zone), now);
  if (decision === null || !(decision.action === 'ON' || isApplied)) return [];
  return orders.filter(
    ({ at, until, target }) => until === null && at < decision.at && (isApplied || target === 'OFF'),
  );
}

/** The rows beside every change of what schedules say. */
export function keepWhatHolds(deps: { now: () => number }, view: ControlView, after: ChangedRules): Change[] {
  const now = deps.now();
  const { base, over } = leftBehind(view, now, after);
  return [
    update(controlPoint, view.row, {
      base_target: base.target,
      base_at: isoOf(base.at),
      schedule_rev: view.row.schedule_rev + 1,
    }),
    ...endOrders(view, over, now),
  ];
}

/** With its end noted an order replaces no other any more: those it replaced are ended with it. */
export function endOrders(view: ControlView, over: ReadonlySet<string>, now: number): Change[] {
  return view.manualOrders
    .filter(({ id, hold_until }) => over.has(id) && (hold_until === null || Date.parse(hold_until) > now))
    .map(({ id }) => update(order, id, { hold_until: isoOf(now) }));
}

/** The same for every control point of a farm whose clocks are about to be read in another zone. */
export function keepWhatHoldsOnFarm(
  deps: { now: () => number },
  views: readonly ControlView[],
  zone: Zone,
): Change[] {
  return views
    .filter((view) => view.schedules.length > 0)
    .flatMap((view) => {
      const { schedules } = ruleFactsOf(view, deps.now());
      return keepWhatHolds(deps, view, { schedules, zone, isApplied: false });
    });
}

export type LevelEndFacts = {
  now: number;
  /** What the water asks for; asked only where something ends. */
  safety: () => readonly SafetyDemand[];
  /** null: the clock is trusted; else the last instant at which it was, ms since 1970. */
  untrustedSince: number | null;
};

/** The level ends by itself in so many milliseconds, and `then` holds. */
type LevelEnd = { leftMs: number; then: SwitchState };

/**
 * When the level that a controller has ends by itself, and what holds from then on, as far as is known now. null: only
 * new facts or a schedule end it. A level whose order is over, and for which none has taken its place yet, has nothing
 * left: a controller that asks in that moment must not fall back to it.
 */
export function levelEnd(view: ControlView, facts: LevelEndFacts): LevelEnd | null {
  // nearly always: nothing to reckon
  if (view.row.is_siren || !hasTimedOrder(view)) return null;
  const { now, untrustedSince } = facts;
  const safety = facts.safety();
  const level = targetOf(view);
  const untrusted = untrustedSince === null ? null : { now, safety, trustedUntil: untrustedSince };
  const trusted = (): WantedFacts => ({
    ...ruleFactsOf(view, now),
    lockedOut: view.row.locked_out,
    safety,
    orders: manualOrdersOf(view, now),
  });
  const wanted = untrusted === null ? wantedState(trusted()).target : untrustedWish(view, untrusted).target;
  if (wanted !== level.target_status) {
    return isOver(view, level.version, now) ? { leftMs: 0, then: wanted } : null;
  }
  const end = untrusted === null ? orderEnd(trusted()) : untrustedOrderEnd(view, untrusted);
  return end === null ? null : { leftMs: Math.max(0, end.at - now), then: end.then };
}

/** The temporary orders that are over once the level of this version is: it may have been given for an earlier one. */
export function ordersEndedWith(view: ControlView, version: number): string[] {
  const orders = storedManualOrders(view).flatMap((order) => {
    const until = view.endOf?.(order) ?? null;
    return until === null ? [] : [{ ...order, until }];
  });
  const made = orders.find((order) => order.version === version);
  if (made === undefined) return [];
  return orders
    .filter(({ target_status, until }) => target_status === made.target_status && until <= made.until + 1_000)
    .map(({ id }) => id);
}

function hasTimedOrder({ manualOrders, unsaved }: ControlView): boolean {
  return (
    (unsaved?.order.hold_until ?? null) !== null || manualOrders.some((order) => order.hold_until !== null)
  );
}

function isOver(view: ControlView, version: number, now: number): boolean {
  const made = storedManualOrders(view).find((order) => order.version === version);
  if (made === undefined || made.hold_until === null) return false;
  const [order] = manualOrdersOf(view, now).filter(({ id }) => id === made.id);
  return order?.until != null && order.until <= now;
}
