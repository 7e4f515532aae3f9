import { isoOf } from '#core/kernel.ts';
import { LOOP_TEXT_BEGINS } from '#science/advice/forecast-text.ts';
import {
  heldAfter,
  isFreshReading,
  isStreaming,
  type PondHeld,
  type PondLoopFacts,
  pondLoop,
  releaseLevelOf,
} from '#science/closed-loop.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import type { OxygenPoint, PondOfPoint } from './aired-ponds.ts';
import {
  type LoopClock,
  newestFirst,
  newestOf,
  type PondReadings,
  READINGS_KEPT,
  stored,
  usableOxygen,
} from './pond-readings.ts';
import type { OxygenQueries, OxygenRow } from './ports.ts';

/** A stored reading with the times of its row, ms since 1970. */
type PastReading = {
  /** Grows with the order of arrival. */
  id: string;
  takenAt: number;
  storedAt: number;
  oxygenMgL: number;
  isTimeTrusted: boolean;
  /** It may have started a motor, but until when it may have let one go nobody knows. */
  isTakenBack: boolean;
};

/**
 * What a pond asked for when an earlier run ended, worked out from its stored readings: the loop is run through them, as
 * it ran when they came, and through the silences between. So a restart within the band goes on with what held.
 */
function replayedHold(
  aeration: Aeration,
  facts: Pick<PondLoopFacts, 'levels'> & {
    readings: readonly PastReading[];
    /** Whether the control point follows a probe; one that only joins in emergencies does not. */
    followsProbe: boolean;
    isNightAt: (atMs: number) => boolean;
    nowMs: number;
    /** Nobody looked after that: a run whose end fell later did not end. */
    watchedUntil: number;
  },
): PondHeld | null {
  const silentAfterMs = aeration.silentAfterMinutes * MINUTE_MS;
  /** All that came, and those of them that still stand; newest first. */
  let came: readonly PastReading[] = [];
  let standing: readonly PastReading[] = [];
  let held: PondHeld | null = null;

  function step(atMs: number): void {
    // even a wrong clock tells how close together readings came
    const agesMs = came.map(({ takenAt }) => Math.max(0, atMs - takenAt));
    // until nobody knows when, one that was taken back was the newest: an older one that came after it let nothing go
    const isNewestSure = came[0]?.isTakenBack !== true;
    const { wish } = pondLoop(aeration, {
      nowMs: atMs,
      isNight: facts.isNightAt(atMs),
      levels: facts.levels,
      reading: readingAt(standing[0], atMs, isNewestSure),
      isStreaming: facts.followsProbe && isStreaming(aeration, agesMs),
      held,
    });
    held = heldAfter(held, wish, atMs);
  }

  /** Between two readings a run may end, and a probe be missed: by night, whenever that falls. */
  function pause(from: number, to: number): void {
    const missedUntil = Math.min(to, from + aeration.stream.forgottenAfterHours * HOUR_MS);
    const runEnd = held === null ? to : held.sinceMs + aeration.minimumRunMinutes * MINUTE_MS;
    const times = runEnd <= facts.watchedUntil ? [runEnd] : [];
    const silentFrom = (standing[0]?.takenAt ?? from) + silentAfterMs + 1;
    for (let at = silentFrom; at < missedUntil; at += HOUR_MS) times.push(at);
    times.push(to - 1);
    for (const at of times.sort((a, b) => a - b)) if (at > from && at < to) step(at);
  }

  const inOrder = [...facts.readings].sort((a, b) => a.storedAt - b.storedAt || (a.id < b.id ? -1 : 1));
  for (const [place, reading] of inOrder.entries()) {
    const last = inOrder[place - 1];
    if (last !== undefined) pause(last.storedAt, reading.storedAt);
    came = withNewest(came, reading);
    const before = standing;
    standing = withNewest(before, reading);
    step(reading.storedAt);
    if (!reading.isTakenBack) continue;
    // when it was taken back nobody noted: those before it may start a motor again, not let one go
    standing = before.map((one) => ({ ...one, isTimeTrusted: false }));
    step(reading.storedAt);
  }
  const last = inOrder.at(-1);
  if (last !== undefined) pause(last.storedAt, facts.nowMs);
  return held;
}

function readingAt(
  newest: PastReading | undefined,
  atMs: number,
  isNewestSure: boolean,
): PondLoopFacts['reading'] {
  if (newest === undefined) return null;
  const { oxygenMgL, takenAt, isTimeTrusted } = newest;
  return { oxygenMgL, ageMs: isTimeTrusted && isNewestSure ? Math.max(0, atMs - takenAt) : null };
}

/** Enough of them to know a probe by. */
function withNewest(readings: readonly PastReading[], reading: PastReading): PastReading[] {
  return [reading, ...readings].sort((a, b) => b.takenAt - a.takenAt).slice(0, READINGS_KEPT);
}

type Aeration = ScienceConstants['aeration'];

type StoredReading = OxygenRow & { isTakenBack: boolean };

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const PAGE = 64;

export type LoadedPond = {
  readings: PondReadings;
  /** What the pond asked for when it was read, by one control point's levels. */
  heldOf: (own: PondOfPoint, aeration: Aeration, isNightAt: (atMs: number) => boolean) => PondHeld | null;
};

/** Reads as many readings of a pond as it takes to know what it asked for: back to one that leaves no doubt. */
export async function loadPond(
  deps: {
    queries: Pick<OxygenQueries, 'newestReadings'>;
    clock: () => LoopClock;
    /** When an earlier run was last seen alive; null: it is this run that looked. */
    watchedUntil: number | null;
  },
  {
    pondId,
    constants,
    followers,
  }: { pondId: string; constants: ScienceConstants; followers: readonly OxygenPoint[] },
): Promise<LoadedPond> {
  const { aeration } = constants;
  const own = followers.flatMap(({ ponds }) => ponds.filter((pond) => pond.pondId === pondId));
  const before = deps.clock();
  // with a clock that is right, what a wrong one stamped years ahead is not the newest; within a day it may be
  const until = before.isTrusted ? isoOf(before.now + 24 * HOUR_MS) : null;
  const believed = before.now + aeration.believedAheadMinutes * MINUTE_MS;
  const oldest = before.now - aeration.lastKnownHours * HOUR_MS;
  const rows: { row: StoredReading; past: PastReading }[] = [];
  for (let after: StoredReading | null = null; ; ) {
    const page: StoredReading[] = await deps.queries.newestReadings(pondId, { until, after, limit: PAGE });
    for (const row of page) {
      const oxygenMgL = usableOxygen(constants, row);
      if (oxygenMgL !== null) rows.push({ row, past: pastOf(row, oxygenMgL, believed) });
    }
    after = page.at(-1) ?? null;
    const isOld = after === null || Date.parse(after.measurement_date) < oldest;
    const isClear = rows.some(({ past }) => own.every(({ levels }) => leavesNoDoubt(aeration, levels, past)));
    if (isOld || isClear || page.length < PAGE) break;
  }
  const clock = deps.clock();
  const isWithinADay = ({ takenAt }: PastReading) => Math.abs(clock.now - takenAt) <= 24 * HOUR_MS;
  return {
    readings: rows
      .filter(({ row, past }) => !row.isTakenBack && (past.isTimeTrusted || isWithinADay(past)))
      .map(({ row, past }) => stored(aeration, row, past.oxygenMgL, clock))
      .sort(newestFirst)
      .slice(0, READINGS_KEPT),
    heldOf(pond, ownAeration, isNightAt) {
      const held = replayedHold(ownAeration, {
        levels: pond.levels,
        readings: rows.map(({ past }) => past).filter(({ takenAt }) => takenAt >= oldest),
        followsProbe: pond.isFollowed,
        isNightAt,
        nowMs: clock.now,
        watchedUntil: Math.min(clock.now, deps.watchedUntil ?? clock.now),
      });
      return held === null ? null : onMonotonic(clock, held);
    },
  };
}

function pastOf(row: StoredReading, oxygenMgL: number, believed: number): PastReading {
  const takenAt = Date.parse(row.measurement_date);
  const storedAt = Math.max(takenAt, Date.parse(row.created_at));
  const isTimeTrusted = row.clock_quality === 'trusted' && storedAt <= believed;
  return { id: row.id, takenAt, storedAt, oxygenMgL, isTimeTrusted, isTakenBack: row.isTakenBack };
}

/** Whatever held before it, after such a reading it is known what held. */
function leavesNoDoubt(
  aeration: Aeration,
  levels: PondOfPoint['levels'],
  { oxygenMgL, takenAt, storedAt, isTimeTrusted, isTakenBack }: PastReading,
): boolean {
  const { onMgL, emergencyMgL } = levels;
  if (oxygenMgL <= (emergencyMgL ?? onMgL ?? Number.NEGATIVE_INFINITY)) return true;
  const release = releaseLevelOf(aeration, levels);
  const ageMs = isTimeTrusted && !isTakenBack ? storedAt - takenAt : null;
  const isFresh = isFreshReading(aeration, { ageMs });
  return (
    release !== null &&
    isFresh &&
    oxygenMgL >= Math.max(release, (emergencyMgL ?? 0) + aeration.emergencyReleaseMgL)
  );
}

function onMonotonic({ now, monotonic, isTrusted }: LoopClock, held: PondHeld): PondHeld {
  const agoMs = isTrusted ? Math.max(0, now - held.sinceMs) : 0;
  return { ...held, sinceMs: monotonic - agoMs };
}

/**
 * A motor that an earlier run switched ON for want of oxygen, though the readings that are left do not tell why (one was
 * taken back, or is days old): it stays ON until somebody has seen that all is well.
 */
export function heldBefore(
  point: OxygenPoint,
  deps: {
    views: { byId: (id: string) => ControlView | null };
    clock: () => LoopClock;
    reasons: readonly { controlPointId: string; reason: string | null }[];
    readingsByPond: ReadonlyMap<string, PondReadings>;
    constantsOf: (farmId: string) => ScienceConstants;
  },
): void {
  const view = deps.views.byId(point.id);
  const reason = deps.reasons.find(({ controlPointId }) => controlPointId === point.id)?.reason ?? '';
  if (view === null || !reason.startsWith(LOOP_TEXT_BEGINS)) return;
  const { target_status, target_origin, last_command_at } = targetOf(view);
  if (target_status !== 'ON' || target_origin !== 'SAFETY') return;
  const { aeration } = deps.constantsOf(point.farmId);
  const isUnwell = ({ pondId, levels }: PondOfPoint) => {
    const newest = newestOf(deps.readingsByPond.get(pondId) ?? []);
    return newest === null || newest.oxygenMgL < (releaseLevelOf(aeration, levels) ?? 0);
  };
  const clock = deps.clock();
  const orderedAt = last_command_at === null ? clock.now : Date.parse(last_command_at);
  const ordered = onMonotonic(clock, { wish: 'ON', sinceMs: orderedAt });
  const running = point.ponds.filter(({ held }) => held?.wish === 'ON' || held?.wish === 'EMERGENCY');
  for (const { held } of running) {
    // the motor runs since its order, a moment after the reading
    if (held !== null) held.sinceMs = Math.max(held.sinceMs, ordered.sinceMs);
  }
  if (running.length > 0) return;
  const unwell = point.ponds.filter(isUnwell);
  for (const pond of unwell.length > 0 ? unwell : point.ponds) pond.held = { ...ordered };
}
