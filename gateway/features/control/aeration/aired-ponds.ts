import { aerator } from '#contract/resources/aerators.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { pond } from '#contract/resources/ponds.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import { type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import type { PondHeld, PondLoop, PondLoopFacts } from '#science/closed-loop.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { type Night, nightAround, type Position } from '#science/night.ts';
import type { ControlView } from '../control-view.ts';
import type { AiredPond, FarmPlace } from './ports.ts';

/** One pond as one control point follows it. */
export type PondOfPoint = {
  pondId: string;
  pondCod: string;
  levels: PondLoopFacts['levels'];
  /** False where the control point only joins in when the pond is in an emergency by another one's level. */
  isFollowed: boolean;
  /** What the pond asks for, and since when on the monotonic clock. */
  held: PondHeld | null;
  last: PondLoop | null;
  /** Its hold was worked out from stored readings. */
  isReplayed: boolean;
};

/** A control point that oxygen can switch. */
export type OxygenPoint = { id: string; cod: string; farmId: string; ponds: readonly PondOfPoint[] };

/**
 * The control points that oxygen can switch: those with set points of their own, and those that air a pond for which
 * another one has an emergency level. What a pond asked for so far goes on, but for levels a person has taken back.
 */
export function oxygenPoints(
  views: Iterable<ControlView>,
  byAerators: readonly AiredPond[],
  before: ReadonlyMap<string, OxygenPoint>,
): Map<string, OxygenPoint> {
  // a siren airs nothing, whatever another instance has made of its ponds
  const all = [...views].filter(({ row }) => !row.is_siren);
  const pondsByPoint = airedPonds(all, byAerators);
  const emergencyByPond = new Map<string, number>();
  for (const { row } of all) {
    if (row.do_emergency === null) continue;
    for (const { id } of pondsByPoint.get(row.id) ?? []) {
      emergencyByPond.set(id, Math.max(row.do_emergency, emergencyByPond.get(id) ?? 0));
    }
  }
  const points = new Map<string, OxygenPoint>();
  for (const { row } of all) {
    const known = before.get(row.id);
    const isFollowed = row.do_on !== null || row.do_emergency !== null;
    const ponds = (pondsByPoint.get(row.id) ?? []).flatMap(({ id, cod }): PondOfPoint[] => {
      const emergencyMgL = emergencyByPond.get(id) ?? null;
      if (!isFollowed && emergencyMgL === null) return [];
      const levels = { onMgL: row.do_on, offMgL: row.do_off, emergencyMgL };
      const own = known?.ponds.find(({ pondId }) => pondId === id);
      return [
        {
          pondId: id,
          pondCod: cod,
          levels,
          isFollowed,
          held: own === undefined ? null : stillHeld(own.held, levels),
          last: own?.last ?? null,
          isReplayed: own?.isReplayed ?? false,
        },
      ];
    });
    if (ponds.length > 0) points.set(row.id, { id: row.id, cod: row.cod, farmId: row.farm_id, ponds });
  }
  return points;
}

function airedPonds(views: readonly ControlView[], byAerators: readonly AiredPond[]) {
  const pondsByPoint = new Map(views.map(({ row, ponds }) => [row.id, [...ponds]]));
  for (const { controlPointId, pondId, cod } of byAerators) {
    const ponds = pondsByPoint.get(controlPointId);
    if (ponds !== undefined && !ponds.some(({ id }) => id === pondId)) ponds.push({ id: pondId, cod });
  }
  return pondsByPoint;
}

/** A person who takes a level back means it: what it alone held is let go. */
function stillHeld(held: PondHeld | null, { onMgL, emergencyMgL }: PondOfPoint['levels']): PondHeld | null {
  if (onMgL !== null) return held;
  return held?.wish === 'EMERGENCY' && emergencyMgL !== null ? held : null;
}

/** The tables that say which control point airs which pond. */
export const AIRING = [controlPoint, pond, aerator];

/** Whether a unit may have changed which control point airs which pond, or its set points. */
export function changesWhoAirs(committed: Committed): boolean {
  return (
    rowsOf(committed, controlPoint).some(
      ({ before, after, hidden }) =>
        before === null ||
        hidden ||
        before.do_on !== after.do_on ||
        before.do_off !== after.do_off ||
        before.do_emergency !== after.do_emergency ||
        before.device_id !== after.device_id ||
        before.owner_id !== after.owner_id ||
        before.cod !== after.cod,
    ) ||
    rowsOf(committed, pond).some(
      ({ before, after, hidden }) =>
        before === null ||
        hidden ||
        before.control_point_id !== after.control_point_id ||
        before.cod !== after.cod,
    ) ||
    rowsOf(committed, aerator).some(
      ({ before, after, hidden }) =>
        before === null || hidden || before.device_id !== after.device_id || before.pond_id !== after.pond_id,
    )
  );
}

type Place = { position: Position | null; clock: ZoneClock };

/** The nights of farms by their sun, each looked up once. */
export function createFarmNights() {
  const placesByFarm = new Map<string, Place>();
  const knownByFarm = new Map<string, { from: number; to: number; isNight: boolean }>();

  function nightOf(aeration: ScienceConstants['aeration'], farmId: string, atMs: number): Night | null {
    const place = placesByFarm.get(farmId);
    return place === undefined ? null : nightAt(aeration, place, atMs);
  }

  return {
    keep(farm: FarmPlace): void {
      placesByFarm.set(farm.id, placeOf(farm));
      knownByFarm.delete(farm.id);
    },
    drop(farmId: string): void {
      placesByFarm.delete(farmId);
      knownByFarm.delete(farmId);
    },
    nightOf,
    /** True also where the farm is not known. */
    isNight(aeration: ScienceConstants['aeration'], farmId: string, atMs: number): boolean {
      const known = knownByFarm.get(farmId);
      if (known !== undefined && atMs >= known.from && atMs < known.to) return known.isNight;
      const night = nightOf(aeration, farmId, atMs);
      if (night === null) return true;
      const { isNight, duskMs, dawnMs } = night;
      knownByFarm.set(
        farmId,
        isNight ? { from: duskMs, to: dawnMs, isNight } : { from: atMs, to: duskMs, isNight },
      );
      return isNight;
    },
    /** After a change of the constants. */
    forget: (farmId: string) => void knownByFarm.delete(farmId),
  };
}

export function placeOf({ zone, lat, lng }: Omit<FarmPlace, 'id'>): Place {
  const [latitude, longitude] = [Number(lat ?? Number.NaN), Number(lng ?? Number.NaN)];
  const isKnown = Number.isFinite(latitude) && Number.isFinite(longitude);
  return { position: isKnown ? { latitude, longitude } : null, clock: zoneClock(zone) };
}

export function nightAt(
  aeration: ScienceConstants['aeration'],
  { position, clock }: Place,
  atMs: number,
): Night {
  return nightAround(aeration, { position, utcOffsetMinutes: clock.offsetAt(atMs) / 60_000 }, atMs);
}
