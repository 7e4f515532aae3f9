import { SCIENCE_DEFAULTS, type ScienceConstants } from '#science/constants.ts';

export type Overrides = Readonly<Record<string, unknown>>;

/** The figures that hold on a farm: its own where it has set some, else the defaults. */
export function mergedConstants(overrides: Overrides | null): ScienceConstants {
  // laid over the defaults key by key, nothing of another kind is taken: the shape stays that of the defaults
  return overrides === null ? SCIENCE_DEFAULTS : (merged(SCIENCE_DEFAULTS, overrides) as ScienceConstants);
}

/**
 * Tables (lists) are replaced whole, for their points belong together. What this version does not know, or knows as
 * something else, is left out: an instance of another version may have written it.
 */
function merged(known: unknown, own: unknown): unknown {
  if (Array.isArray(known)) return Array.isArray(own) ? own : known;
  if (isTable(known)) {
    if (!isTable(own)) return known;
    return Object.fromEntries(
      Object.entries(known).map(([key, value]) => [key, key in own ? merged(value, own[key]) : value]),
    );
  }
  return typeof own === typeof known ? own : known;
}

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
