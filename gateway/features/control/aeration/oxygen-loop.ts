import { farm } from '#contract/resources/farms.ts';
import { farmScience } from '#contract/resources/science.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { onTables, type RowListener, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { PondHeld } from '#science/closed-loop.ts';
import { SCIENCE_DEFAULTS, type ScienceConstants } from '#science/constants.ts';
import type { ControlViews } from '../control-view.ts';
import {
  AIRING,
  changesWhoAirs,
  createFarmNights,
  type OxygenPoint,
  oxygenPoints,
  type PondOfPoint,
} from './aired-ponds.ts';
import { heldBefore, loadPond } from './load-pond.ts';
import { NO_DEMAND, type OxygenDemand, pondsAsk } from './oxygen-demand.ts';
import {
  arriving,
  type LoopClock,
  type PondReadings,
  usableOxygen,
  withoutReading,
  withReading,
} from './pond-readings.ts';
import type { AiredPond, OxygenQueries, OxygenRow } from './ports.ts';

/** What was corrected in a pond since it was read last. */
type Corrected = {
  /** When the first of the low readings among them was stored, ms since 1970: what they began may end. null: none was low. */
  lowStoredAt: number | null;
};

const MINUTE_MS = 60_000;

export type OxygenLoopDeps = Pick<Kernel, 'now' | 'clockQuality' | 'log'> & {
  monotonic: () => number;
  views: Pick<ControlViews, 'all' | 'byId'>;
  queries: OxygenQueries;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  /** Until when an earlier run is known to have looked, ms; null: not known. */
  previousUntil: number | null;
};

export type OxygenLoop = {
  /** Reads what decides; called once before the first look at the control points. */
  load: () => Promise<void>;
  /** Follows every committed unit, after the registry has. */
  follow: RowListener;
  /** What the water asks of a control point now; the same list until that changes. Asks nothing of the database. */
  safetyOf: (controlPointId: string) => readonly OxygenDemand[];
  /** A reading that the disk did not take, or that comes before it is stored. */
  hear: (row: OxygenRow) => void;
  /** The clock stepped or its trust changed: stored readings are as old as they look now. */
  followClock: () => void;
  /** Does again what the database did not answer; every minute. */
  look: () => Promise<void>;
  /** Resolves when what was begun is done. */
  settled: () => Promise<void>;
};

/**
 * Closed-loop aeration in memory: the latest readings of every pond whose control point follows oxygen, and what each
 * pond asks for. A level like the schedules: after a restart it is worked out from the stored readings.
 */
export function createOxygenLoop(deps: OxygenLoopDeps): OxygenLoop {
  const nights = createFarmNights();
  const readingsByPond = new Map<string, PondReadings>();
  const constantsByFarm = new Map<string, ScienceConstants>();
  const followersByPond = new Map<string, OxygenPoint[]>();
  const askedByPoint = new Map<string, ReturnType<typeof pondsAsk>>();
  let points: ReadonlyMap<string, OxygenPoint> = new Map();
  let byAerators: readonly AiredPond[] = [];
  const corrections = createCorrections();
  const undone = { areas: new Set<'aerators'>(), ponds: new Set<string>(), farms: new Set<string>() };
  /** While this run has not looked yet, until when the one before did; then null. */
  let watchedUntil: number | null = deps.previousUntil ?? Number.NEGATIVE_INFINITY;
  let working: Promise<void> = Promise.resolve();

  const clock = (): LoopClock => ({
    now: deps.now(),
    monotonic: deps.monotonic(),
    isTrusted: deps.clockQuality() === 'trusted',
  });
  const constantsOf = (farmId: string) => constantsByFarm.get(farmId) ?? SCIENCE_DEFAULTS;
  const isNightAt = (farmId: string) => (atMs: number) =>
    nights.isNight(constantsOf(farmId).aeration, farmId, atMs);

  function rebuild(): void {
    points = oxygenPoints(deps.views.all(), byAerators, points);
    for (const id of askedByPoint.keys()) if (!points.has(id)) askedByPoint.delete(id);
    followersByPond.clear();
    for (const point of points.values()) {
      if (!constantsByFarm.has(point.farmId)) undone.farms.add(point.farmId);
      for (const { pondId, isReplayed } of point.ponds) {
        const followers = followersByPond.get(pondId);
        if (followers === undefined) followersByPond.set(pondId, [point]);
        else followers.push(point);
        if (!isReplayed) undone.ponds.add(pondId);
      }
    }
    for (const id of readingsByPond.keys()) if (!followersByPond.has(id)) readingsByPond.delete(id);
  }

  /** Everything noted as undone, one after the other; what fails stays noted. */
  async function catchUp(): Promise<void> {
    if (undone.areas.delete('aerators')) {
      byAerators = await deps.queries
        .airedByAerators()
        .catch(again(() => undone.areas.add('aerators'), byAerators));
      rebuild();
    }
    for (const farmId of undone.farms) {
      undone.farms.delete(farmId);
      const constants = await deps.scienceOf(farmId).catch(again(() => undone.farms.add(farmId), null));
      if (constants === null) return;
      constantsByFarm.set(farmId, constants);
      nights.forget(farmId);
    }
    for (const pondId of undone.ponds) {
      undone.ponds.delete(pondId);
      const isRead = await readPond(pondId).then(
        () => true,
        again(() => undone.ponds.add(pondId), false),
      );
      if (!isRead) return;
    }
  }

  function again<Value>(note: () => unknown, value: Value): (error: unknown) => Value {
    return (error) => {
      note();
      deps.log.error({ err: error }, 'oxygen readings could not be read; aeration goes by those in memory');
      return value;
    };
  }

  async function readPond(pondId: string): Promise<void> {
    const followers = followersByPond.get(pondId) ?? [];
    const [first] = followers;
    const correction = corrections.take(pondId);
    if (first === undefined) return;
    // from here on what comes is kept
    if (!readingsByPond.has(pondId)) readingsByPond.set(pondId, []);
    const loaded = await loadPond(
      { queries: deps.queries, clock, watchedUntil },
      { pondId, constants: constantsOf(first.farmId), followers },
    ).catch((error: unknown) => {
      corrections.note(pondId, correction);
      throw error;
    });
    let readings: PondReadings = loaded.readings;
    // what came meanwhile, what the disk did not take, and how long ago all that came: memory knows better
    for (const known of readingsByPond.get(pondId) ?? []) {
      const isStored = loaded.readings.some(({ id }) => id === known.id);
      if (known.isAgeKnown || !isStored) readings = withReading(readings, known);
    }
    readingsByPond.set(pondId, readings);
    // set points may have changed while the disk was asked
    for (const { farmId, ponds } of followersByPond.get(pondId) ?? []) {
      const { aeration } = constantsOf(farmId);
      const replayedOf = (own: PondOfPoint) => loaded.heldOf(own, aeration, isNightAt(farmId));
      for (const own of ponds.filter((each) => each.pondId === pondId)) {
        if (!own.isReplayed) {
          own.held ??= replayedOf(own);
          own.isReplayed = true;
        } else if (correction !== null) {
          const facts = { held: own.held, replayed: replayedOf(own), correction, clock: clock() };
          const { held, isWaiting } = heldAfterCorrection(aeration, facts);
          own.held = held;
          if (isWaiting) corrections.note(pondId, correction);
        }
      }
    }
  }

  function work(): Promise<void> {
    working = working.then(catchUp);
    return working;
  }

  function correct(before: OxygenRow, after: OxygenRow): void {
    const followers = followersByPond.get(after.pond_id) ?? [];
    const constants = constantsOf(followers[0]?.farmId ?? '');
    const ponds = followers.flatMap((point) => point.ponds.filter(({ pondId }) => pondId === after.pond_id));
    // stored readings tell nothing while nobody knows how old they are
    const correction = clock().isTrusted ? correctionOf(constants, ponds, { before, after }) : null;
    if (correction === null) return;
    corrections.note(after.pond_id, correction);
    undone.ponds.add(after.pond_id);
  }

  function hear(row: OxygenRow, before: OxygenRow | null = null): void {
    const readings = readingsByPond.get(row.pond_id);
    if (readings === undefined) return;
    const constants = constantsOf(followersByPond.get(row.pond_id)?.[0]?.farmId ?? '');
    const oxygenMgL = usableOxygen(constants, row);
    const known = readings.find(({ id }) => id === row.id);
    if (oxygenMgL === null) {
      if (known !== undefined) takeBack(row.pond_id, row.id);
      return;
    }
    const isSameTime = known !== undefined && before?.measurement_date === row.measurement_date;
    const reading = isSameTime
      ? { ...known, oxygenMgL }
      : arriving(constants.aeration, row, oxygenMgL, clock());
    readingsByPond.set(row.pond_id, withReading(readings, reading));
  }

  /** The one before it counts again; it may be no longer in memory. */
  function takeBack(pondId: string, id: string): void {
    const readings = readingsByPond.get(pondId);
    if (readings === undefined) return;
    readingsByPond.set(pondId, withoutReading(readings, id));
    undone.ponds.add(pondId);
  }

  return {
    async load() {
      for (const place of await deps.queries.farmPlaces()) nights.keep(place);
      byAerators = await deps.queries.airedByAerators();
      rebuild();
      await work();
      const reasons = await deps.queries.reasonsOfSafety();
      watchedUntil = null;
      for (const point of points.values())
        heldBefore(point, { ...deps, clock, reasons, readingsByPond, constantsOf });
    },
    follow: onTables([farm, farmScience, measurement, ...AIRING], (committed) => {
      for (const { id, after, hidden } of rowsOf(committed, farm)) {
        if (hidden) {
          nights.drop(id);
          constantsByFarm.delete(id);
        } else nights.keep({ id, zone: after.timezone, lat: after.lat, lng: after.lng });
      }
      for (const { after } of rowsOf(committed, farmScience)) undone.farms.add(after.farm_id);
      if (changesWhoAirs(committed)) {
        undone.areas.add('aerators');
        rebuild();
      }
      for (const { id, before, after, hidden } of rowsOf(committed, measurement)) {
        if (hidden) takeBack(after.pond_id, id);
        else hear(after, before);
        if (!hidden && before !== null) correct(before, after);
      }
      if (undone.areas.size + undone.farms.size + undone.ponds.size > 0) void work();
    }),
    safetyOf(controlPointId) {
      const point = points.get(controlPointId);
      if (point === undefined) return NO_DEMAND;
      const { aeration } = constantsOf(point.farmId);
      const at = clock();
      const asked = pondsAsk(
        deps,
        point,
        {
          aeration,
          clock: at,
          isNight: !at.isTrusted || isNightAt(point.farmId)(at.now),
          readingsOf: (pondId) => readingsByPond.get(pondId) ?? [],
        },
        askedByPoint.get(controlPointId) ?? null,
      );
      askedByPoint.set(controlPointId, asked);
      return asked.demands;
    },
    hear: (row) => hear(row),
    followClock() {
      for (const pondId of readingsByPond.keys()) undone.ponds.add(pondId);
      void work();
    },
    look() {
      for (const pondId of corrections.ponds()) undone.ponds.add(pondId);
      return work();
    },
    settled: () => working,
  };
}

/**
 * What a person has corrected in an oxygen reading, for those who follow its pond; null: nothing that says how the water
 * was. A value that was only taken away says nothing about the water, and lets nothing go.
 */
function correctionOf(
  constants: ScienceConstants,
  ponds: readonly Pick<PondOfPoint, 'levels'>[],
  { before, after }: { before: OxygenRow; after: OxygenRow },
): Corrected | null {
  const [was, is] = [usableOxygen(constants, before), usableOxygen(constants, after)];
  if (was === null || is === null) return null;
  if (was === is && before.measurement_date === after.measurement_date) return null;
  const wasLow = ponds.some(({ levels }) => was <= Math.max(levels.onMgL ?? 0, levels.emergencyMgL ?? 0));
  return { lowStoredAt: wasLow ? Date.parse(after.created_at) : null };
}

/** Corrections by pond, until what the pond asks for was worked out anew. */
function createCorrections() {
  const byPond = new Map<string, Corrected>();
  return {
    ponds: () => byPond.keys(),
    note(pondId: string, correction: Corrected | null): void {
      if (correction === null) return;
      const known = [byPond.get(pondId)?.lowStoredAt ?? null, correction.lowStoredAt];
      const low = known.filter((at) => at !== null);
      byPond.set(pondId, { lowStoredAt: low.length === 0 ? null : Math.min(...low) });
    },
    take(pondId: string): Corrected | null {
      const correction = byPond.get(pondId) ?? null;
      byPond.delete(pondId);
      return correction;
    },
  };
}

/**
 * What a pond asks for after a correction: as if the value had been right at once. What began before a low reading that
 * was corrected goes on until a fresh reading, though no worse than the readings tell. A motor has its minimum run all
 * the same (`isWaiting`: to be asked again then).
 */
function heldAfterCorrection(
  { minimumRunMinutes }: Pick<ScienceConstants['aeration'], 'minimumRunMinutes'>,
  facts: {
    held: PondHeld | null;
    /** Worked out anew from the readings as they are now. */
    replayed: PondHeld | null;
    correction: Corrected;
    clock: LoopClock;
  },
): { held: PondHeld | null; isWaiting: boolean } {
  const { held, replayed, correction, clock } = facts;
  const needed = replayed?.wish === 'OFF' ? null : replayed;
  if (held === null || held.wish === 'OFF') return { held: needed ?? held, isWaiting: false };
  const ranMs = clock.monotonic - held.sinceMs;
  const isBegunBySlip = correction.lowStoredAt !== null && clock.now - ranMs >= correction.lowStoredAt;
  if (!isBegunBySlip)
    return { held: needed === null ? held : { ...held, wish: needed.wish }, isWaiting: false };
  if (needed !== null) return { held: needed, isWaiting: false };
  const isWaiting = ranMs < minimumRunMinutes * MINUTE_MS;
  return { held: isWaiting ? held : null, isWaiting };
}
