import { type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { type Night, nightAround, type Position } from '#science/night.ts';
import type { FarmPlace } from './ports.ts';

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
