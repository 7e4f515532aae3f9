import { SCIENCE_DEFAULTS, type ScienceConstants } from '#science/constants.ts';

export type Overrides = Readonly<Record<string, unknown>>;

/** The figures that hold on a farm: its own where it has set some, else the defaults. */
export function mergedConstants(overrides: Overrides | null): ScienceConstants {
  if (overrides === null) return SCIENCE_DEFAULTS;
  // laid over the defaults key by key, nothing of another kind is taken: the shape stays that of the defaults
  const laid = merged(SCIENCE_DEFAULTS, inTodaysNames(overrides)) as ScienceConstants;
  return stoppingAlike(laid, overrides);
}

/** The oxygen at and below which a table of the ration allows no feed, mg/L; null: it always allows some. */
export function feedStopsAt({
  oxygenFactor,
}: Pick<ScienceConstants['feeding'], 'oxygenFactor'>): number | null {
  return oxygenFactor.findLast(({ factor }) => factor <= 0)?.at ?? null;
}

/**
 * The alarm says at which oxygen feeding stops, and the ration stops there: what a farm has set of the two leads the other; of
 * two that differ the stricter holds.
 */
function stoppingAlike(constants: ScienceConstants, own: Overrides): ScienceConstants {
  const { water, feeding } = constants;
  const [alarm, ration] = [water.criticalOxygenMgL, feedStopsAt(feeding)];
  if (alarm === ration) return constants;
  const { ofAlarm, ofRation } = setOfOxygen(own);
  const leads = ofAlarm === ofRation ? Math.max(alarm, ration ?? alarm) : ofAlarm ? alarm : (ration ?? alarm);
  const fed = feeding.oxygenFactor.filter(({ at, factor }) => at > leads && factor > 0);
  return {
    ...constants,
    water: { ...water, criticalOxygenMgL: leads },
    feeding: { ...feeding, oxygenFactor: [{ at: leads, factor: 0 }, ...fed] },
  };
}

/** Which of the two a farm has set. */
export function setOfOxygen({ water, feeding }: Overrides): { ofAlarm: boolean; ofRation: boolean } {
  return {
    ofAlarm: isTable(water) && 'criticalOxygenMgL' in water,
    ofRation: isTable(feeding) && 'oxygenFactor' in feeding,
  };
}

/** An ordinary forecast of the dawn looks ahead from 21:00 to 06:00. */
const FORECAST_HOURS = 9;

/** Figures under the names of today: the error of a forecast was one of all hours, and is one of each hour ahead. */
export function inTodaysNames(overrides: Overrides): Overrides {
  const { aeration } = overrides;
  if (!isTable(aeration) || !isTable(aeration['forecast'])) return overrides;
  const { methodErrorMgL: ofAllHours, ...forecast } = aeration['forecast'];
  if (typeof ofAllHours !== 'number') return overrides;
  const perHour = Math.round((ofAllHours / FORECAST_HOURS) * 10_000) / 10_000;
  return {
    ...overrides,
    aeration: { ...aeration, forecast: { methodErrorMgLPerHour: perHour, ...forecast } },
  };
}

/** Paths of figures a farm has set that nothing here reads: another version of the program knows them. */
export function unknownIn(overrides: Overrides, known: unknown = SCIENCE_DEFAULTS, path = ''): string[] {
  return Object.entries(overrides).flatMap(([name, own]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const default_ = isTable(known) ? known[name] : undefined;
    if (isTable(default_) && isTable(own)) return unknownIn(own, default_, here);
    const isRead = Array.isArray(default_) ? Array.isArray(own) : typeof own === typeof default_;
    return default_ !== undefined && isRead ? [] : [here];
  });
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
