import type { Clock, DeviceFacts, Listening } from './ports.ts';

/** A controller that is silent for longer than this raises DEVICE_OFFLINE (interface, Events 4). */
export const OFFLINE_AFTER_MS = 10 * 60_000;
const LEAST_GRACE_MS = 90_000;
/** An order is confirmed within this long: a push and its answer, or two polls and a half. */
const CONFIRM_MS = { mqtt: 15_000, http: 75_000 } as const;
/** A controller may put an order off for its minimum times and its start slot, an hour each at most. */
const LONGEST_DEFERRAL_MS = 2 * 3600_000;
/** The smallest aerator motor draws well over 1 A; under this only the meter's own noise flows. */
export const IDLE_CURRENT_MA = 100;
export const NO_CURRENT_AFTER_MS = 10_000;
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
  unconfirmed: { order: string; since: number } | null;
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

/** What it remembers after this look. */
export function observed(
  before: DeviceMemory | undefined,
  device: DeviceFacts,
  { clock, listening }: { clock: Clock; listening: Listening },
): DeviceMemory {
  const { isOnline } = device;
  const wasUp = before?.isUp ?? false;
  const isUp = isOnline || (wasUp && !isFallen(device, clock));
  const isMissing = isMissed(device, listening, clock);
  const falls = (wasUp && !isUp) || (isMissing && before?.isMissing !== true);
  return {
    isUp,
    isMissing,
    fellAt: isOnline ? null : falls ? clock.monotonic : (before?.fellAt ?? null),
    powerLostAt: device.powerOk === false ? (before?.powerLostAt ?? clock.monotonic) : null,
    unconfirmed: unconfirmedAfter(before?.unconfirmed ?? null, device, clock),
    idle: idleAfter(before?.idle ?? null, device, clock),
  };
}

/** A closed connection alone is no fall: a switch that restarts drops all of them, and they are back at once. */
function isFallen({ lastReportMonotonic }: DeviceFacts, clock: Clock): boolean {
  return lastReportMonotonic === null || clock.monotonic - lastReportMonotonic >= FALLEN_AFTER_MS;
}

/** A power cut that takes the gateway too is one that nobody hears: who was there before it and is not after it fell. */
function isMissed(
  { lastReportAt, lastReportMonotonic }: DeviceFacts,
  listening: Listening,
  clock: Clock,
): boolean {
  const { previousUntil } = listening;
  if (lastReportMonotonic !== null || lastReportAt === null || previousUntil === null) return false;
  return previousUntil - lastReportAt <= HEARD_AT_STOP_MS && isPastGrace(listening, clock);
}

function unconfirmedAfter(
  before: DeviceMemory['unconfirmed'],
  device: DeviceFacts,
  clock: Clock,
): DeviceMemory['unconfirmed'] {
  // a silent controller is DEVICE_OFFLINE's matter; its time to confirm starts anew when it is back
  if (!device.isOnline || device.current === device.target) return null;
  const order = `${device.epoch}:${device.version}`;
  const since = before?.order === order ? before.since : clock.monotonic;
  const deferredMs = device.deferredUntil === null ? 0 : device.deferredUntil - clock.now;
  const isPutOff = deferredMs > 0 && deferredMs <= LONGEST_DEFERRAL_MS;
  return { order, since: isPutOff ? Math.max(since, clock.monotonic) : since };
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
export function isPastGrace(listening: Listening, clock: Clock): boolean {
  return clock.monotonic - listening.sinceMonotonic >= graceMs(listening);
}

/**
 * How long a controller has been silent while somebody listened; null before its first report of all. Measured on
 * the clock that only grows: a step of the other one makes nobody silent.
 */
export function silentMs(device: DeviceFacts, listening: Listening, clock: Clock): number | null {
  const { lastReportAt, lastReportMonotonic } = device;
  if (lastReportMonotonic !== null && lastReportMonotonic >= listening.sinceMonotonic) {
    return clock.monotonic - lastReportMonotonic;
  }
  if (lastReportAt === null) return null;
  const beforeMs = listening.previousUntil === null ? 0 : Math.max(0, listening.previousUntil - lastReportAt);
  return beforeMs + clock.monotonic - listening.sinceMonotonic;
}

/** Strictly more than ten minutes, and never within the grace of a start. */
export function isOffline(device: DeviceFacts, listening: Listening, clock: Clock): boolean {
  const silent = silentMs(device, listening, clock);
  return silent !== null && silent > OFFLINE_AFTER_MS && isPastGrace(listening, clock);
}

/** True when it reported in this run and is not silent for long: what ends DEVICE_OFFLINE. */
export function hasReturned(device: DeviceFacts, listening: Listening, clock: Clock): boolean {
  const { lastReportMonotonic } = device;
  return (
    lastReportMonotonic !== null &&
    lastReportMonotonic >= listening.sinceMonotonic &&
    clock.monotonic - lastReportMonotonic <= OFFLINE_AFTER_MS
  );
}

export function confirmWithinMs(device: Pick<DeviceFacts, 'via'>): number {
  return device.via === 'mqtt' ? CONFIRM_MS.mqtt : CONFIRM_MS.http;
}

/** True when an order stands unconfirmed for too long. */
export function isUnconfirmed(memory: DeviceMemory, device: DeviceFacts, clock: Clock): boolean {
  return memory.unconfirmed !== null && clock.monotonic - memory.unconfirmed.since > confirmWithinMs(device);
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
