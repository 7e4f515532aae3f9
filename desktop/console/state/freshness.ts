// How old a value may be before nobody should act on it. Pure: ages in milliseconds come in.

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;
const D = 24 * H;

export type Freshness = 'fresh' | 'ageing' | 'stale';

/** What kinds of values there are, by how they come. */
export const FRESH_FOR = {
  /** Reports of a controller: every 30 s. */
  report: { fresh: 60 * S, ageing: 90 * S },
  oxygenByNight: { fresh: 2 * H, ageing: 4 * H },
  oxygenByDay: { fresh: 4 * H, ageing: 8 * H },
  /** Temperature, pH, salinity: measured by hand. */
  water: { fresh: 8 * H, ageing: 24 * H },
  /** Ammonia, nitrite, alkalinity: kits, once a week. */
  chemistry: { fresh: 7 * D, ageing: 14 * D },
  /** Weight, biomass, FCA and advice rest on the last biometry. */
  biometry: { fresh: 7 * D, ageing: 10 * D },
} as const;
export type Kind = keyof typeof FRESH_FOR;

export function freshnessOf(kind: Kind, ageMs: number | null): Freshness {
  if (ageMs === null) return 'stale';
  const { fresh, ageing } = FRESH_FOR[kind];
  return ageMs <= fresh ? 'fresh' : ageMs <= ageing ? 'ageing' : 'stale';
}

/** Night is when oxygen falls: 18 to 6 by the farm's clock. */
export const isNight = (hour: number): boolean => hour >= 18 || hour < 6;

export type Link = 'connecting' | 'live' | 'late' | 'lost';

/** The event stream sends something at least every 5 s. It is looked at every second: at twelve it is seen to be lost. */
export function linkOf(silentForMs: number | null, isKnown: boolean): Link {
  if (silentForMs === null) return 'connecting';
  if (silentForMs > 11 * S) return 'lost';
  if (silentForMs > 8 * S) return 'late';
  return isKnown ? 'live' : 'connecting';
}
