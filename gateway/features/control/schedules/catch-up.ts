import { clockOf, type Zone } from '#core/zone-clock.ts';
import {
  compareEvents,
  lastEventAtOrBefore,
  type ScheduleEvent,
  type ScheduleRule,
} from './schedule-events.ts';

export type MissedEvent = { event: ScheduleEvent; lateness_ms: number };

/** Most missed events told for one control point, the latest: after a clock step from 1970 there are thousands. */
export const MAX_MISSED = 50;

/**
 * What happened on one control point's schedules after the instant last looked at, up to and including now, in order:
 * for the log (`schedule_trigger`) after a stop, a power cut or a clock step, and with a lateness near zero on an
 * ordinary tick. What to do is not told here: `wantedState` at now is acted on, once. A clock set back misses nothing.
 */
export function missedEvents(
  facts: { zone: Zone; schedules: readonly ScheduleRule[] },
  sinceMs: number,
  nowMs: number,
): MissedEvent[] {
  const clock = clockOf(facts.zone);
  return facts.schedules
    .flatMap((rule) => latestEvents(rule, clock, sinceMs, nowMs))
    .sort(compareEvents)
    .slice(-MAX_MISSED)
    .map((event) => ({ event, lateness_ms: nowMs - event.at }));
}

/** Walks back from now, so that the length of the stop does not matter. */
function latestEvents(rule: ScheduleRule, zone: Zone, sinceMs: number, nowMs: number): ScheduleEvent[] {
  const events: ScheduleEvent[] = [];
  let event = lastEventAtOrBefore(rule, zone, nowMs);
  while (event !== null && event.at > sinceMs && events.length < MAX_MISSED) {
    events.push(event);
    event = lastEventAtOrBefore(rule, zone, event.at - 1);
  }
  return events;
}
