import { nightBySun } from '#science/night.ts';
import { isNight } from './freshness.ts';

/** Degrees as the gateway tells them; null where nobody said where the farm is. */
type Place = { lat: string | null; lng: string | null };

/** Whether it is dark at the farm: from sunset to sunrise where it is known to lie, else from 18 to 6 by its clock. */
export function isDarkAt(place: Place | null, at: number, clockHour: number): boolean {
  const position = place === null ? null : positionOf(place);
  return (position === null ? null : nightBySun(position, at))?.isNight ?? isNight(clockHour);
}

function positionOf({ lat, lng }: Place): { latitude: number; longitude: number } | null {
  if (lat === null || lng === null) return null;
  const [latitude, longitude] = [Number(lat), Number(lng)];
  return Number.isFinite(latitude) && Number.isFinite(longitude) ? { latitude, longitude } : null;
}
