import { attendedMs } from '#core/clock-trust.ts';
import { type DeviceActivity, latestEvent } from '#core/device-activity.ts';
import { type Confirmation, confirmationAfter, type FallOut, resumedConfirmation } from './confirm-rules.ts';
import type { Clock, DeviceFacts, Listening } from './ports.ts';

// Whether a controller works steadily, counted over a quarter of an hour. Instants are monotonic ms.

/** What makes a controller unsteady. */
export const UNSTEADY = ['two_boards', 'restarts', 'changes', 'deferrals', 'connections'] as const;
export type UnsteadyKind = (typeof UNSTEADY)[number];
export type Unsteady = { kind: UnsteadyKind; times: number };

/** So often is too often. A power cut comes twice in a storm, a connection breaks now and then. */
const TOO_OFTEN: Readonly<Record<UnsteadyKind, number>> = {
  two_boards: 3,
  restarts: 3,
  changes: 4,
  deferrals: 3,
  connections: 5,
};
const UNSTEADY_WINDOW_MS = 15 * 60_000;
/** Two boards answer in turn; one that keeps its starts badly says an old one again some time. */
const TWO_BOARDS_WINDOW_MS = 5 * 60_000;
/** It is steady again when nothing happened for this long. */
const STEADY_AFTER_MS = 5 * 60_000;

/** What is too often now; of several that one explains the others, only that one. */
export function unsteadyBy(counts: Counts): Unsteady[] {
  const found = UNSTEADY.map((kind) => ({ kind, times: counts[kind] })).filter(
    ({ kind, times }) => times >= TOO_OFTEN[kind],
  );
  const isFound = (kind: UnsteadyKind) => found.some((one) => one.kind === kind);
  // two boards with one identity look like restarts, changes and broken connections of one
  if (isFound('two_boards')) return found.filter(({ kind }) => kind === 'two_boards');
  return found.filter(({ kind }) => kind !== 'connections' || !isFound('restarts'));
}

type Counts = Readonly<Record<UnsteadyKind, number>>;

/** A dip of the mains: most controllers of a farm started anew together. One of them tells of it for all. */
export type MainsDip = { at: number; reporterId: string };

/** Boards that lost their power together are there again within this long. */
const TOGETHER_MS = 30_000;
const LEAST_TOGETHER = 2;

/** The dips of the mains that the controllers of a farm show. */
export function mainsDips(
  devices: readonly Pick<DeviceFacts, 'controlPointId' | 'cod' | 'activity'>[],
): MainsDip[] {
  const restarting = devices.filter(({ activity }) => activity.restarts.length > 0);
  if (restarting.length < LEAST_TOGETHER || 2 * restarting.length < devices.length) return [];
  const [reporter] = restarting.toSorted((a, b) => (a.cod < b.cod ? -1 : 1));
  const areTogether = (at: number) => {
    const together = restarting.filter(({ activity }) =>
      activity.restarts.some((other) => Math.abs(other - at) <= TOGETHER_MS),
    );
    return together.length >= LEAST_TOGETHER && 2 * together.length >= devices.length;
  };
  return restarting
    .flatMap(({ activity }) => activity.restarts.filter(areTogether))
    .map((at) => ({ at, reporterId: reporter?.controlPointId ?? '' }));
}

/** How often each happened of late. What came before `since` is explained by something else. */
export function countsOf(
  { activity, controlPointId }: Pick<DeviceFacts, 'activity' | 'controlPointId'>,
  { missed }: Pick<Confirmation, 'missed'>,
  { clock, since, dips }: { clock: Clock; since: number; dips: readonly MainsDip[] },
): Counts {
  const within = (instants: readonly number[], windowMs: number) =>
    instants.filter((at) => at > since && clock.monotonic - at <= windowMs).length;
  const isOwn = (at: number) =>
    !dips.some((dip) => dip.reporterId !== controlPointId && Math.abs(dip.at - at) <= TOGETHER_MS);
  const ofWindow = (instants: readonly number[]) => within(instants, UNSTEADY_WINDOW_MS);
  return {
    two_boards: within(activity.returns, TWO_BOARDS_WINDOW_MS),
    restarts: ofWindow(activity.restarts.filter(isOwn)),
    // a hand at the switch is nobody's fault
    changes: ofWindow(fallOutsOf(missed).flatMap(({ at, isByHand }) => (isByHand ? [] : [at]))),
    deferrals: ofWindow(activity.postponements),
    connections: ofWindow(activity.losses),
  };
}

/** True when nothing happened for a while in which somebody listened. */
export function isSteadyAgain(
  { activity }: Pick<DeviceFacts, 'activity'>,
  { missed }: Pick<Confirmation, 'missed'>,
  { clock, listening }: { clock: Clock; listening: Listening },
): boolean {
  const last = Math.max(latestOf(activity, missed), listening.sinceMonotonic);
  return clock.monotonic - last >= STEADY_AFTER_MS;
}

function latestOf(activity: DeviceActivity, missed: Confirmation['missed']): number {
  return Math.max(latestEvent(activity) ?? 0, ...fallOutsOf(missed).map(({ at }) => at));
}

const fallOutsOf = ({ ON, OFF }: Confirmation['missed']): FallOut[] => [...ON.fallOuts, ...OFF.fallOuts];

/** A controller that is silent for longer than this raises DEVICE_OFFLINE (interface, Events 4). */
export const OFFLINE_AFTER_MS = 10 * 60_000;
const LEAST_GRACE_MS = 90_000;
/** A process that stands still again and again has no grace for who is silent for so long. */
const NO_GRACE_AFTER_MS = 2 * OFFLINE_AFTER_MS;
/** The smallest aerator motor draws well over 1 A; under this only the meter's own noise flows. */
export const IDLE_CURRENT_MA = 100;
const NO_CURRENT_AFTER_MS = 10_000;
/** An earlier run noted its last reports a minute late at the most; then a missed heartbeat. */
const HEARD_AT_STOP_MS = 2 * 60_000;
/** When the broker gives up a silent connection: one keepalive and a half. */
const FALLEN_AFTER_MS = 45_000;

/** What the watch remembers of a controller between two looks. Instants are monotonic ms unless they say otherwise. */
export type DeviceMemory = {
  /** It was heard in this run and has not fallen silent since. */
  isUp: boolean;
  /** When it fell silent after it had been up, or was missed after a start; null while online. */
  fellAt: number | null;
  /** It was heard until the gateway stopped, and not again since it started. */
  isMissing: boolean;
  /** When it told that mains is gone; null while it does not say so. */
  powerLostAt: number | null;
  confirmation: Confirmation;
  /** What made it unsteady before is explained by something else. */
  countsSince: number;
  /** What is too often now. */
  unsteady: readonly Unsteady[];
  /** Since when it is unsteady, by the instance's clock; null: it is not. */
  unsteadyAt: number | null;
  idle: IdleMotor | null;
};

type IdleMotor = {
  since: number;
  /** By the instance's clock. */
  sinceAt: number;
  firstReport: number | null;
  /** A second report said the same: not the moment between contactor and meter. */
  isRepeated: boolean;
};

/**
 * When a look is taken. `isExcused`: a power failure explains what the controller does not do; `isCovered`: a power
 * failure, or its end a moment ago, explains that it comes and goes; `dips`: so do those of the mains.
 */
type Look = {
  clock: Clock;
  listening: Listening;
  isExcused: boolean;
  isCovered: boolean;
  dips: readonly MainsDip[];
};

/** What it remembers after this look. */
export function observed(before: DeviceMemory | undefined, device: DeviceFacts, look: Look): DeviceMemory {
  const { clock, listening } = look;
  const isOnline = device.isOnline && isHeard(device, listening);
  const wasUp = before?.isUp ?? false;
  const isUp = isOnline || (wasUp && !isFallen(device, clock));
  const isMissing = isMissed(device, listening, clock);
  const falls = (wasUp && !isUp) || (isMissing && before?.isMissing !== true);
  const confirmation = confirmationAfter(before?.confirmation, device, look);
  return {
    isUp,
    isMissing,
    fellAt: isOnline ? null : falls ? clock.monotonic : (before?.fellAt ?? null),
    powerLostAt: device.powerOk === false ? (before?.powerLostAt ?? clock.monotonic) : null,
    confirmation,
    ...steadinessAfter(before, device, { ...look, confirmation }),
    idle: idleAfter(before?.idle ?? null, device, clock),
  };
}

function steadinessAfter(
  before: DeviceMemory | undefined,
  device: DeviceFacts,
  { clock, listening, isCovered, dips, confirmation }: Look & { confirmation: Confirmation },
): Pick<DeviceMemory, 'countsSince' | 'unsteady' | 'unsteadyAt'> {
  const countsSince = isCovered ? clock.monotonic : (before?.countsSince ?? listening.sinceMonotonic);
  const counts = countsOf(device, confirmation, { clock, since: countsSince, dips });
  const unsteady = unsteadyBy(counts);
  const unsteadyAt = before?.unsteadyAt ?? (unsteady.length > 0 ? clock.now : null);
  // what it did before it was calm is over and done with
  if (unsteadyAt !== null && isSteadyAgain(device, confirmation, { clock, listening }))
    return { countsSince: clock.monotonic, unsteady: [], unsteadyAt: null };
  return { countsSince, unsteady, unsteadyAt };
}

/** What it remembers when this process goes on after it stood still: what was not heard meanwhile is no fall. */
export function resumed(before: DeviceMemory, now: number): DeviceMemory {
  return {
    ...before,
    isUp: false,
    isMissing: false,
    fellAt: null,
    confirmation: resumedConfirmation(before.confirmation, now),
    countsSince: now,
    idle: null,
  };
}

/** Whether it reported since this process listens without a break. */
function isHeard({ lastReportMonotonic }: DeviceFacts, { sinceMonotonic }: Listening): boolean {
  return lastReportMonotonic !== null && lastReportMonotonic >= sinceMonotonic;
}

/** A closed connection alone is no fall: a switch that restarts drops all of them, and they are back at once. */
function isFallen({ lastReportMonotonic }: DeviceFacts, clock: Clock): boolean {
  return lastReportMonotonic === null || clock.monotonic - lastReportMonotonic >= FALLEN_AFTER_MS;
}

/** A power cut that takes the gateway too is one that nobody hears: who was there before it and is not after it fell. */
function isMissed(device: DeviceFacts, listening: Listening, clock: Clock): boolean {
  if (isHeard(device, listening) || !isPastGrace(listening, clock)) return false;
  const before = silentBefore(device, listening);
  return before !== null && before <= HEARD_AT_STOP_MS;
}

/** How long it was silent already when the time began in which nobody listened; null: nobody knows. */
function silentBefore(
  { lastReportAt, lastReportMonotonic }: DeviceFacts,
  listening: Listening,
): number | null {
  const { previousUntil, startedMonotonic, sinceMonotonic, pauses } = listening;
  if (lastReportMonotonic !== null) return attendedMs(pauses, lastReportMonotonic, sinceMonotonic);
  if (lastReportAt === null || previousUntil === null) return null;
  return Math.max(0, previousUntil - lastReportAt) + attendedMs(pauses, startedMonotonic, sinceMonotonic);
}

function idleAfter(before: IdleMotor | null, device: DeviceFacts, clock: Clock): IdleMotor | null {
  const { current, motorCurrentMa, lastReportMonotonic } = device;
  const isIdle = current === 'ON' && motorCurrentMa !== null && motorCurrentMa < IDLE_CURRENT_MA;
  if (!isIdle || !device.isOnline) return null;
  if (before === null) {
    return {
      since: clock.monotonic,
      sinceAt: clock.now,
      firstReport: lastReportMonotonic,
      isRepeated: false,
    };
  }
  const isRepeated = before.isRepeated || lastReportMonotonic !== before.firstReport;
  return isRepeated === before.isRepeated ? before : { ...before, isRepeated };
}

/** How long controllers may take to come back, after a start of the gateway or the return of the power. */
export function graceMs({ heartbeatIntervalMs }: Listening): number {
  return Math.max(LEAST_GRACE_MS, 2 * heartbeatIntervalMs);
}

/** True once the controllers had the time to come back after the gateway started to listen. */
function isPastGrace(listening: Listening, clock: Clock): boolean {
  return clock.monotonic - listening.sinceMonotonic >= graceMs(listening);
}

/**
 * How long a controller has been silent while somebody listened; null before its first report of all. Measured on
 * the clock that only grows: a step of the other one makes nobody silent.
 */
export function silentMs(device: DeviceFacts, listening: Listening, clock: Clock): number | null {
  const { lastReportAt, lastReportMonotonic } = device;
  if (lastReportMonotonic !== null && isHeard(device, listening))
    return clock.monotonic - lastReportMonotonic;
  if (lastReportAt === null) return null;
  const { startedMonotonic, sinceMonotonic, pauses } = listening;
  const before = silentBefore(device, listening) ?? attendedMs(pauses, startedMonotonic, sinceMonotonic);
  return before + clock.monotonic - sinceMonotonic;
}

/** Strictly more than ten minutes, and not within the grace of a start. */
export function isOffline(device: DeviceFacts, listening: Listening, clock: Clock): boolean {
  const silent = silentMs(device, listening, clock);
  if (silent === null || silent <= OFFLINE_AFTER_MS) return false;
  const isOwn = device.lastReportMonotonic !== null;
  return isPastGrace(listening, clock) || (isOwn && silent > NO_GRACE_AFTER_MS);
}

/** True when it reported in this run and is not silent for long: what ends DEVICE_OFFLINE. */
export function hasReturned(device: DeviceFacts, listening: Listening, clock: Clock): boolean {
  const { lastReportMonotonic } = device;
  return (
    lastReportMonotonic !== null &&
    isHeard(device, listening) &&
    clock.monotonic - lastReportMonotonic <= OFFLINE_AFTER_MS
  );
}

/** Whether what a controller does not do may be told: who had no time to come back after a start is not blamed. */
export function mayBeBlamed(device: DeviceFacts, listening: Listening, clock: Clock): boolean {
  return device.isOnline || isPastGrace(listening, clock);
}

/** True when a motor that should run draws nothing, in two reports and for more than ten seconds. */
export function hasNoCurrent(memory: DeviceMemory, clock: Clock): boolean {
  const { idle } = memory;
  return idle?.isRepeated === true && clock.monotonic - idle.since > NO_CURRENT_AFTER_MS;
}

/** True when it says that current flows, or that the motor is off. */
export function hasCurrentAgain(device: DeviceFacts): boolean {
  const { current, motorCurrentMa } = device;
  return current === 'OFF' || (motorCurrentMa !== null && motorCurrentMa >= IDLE_CURRENT_MA);
}
