import { type Night, nightBySun } from '#science/night.ts';
import { isNight } from './freshness.ts';

/** Degrees as the gateway tells them; null where nobody said where the farm is. */
export type Place = { lat: string | null; lng: string | null };

/** Whether it is dark at the farm: from sunset to sunrise where it is known to lie, else from 18 to 6 by its clock. */
export function isDarkAt(place: Place, at: number, clockHour: number): boolean {
  return nightOf(place, at)?.isNight ?? isNight(clockHour);
}

/** The night at an instant or the next one, by the sun; null where it is not known where the farm lies. */
export function nightOf({ lat, lng }: Place, at: number): Night | null {
  if (lat === null || lng === null) return null;
  const [latitude, longitude] = [Number(lat), Number(lng)];
  return Number.isFinite(latitude) && Number.isFinite(longitude)
    ? nightBySun({ latitude, longitude }, at)
    : null;
}
