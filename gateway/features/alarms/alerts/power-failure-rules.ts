import { type DeviceMemory, IDLE_CURRENT_MA } from './device-alert-rules.ts';
import type { Clock, DeviceFacts, Listening } from './ports.ts';

/** Controllers that fall silent within this long of each other fell together. */
export const TOGETHER_MS = 60_000;
/** Half of them back for this long ends a power failure. */
export const BACK_FOR_MS = 60_000;
const LEAST_FALLEN = 2;
/** How far from a stored failure's start a last report may lie to count as fallen in it, after a restart. */
const REBUILD_BEFORE_MS = 5 * 60_000;

export type Watched = { facts: DeviceFacts; memory: DeviceMemory };

/** A power failure of a farm that goes on. Instants are monotonic ms unless they say otherwise. */
export type PowerFailure = {
  /** By the instance's clock: the start of the alert's name. */
  startedAt: number;
  since: number;
  /** Control points that told of it or fell silent in it. */
  members: ReadonlySet<string>;
  /** Members whose motor ran while it lasted: a generator feeds them, and what they do not do is news again. */
  fed: ReadonlySet<string>;
  lastFallAt: number;
  /** How many were online when it began; null: a controller told of it. */
  online: number | null;
  halfBackSince: number | null;
};

/**
 * The power failure of a farm after this look, and whether it is over. It begins with a controller that reports
 * `power_ok: false`, or when at least half of those online, two or more, fall silent within a minute. It ends with
 * `power_ok: true` from one of them, or when half of them are back for a minute; never while one still says that
 * mains is gone.
 */
export function powerAfter(
  before: PowerFailure | null,
  devices: readonly Watched[],
  clock: Clock,
): { failure: PowerFailure | null; isOver: boolean } {
  if (before === null) return { failure: begun(devices, clock), isOver: false };
  const grown = withJoined(before, devices, clock);
  const members = devices.filter(({ facts }) => grown.members.has(facts.controlPointId));
  const back = members.filter(({ facts }) => isBack(facts));
  const isHalfBack = members.length === 0 || 2 * back.length >= members.length;
  const halfBackSince = isHalfBack ? (grown.halfBackSince ?? clock.monotonic) : null;
  const isStillLost = members.some(({ facts }) => facts.isOnline && facts.powerOk === false);
  const isRestored = back.some(({ facts }) => facts.powerOk === true && hasReportedSince(facts, grown.since));
  const isBackForLong = halfBackSince !== null && clock.monotonic - halfBackSince >= BACK_FOR_MS;
  return {
    failure: { ...grown, fed: fedBy(grown, members), halfBackSince },
    isOver: !isStillLost && (isRestored || isBackForLong),
  };
}

function begun(devices: readonly Watched[], clock: Clock): PowerFailure | null {
  const tellers = devices.filter(({ memory }) => memory.powerLostAt === clock.monotonic);
  const fallen = devices.filter(({ memory }) => fellWithin(memory, clock.monotonic));
  const online = devices.filter(({ memory }) => memory.isUp).length + fallen.length;
  const isTogether = fallen.length >= LEAST_FALLEN && 2 * fallen.length >= online;
  if (tellers.length === 0 && !isTogether) return null;
  const members = [...tellers, ...fallen];
  const lastReports = members.map(({ facts }) => facts.lastReportAt ?? clock.now);
  return {
    startedAt: Math.min(...lastReports),
    since: clock.monotonic,
    members: new Set(members.map(({ facts }) => facts.controlPointId)),
    fed: new Set(),
    lastFallAt: clock.monotonic,
    online: tellers.length > 0 ? null : online,
    halfBackSince: null,
  };
}

function fellWithin({ fellAt }: DeviceMemory, at: number): boolean {
  return fellAt !== null && at - fellAt <= TOGETHER_MS;
}

/** Those that follow within a minute of the last one belong to it. */
function withJoined(failure: PowerFailure, devices: readonly Watched[], clock: Clock): PowerFailure {
  const joining = devices.filter(
    ({ facts, memory }) =>
      !failure.members.has(facts.controlPointId) &&
      (memory.powerLostAt === clock.monotonic ||
        (memory.fellAt !== null && Math.abs(memory.fellAt - failure.lastFallAt) <= TOGETHER_MS)),
  );
  if (joining.length === 0) return failure;
  const falls = joining.map(({ memory }) => memory.fellAt ?? failure.lastFallAt);
  return {
    ...failure,
    members: new Set([...failure.members, ...joining.map(({ facts }) => facts.controlPointId)]),
    lastFallAt: Math.max(failure.lastFallAt, ...falls),
  };
}

/** What a report said of the first minute may have been on its way when the contactor fell. */
function fedBy({ fed, since }: PowerFailure, members: readonly Watched[]): ReadonlySet<string> {
  const running = members.filter(
    ({ facts }) => isRunning(facts) && hasReportedSince(facts, since + TOGETHER_MS),
  );
  if (running.every(({ facts }) => fed.has(facts.controlPointId))) return fed;
  return new Set([...fed, ...running.map(({ facts }) => facts.controlPointId)]);
}

const isRunning = ({ isOnline, current, motorCurrentMa }: DeviceFacts): boolean =>
  isOnline && current === 'ON' && (motorCurrentMa === null || motorCurrentMa >= IDLE_CURRENT_MA);

/** Whether this failure is why a member does not do what it was ordered: it is silent, or says that mains is gone. */
export function explainsOrder({ members, fed }: PowerFailure, facts: DeviceFacts): boolean {
  const { controlPointId, isOnline, powerOk } = facts;
  return members.has(controlPointId) && !fed.has(controlPointId) && (!isOnline || powerOk === false);
}

function isBack(facts: DeviceFacts): boolean {
  return facts.isOnline && facts.powerOk !== false;
}

function hasReportedSince({ lastReportMonotonic }: DeviceFacts, since: number): boolean {
  return lastReportMonotonic !== null && lastReportMonotonic > since;
}

/** True when a failure ended before its members had the time to call: one of them told of it. */
export function isJustOver({ halfBackSince }: PowerFailure, clock: Clock): boolean {
  return halfBackSince === null || clock.monotonic - halfBackSince < BACK_FOR_MS;
}

/**
 * A power failure that an earlier run stored. Its members were not stored: they are those not heard since it began,
 * and, when there are none, the whole farm.
 */
export function rebuiltFailure(
  triggeredAt: number,
  devices: readonly Watched[],
  { clock, listening }: { clock: Clock; listening: Listening },
): PowerFailure {
  const silent = devices.filter(
    ({ facts: { lastReportAt } }) =>
      lastReportAt !== null &&
      lastReportAt >= triggeredAt - REBUILD_BEFORE_MS &&
      lastReportAt <= triggeredAt + TOGETHER_MS,
  );
  const members = silent.length > 0 ? silent : devices;
  return {
    startedAt: triggeredAt,
    since: listening.sinceMonotonic,
    members: new Set(members.map(({ facts }) => facts.controlPointId)),
    fed: new Set(),
    lastFallAt: clock.monotonic - TOGETHER_MS,
    online: null,
    halfBackSince: null,
  };
}
