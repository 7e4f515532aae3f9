import type { SwitchState } from '#contract/words.ts';
import type { Zone } from '#core/zone-clock.ts';
import type { EndingEvent } from './manual-orders.ts';
import type { ScheduleEvent } from './schedule-events.ts';
import { type Decision, decisionAt, layOut, nextEventAt, type Schedules } from './schedule-windows.ts';

/** The level of the rules at `at`: when the control point was made, or when its schedules were last changed. */
export type Base = { target: SwitchState; at: number };

/** What the schedules alone rest on: one control point's schedules, in its farm's zone. */
export type RuleFacts = { now: number; zone: Zone; schedules: Schedules; base: Base };

export type RulesState = {
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
