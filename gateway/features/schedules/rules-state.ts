import type { SwitchState } from '#contract/words.ts';
import { clockOf, type Zone } from '#core/zone-clock.ts';
import {
  compareEvents,
  lastEventAtOrBefore,
  nextEventAfter,
  type ScheduleEvent,
  type ScheduleRule,
} from './schedule-events.ts';

/**
 * The level the rules had at `at`: when the control point was made, or when its schedules were last changed. Earlier
 * schedule events are already in it and no longer decide; at the same instant the event does.
 */
export type Base = { target: SwitchState; at: number };

/** What the schedules alone rest on: one control point's schedules, in its farm's zone. */
export type RuleFacts = { now: number; zone: Zone; schedules: readonly ScheduleRule[]; base: Base };

export type RulesState = {
  target: SwitchState;
  /** The event that decided; null when it is the base. */
  event: ScheduleEvent | null;
  since: number;
};

/** What schedules and base ask for, as if nobody had ordered anything: the latest of all wins. */
export function rulesState(base: Base, latest: ScheduleEvent | null): RulesState {
  if (latest === null || latest.at < base.at) return { target: base.target, event: null, since: base.at };
  return { target: latest.action, event: latest, since: latest.at };
}

/** The latest event at or before now over all schedules; at the same instant ON wins. */
export function latestEvent(facts: Pick<RuleFacts, 'now' | 'zone' | 'schedules'>): ScheduleEvent | null {
  const clock = clockOf(facts.zone);
  let latest: ScheduleEvent | null = null;
  for (const rule of facts.schedules) {
    const event = lastEventAtOrBefore(rule, clock, facts.now);
    if (event !== null && (latest === null || compareEvents(event, latest) > 0)) latest = event;
  }
  return latest;
}

/** The first event strictly after an instant over all schedules; at the same instant ON wins. */
export function nextEvent(
  facts: Pick<RuleFacts, 'zone' | 'schedules'>,
  afterMs: number,
): ScheduleEvent | null {
  const clock = clockOf(facts.zone);
  let next: ScheduleEvent | null = null;
  for (const rule of facts.schedules) {
    const event = nextEventAfter(rule, clock, afterMs);
    if (event === null) continue;
    const isSooner = next === null || event.at < next.at;
    if (isSooner || (event.at === next?.at && compareEvents(event, next) > 0)) next = event;
  }
  return next;
}

/**
 * The base to store in the commit that adds, changes, pauses or deletes a schedule, from the facts as they were before
 * it. A changed schedule loses its past events; without this record, moving the end of tonight's aeration by an hour
 * would switch it off on the spot.
 *
 * `appliedNow` is the schedule as it will be when the person asked for `apply_now`, else null: if an occurrence of it is
 * under way, its action becomes the base. Its `effective_from` is then stored as -Infinity (or 0), so that the
 * occurrence also ends manual orders older than itself.
 */
export function baseAfterChange(facts: RuleFacts, appliedNow: ScheduleRule | null): Base {
  const occurrence = appliedNow === null ? null : ongoingStart(appliedNow, facts);
  const target = occurrence?.action ?? rulesState(facts.base, latestEvent(facts)).target;
  return { target, at: facts.now };
}

function ongoingStart(rule: ScheduleRule, { zone, now }: RuleFacts): ScheduleEvent | null {
  const event = lastEventAtOrBefore({ ...rule, effective_from: Number.NEGATIVE_INFINITY }, zone, now);
  return event?.edge === 'start' ? event : null;
}
