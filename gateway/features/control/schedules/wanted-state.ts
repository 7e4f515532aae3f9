import type { Origin, SwitchState } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import { clockOf, type Zone } from '#core/zone-clock.ts';
import type { ControlView } from '../control-view.ts';
import {
  type EndingEvent,
  holdingOrder,
  lastCoverEnd,
  type ManualOrder,
  standingOrders,
} from './manual-orders.ts';
import type { ScheduleEvent } from './schedule-events.ts';
import { type Decision, decisionAt, layOut, nextEventAt, type Schedules } from './schedule-windows.ts';

/** The level of the rules at `at`: when the control point was made, or when its schedules were last changed. */
export type Base = { target: SwitchState; at: number };

/** What the schedules alone rest on: one control point's schedules, in its farm's zone. */
export type RuleFacts = { now: number; zone: Zone; schedules: Schedules; base: Base };

type RulesState = {
  target: SwitchState;
  /** The event that decided, as of the schedule that decides since; null when it is the base. */
  event: ScheduleEvent | null;
  since: number;
  /** What the schedules say by themselves, base or not; null: none has begun. */
  decision: Decision | null;
};

// Schedules and the base
// 1. What the schedules say (schedule-windows.ts) follows from how they are now, as if they had always been so: a
//    window that began before it was entered or changed covers the instant like any other.
// 2. It counts from the first event after the last change (`base.at`) on, and at once where it is a window that asks
//    for ON. Until it counts the base holds.
// 3. A change stores as base: ON where the schedules then say ON; else what the rules said before it. So a change acts
//    at once in the safe direction only: what it turns ON goes ON, what it would turn OFF runs until the next event.
//    With `apply_now` the base is what the schedules then say, ON or OFF.
// 4. Where no schedule has begun yet, or none is left, the base holds until one says something. A pause (an OFF window
//    under way) that is taken away then ends as it would have ended: ON.
// 5. An event ends a person's order without an end (manual-orders.ts) only if it counts: a change of schedules does not
//    take back what somebody ordered. It ends orders for OFF that are older than what then asks for ON, and with
//    `apply_now` all that are older than what then holds.

/** What schedules and base ask for, as if nobody had ordered anything. */
export function rulesState(facts: RuleFacts): RulesState {
  const decision = decisionAt(layOut(facts.schedules, facts.zone), facts.now);
  if (decision === null || !doesCount(decision, facts.base)) {
    return { target: facts.base.target, event: null, since: facts.base.at, decision };
  }
  const { action, schedule_id, edge, at } = decision;
  return {
    target: action,
    event: { at, action, schedule_id, edge },
    since: Math.max(at, facts.base.at),
    decision,
  };
}

/** The latest event at or before now that counts, for orders that it ends; null: none. */
export function latestEvent(facts: RuleFacts): EndingEvent | null {
  return endingEvent(rulesState(facts), facts.base);
}

export function endingEvent({ event }: RulesState, base: Base): EndingEvent | null {
  return event === null ? null : { at: event.at, endsOnlyOff: event.at <= base.at };
}

/** The first event after an instant that counts; null: none is to come. */
export function nextCountingEvent(facts: Omit<RuleFacts, 'now'>, after: number): number | null {
  const schedules = layOut(facts.schedules, facts.zone);
  let next = nextEventAt(schedules, after);
  // only after a clock was set back does the base lie ahead, and by a day at most (control-facts.ts)
  while (next !== null && next <= facts.base.at) {
    const decision = decisionAt(schedules, next);
    if (decision !== null && doesCount(decision, facts.base)) break;
    next = nextEventAt(schedules, next);
  }
  return next;
}

function doesCount({ at, isWindow, action }: Decision, base: Base): boolean {
  return at > base.at || (isWindow && action === 'ON');
}

/** What the rules said before a change, as far as the change needs it. */
export type RulesBefore = { target: SwitchState; isPause: boolean };

/** `enteredAt`: when a schedule was first entered. One entered in its own window has paused nothing. */
export function rulesBefore(facts: RuleFacts, enteredAt: (scheduleId: string) => number): RulesBefore {
  const { target, decision } = rulesState(facts);
  const isPause =
    target === 'OFF' && decision?.isWindow === true && decision.at >= enteredAt(decision.schedule_id);
  return { target, isPause };
}

/**
 * The base to store in the commit that adds, changes, pauses or deletes a schedule: from what the rules said before it,
 * and the schedules and zone after it.
 */
export function baseAfterChange(
  before: RulesBefore,
  after: Pick<RuleFacts, 'now' | 'zone' | 'schedules'>,
  isApplied: boolean,
): Base {
  const decision = decisionAt(layOut(after.schedules, after.zone), after.now);
  const says = decision?.action ?? (before.isPause ? 'ON' : null);
  const takesOver = says !== null && (says === 'ON' || isApplied);
  return { target: takesOver ? says : before.target, at: after.now };
}

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

type WantedCause =
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

/** What a control point should do, in the words of an order. */
export type Wish = {
  target: SwitchState;
  origin: Origin;
  reason: string;
  /** End of the order that holds again, ms; null: until something else decides. */
  holdUntil: number | null;
  details: Record<string, unknown>;
};

export function asWish(wanted: WantedState, now: number): Wish {
  const { target, cause } = wanted;
  switch (cause.kind) {
    case 'lock_out':
      return { target, origin: 'SAFETY', reason: 'locked out', holdUntil: null, details: {} };
    case 'safety':
      return {
        target,
        origin: 'SAFETY',
        reason: cause.demand.reason,
        holdUntil: null,
        details: { demand: cause.demand.kind, ...cause.demand.details },
      };
    case 'order':
      return {
        target,
        origin: cause.order.origin,
        reason: 'an order of a person holds again',
        // told anew it must not last longer than it was given for
        holdUntil: cause.order.until,
        details: { order_id: cause.order.id },
      };
    case 'schedule':
      return {
        target,
        origin: 'SCHEDULE',
        reason: 'schedule',
        holdUntil: null,
        details: {
          schedule_id: cause.event.schedule_id,
          // a window may have been entered in its middle, or an order have covered its start
          due_at: isoOf(wanted.since),
          late_s: Math.round((now - wanted.since) / 1000),
        },
      };
    case 'base':
      return {
        target,
        origin: 'SCHEDULE',
        reason: 'no order and no schedule says otherwise',
        holdUntil: null,
        details: {},
      };
  }
}

/**
 * What a siren should do: sound while an alarm asks for it, and nothing else. Schedules, orders and the clock have no say;
 * a lock-out has, because a person may be working on it.
 */
export function sirenWish({ row }: Pick<ControlView, 'row'>, safety: readonly SafetyDemand[]): Wish {
  const off = { target: 'OFF', origin: 'SAFETY', holdUntil: null, details: {} } as const;
  if (row.locked_out) return { ...off, reason: 'locked out' };
  const alarm = safety.find(({ kind, target }) => kind === 'ALARM' && target === 'ON');
  if (alarm === undefined) return { ...off, reason: 'no alarm asks for it' };
  return {
    target: 'ON',
    origin: 'SAFETY',
    reason: alarm.reason,
    holdUntil: null,
    details: { demand: alarm.kind, ...alarm.details },
  };
}
