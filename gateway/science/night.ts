import type { ScienceConstants } from './constants.ts';

type Aeration = ScienceConstants['aeration'];

/** Degrees; north and east positive. */
export type Position = { latitude: number; longitude: number };

/** Where a farm's sun rises: its position, or for want of one the offset of its clock. */
export type SunPlace = { position: Position | null; utcOffsetMinutes: number };

/** The night that holds an instant, or by day the one that follows. Times in ms since 1970. */
export type Night = { isNight: boolean; duskMs: number; dawnMs: number };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Sun's upper edge on the horizon, with refraction: 90.833° from the zenith. */
const HORIZON_DEGREES = 90.833;

/**
 * The night around an instant: sunset to sunrise at the farm's position, or the fixed hours of the constants by local
 * time where the position is unknown or lies beyond the polar circles on that day.
 */
export function nightAround(aeration: Aeration, place: SunPlace, atMs: number): Night {
  const night = place.position === null ? null : nightBySun(place.position, atMs);
  return night ?? nightByClock(aeration, place.utcOffsetMinutes, atMs);
}

/**
 * Sunrise and sunset of the day whose noon at this longitude is nearest to `noonMs` (ms since 1970), by the equations of
 * NOAA's solar calculator (Meeus, Astronomical Algorithms); within a minute or two of almanacs below 60° of latitude.
 * Null where the sun does not rise or set.
 */
export function sunTimes(position: Position, noonMs: number): { sunriseMs: number; sunsetMs: number } | null {
  const { declination, equationOfTimeMinutes } = sunAt(noonMs);
  const latitude = radians(position.latitude);
  const cosine =
    Math.cos(radians(HORIZON_DEGREES)) / (Math.cos(latitude) * Math.cos(declination)) -
    Math.tan(latitude) * Math.tan(declination);
  if (cosine < -1 || cosine > 1) return null;
  const halfDayMinutes = 4 * degrees(Math.acos(cosine));
  const solarDay = Math.floor((noonMs + position.longitude * 4 * MINUTE_MS) / DAY_MS) * DAY_MS;
  const solarNoonMs = solarDay + (720 - 4 * position.longitude - equationOfTimeMinutes) * MINUTE_MS;
  return {
    sunriseMs: solarNoonMs - halfDayMinutes * MINUTE_MS,
    sunsetMs: solarNoonMs + halfDayMinutes * MINUTE_MS,
  };
}

/** The night around an instant, sunset to sunrise; null beyond the polar circles on days without one of them. */
export function nightBySun(position: Position, atMs: number): Night | null {
  const solarOffsetMs = position.longitude * 4 * MINUTE_MS;
  const noonMs = Math.floor((atMs + solarOffsetMs) / DAY_MS) * DAY_MS + DAY_MS / 2 - solarOffsetMs;
  const today = sunTimes(position, noonMs);
  const before = sunTimes(position, noonMs - DAY_MS);
  const after = sunTimes(position, noonMs + DAY_MS);
  if (today === null || before === null || after === null) return null;
  if (atMs < today.sunriseMs) return { isNight: true, duskMs: before.sunsetMs, dawnMs: today.sunriseMs };
  return { isNight: atMs >= today.sunsetMs, duskMs: today.sunsetMs, dawnMs: after.sunriseMs };
}

function nightByClock({ fixedNight }: Aeration, utcOffsetMinutes: number, atMs: number): Night {
  const offsetMs = utcOffsetMinutes * MINUTE_MS;
  const midnightMs = Math.floor((atMs + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
  const duskMs = midnightMs + sinceMidnightMs(fixedNight.dusk);
  const dawnMs = midnightMs + sinceMidnightMs(fixedNight.dawn);
  if (atMs < dawnMs) return { isNight: true, duskMs: duskMs - DAY_MS, dawnMs };
  return { isNight: atMs >= duskMs, duskMs, dawnMs: dawnMs + DAY_MS };
}

/** Declination (radians) and equation of time (minutes); Meeus chapters 22, 25 and 28 in NOAA's short form. */
function sunAt(atMs: number): { declination: number; equationOfTimeMinutes: number } {
  const centuries = (atMs / DAY_MS + 2_440_587.5 - 2_451_545) / 36_525;
  const meanLongitude = radians(280.46646 + centuries * (36_000.76983 + centuries * 0.0003032));
  const anomaly = radians(357.52911 + centuries * (35_999.05029 - 0.0001537 * centuries));
  const eccentricity = 0.016708634 - centuries * (0.000042037 + 0.0000001267 * centuries);
  const center =
    Math.sin(anomaly) * (1.914602 - centuries * (0.004817 + 0.000014 * centuries)) +
    Math.sin(2 * anomaly) * (0.019993 - 0.000101 * centuries) +
    Math.sin(3 * anomaly) * 0.000289;
  const node = radians(125.04 - 1934.136 * centuries);
  const apparentLongitude = meanLongitude + radians(center - 0.00569 - 0.00478 * Math.sin(node));
  const meanObliquity =
    23 + (26 + (21.448 - centuries * (46.815 + centuries * (0.00059 - centuries * 0.001813))) / 60) / 60;
  const obliquity = radians(meanObliquity + 0.00256 * Math.cos(node));
  const y = Math.tan(obliquity / 2) ** 2;
  const equationOfTime =
    y * Math.sin(2 * meanLongitude) -
    2 * eccentricity * Math.sin(anomaly) +
    4 * eccentricity * y * Math.sin(anomaly) * Math.cos(2 * meanLongitude) -
    0.5 * y ** 2 * Math.sin(4 * meanLongitude) -
    1.25 * eccentricity ** 2 * Math.sin(2 * anomaly);
  return {
    declination: Math.asin(Math.sin(obliquity) * Math.sin(apparentLongitude)),
    equationOfTimeMinutes: 4 * degrees(equationOfTime),
  };
}

function sinceMidnightMs(time: string): number {
  return Date.parse(`1970-01-01T${time}:00Z`);
}

function radians(angle: number): number {
  return (angle * Math.PI) / 180;
}

function degrees(angle: number): number {
  return (angle * 180) / Math.PI;
}
