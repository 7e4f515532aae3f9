import type { DeviceSchedule } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';

// The schedule a controller runs when it is alone: first the flat list, after its end the weekly table.

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
// 1970-01-01 was a Thursday; weeks are counted from Monday.
const THURSDAY_S = 3 * DAY_S;

export type LocalEvent = { to: SwitchState; atS: number };

/** The latest event of the schedule at an instant (seconds since 1970); null when it has nothing to say. */
export function localEventAt(schedule: DeviceSchedule, utcOffsetS: number, unixS: number): LocalEvent | null {
  if (isListed(schedule, unixS)) return latestListed(schedule, unixS);
  return latestWeekly(schedule, utcOffsetS, unixS);
}

/** True while the list rules; the weekly table, which knows full minutes only, has no say then. */
export function isListed(schedule: DeviceSchedule, unixS: number): boolean {
  return schedule.tr.length > 0 && unixS >= schedule.from && unixS <= schedule.to;
}

/** The next instant after `unixS` at which the schedule may want something else; null when it never does. */
export function nextScheduleChangeS(
  schedule: DeviceSchedule,
  utcOffsetS: number,
  unixS: number,
): number | null {
  const instants = schedule.tr.map(([atS]) => atS).filter((atS) => atS > unixS && atS <= schedule.to);
  if (unixS < schedule.from) instants.push(schedule.from);
  if (unixS <= schedule.to) instants.push(schedule.to + 1);
  const nowInWeekS = secondsInWeek(utcOffsetS, unixS);
  for (const [day, time] of schedule.weekly) {
    instants.push(unixS + positive(entryInWeekS(day, time) - nowInWeekS - 1) + 1);
  }
  return instants.length === 0 ? null : Math.min(...instants);
}

function latestListed(schedule: DeviceSchedule, unixS: number): LocalEvent | null {
  let best: { atS: number; on: number } | null = null;
  for (const [atS, on] of schedule.tr) {
    if (atS > unixS) continue;
    // Two entries at one instant: ON wins.
    if (best === null || atS > best.atS || (atS === best.atS && on === 1)) best = { atS, on };
  }
  return best === null ? null : { to: toSwitch(best.on), atS: best.atS };
}

function latestWeekly(schedule: DeviceSchedule, utcOffsetS: number, unixS: number): LocalEvent | null {
  const nowInWeekS = secondsInWeek(utcOffsetS, unixS);
  let best: { ageS: number; on: number } | null = null;
  for (const [day, time, on] of schedule.weekly) {
    const ageS = positive(nowInWeekS - entryInWeekS(day, time));
    if (best === null || ageS < best.ageS || (ageS === best.ageS && on === 1)) best = { ageS, on };
  }
  return best === null ? null : { to: toSwitch(best.on), atS: unixS - best.ageS };
}

function secondsInWeek(utcOffsetS: number, unixS: number): number {
  return positive(Math.floor(unixS) + utcOffsetS + THURSDAY_S);
}

function entryInWeekS(day: number, time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return (day - 1) * DAY_S + Number(hours) * 3600 + Number(minutes) * 60;
}

function positive(seconds: number): number {
  return ((seconds % WEEK_S) + WEEK_S) % WEEK_S;
}

function toSwitch(on: number): SwitchState {
  return on === 1 ? 'ON' : 'OFF';
}
