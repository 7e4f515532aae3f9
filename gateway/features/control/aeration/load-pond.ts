import { isoOf } from '#core/kernel.ts';
import { LOOP_TEXT_BEGINS } from '#science/advice/forecast-text.ts';
import { isFreshReading, type PondHeld, releaseLevelOf } from '#science/closed-loop.ts';
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
import { type PastReading, replayedHold } from './replay-hold.ts';

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
