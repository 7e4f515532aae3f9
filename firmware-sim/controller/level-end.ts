import type { DeviceSchedule, HeartbeatAnswer } from '#contract/mqtt/messages.ts';
import type { SwitchState } from '#contract/words.ts';
import { deviceUnixMs, isClockValid } from './device-clock.ts';
import type { Level, LevelHeard } from './state.ts';
import { isDue, type Turn } from './turn.ts';

// A level that ends by itself: counted on the controller's own clock that only grows, so that neither a gateway nor a
// network nor the time is needed for its end.

/** A level as MQTT and HTTP tell it, in the same words. */
export function levelHeard(
  body: Pick<HeartbeatAnswer, 'epoch' | 'version' | 'target_status' | 'issued_at' | 'until' | 'then'>,
): LevelHeard {
  const { epoch, version, target_status: target, issued_at, until, then } = body;
  return {
    epoch,
    version,
    target,
    ...(issued_at === undefined ? {} : { issuedAtS: issued_at }),
    // one without the other says nothing
    ...(until === undefined || then === undefined ? {} : { ends: { untilS: until, then } }),
  };
}

/** For the sake of the flash. */
const NOTED_EVERY_MS = 60_000;

/** Takes a level that is not older than the one in force, with its end or without one. */
export function acceptLevel(turn: Turn, heard: LevelHeard): void {
  const { state } = turn;
  const { nvs, control } = state;
  const { ends, ...level } = heard;
  const last = nvs.level;
  const isAgain = last?.epoch === level.epoch && last.version === level.version;
  if (!isAgain) forgetEndSlot(turn);
  if (isAgain && nvs.hasEnded && ends !== undefined) {
    // it is over here, whatever the gateway still counts; what follows it may have changed
    if (last.target !== ends.then) nvs.level = { ...last, target: ends.then };
    return;
  }
  if (!isAgain || last.target !== level.target) nvs.level = level;
  nvs.hasEnded = false;
  if (ends === undefined) return noEnd(turn);
  const endAtMs = turn.nowMs + ends.untilS * 1000;
  // the same level never gets longer
  control.endAtMs = isAgain && control.endAtMs !== null ? Math.min(control.endAtMs, endAtMs) : endAtMs;
  if (!isAgain || nvs.ending?.then !== ends.then) noteEnd(turn, control.endAtMs, ends.then);
}

function noEnd({ state: { nvs, control } }: Turn): void {
  control.endAtMs = null;
  control.noteEndAtMs = null;
  if (nvs.ending !== null) nvs.ending = null;
}

function noteEnd({ state: { nvs, control }, nowMs }: Turn, endAtMs: number, then: Level['target']): void {
  nvs.ending = { leftS: Math.ceil((endAtMs - nowMs) / 1000), then };
  control.noteEndAtMs = nowMs + NOTED_EVERY_MS;
}

/** After a start: how long it was without power nobody knows; no more is held than was left at the last note. */
export function resumeEnd({ state: { nvs, control }, nowMs }: Turn): void {
  if (nvs.ending === null) return;
  control.endAtMs = nowMs + nvs.ending.leftS * 1000;
  control.noteEndAtMs = nowMs + NOTED_EVERY_MS;
}

/** What the passing of time makes of a level with an end. */
export function dueEnd(turn: Turn): void {
  const { control, nvs } = turn.state;
  if (control.endAtMs === null || nvs.ending === null) return;
  if (isDue(control.endAtMs, turn.nowMs)) endLevel(turn, nvs.ending.then);
  else if (isDue(control.noteEndAtMs, turn.nowMs)) noteEnd(turn, control.endAtMs, nvs.ending.then);
}

/** What follows counts as given at the end: the schedule's later events rule over it. */
function endLevel(turn: Turn, then: Level['target']): void {
  const { state, nowMs } = turn;
  const { nvs, control, relay } = state;
  noEnd(turn);
  if (nvs.level === null) return;
  const at = isClockValid(state, nowMs) ? { issuedAtS: Math.floor(deviceUnixMs(state, nowMs) / 1000) } : {};
  nvs.level = { ...nvs.level, target: then, ...at };
  // what HOLD holds is never what is over
  nvs.hold = then;
  nvs.hasEnded = true;
  control.isReportDue = true;
  if (then === 'OFF' || relay.coil === 'ON' || relay.isSlotPending) return;
  // many pauses may end together: each motor starts in its slot, unless the gateway calls it before
  relay.isSlotPending = true;
  relay.isEndSlot = true;
  relay.slotFromMs = nowMs;
}

function forgetEndSlot({ state: { relay } }: Turn): void {
  if (!relay.isEndSlot) return;
  relay.isEndSlot = false;
  relay.isSlotPending = false;
}

// The schedule a controller runs when it is alone: first the flat list, after its end the weekly table.

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
// 1970-01-01 was a Thursday; weeks are counted from Monday.
const THURSDAY_S = 3 * DAY_S;

type LocalEvent = { to: SwitchState; atS: number };

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
