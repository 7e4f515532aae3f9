import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import type { WaterSeverity } from '#science/severity.ts';
import type { Water, WaterAlertType } from '#science/water-limits.ts';
import { gradedViolations } from '#science/water-status.ts';
import {
  fitsMeasurement,
  isWaterField,
  type JudgedValue,
  medianOf,
  NOTHING_MEASURED,
  type WaterValues,
} from './decode-registers.ts';

// What the probes of one pond said, until it becomes a measurement. Pure; times on the clock that only grows, ms.

export type PondWater = {
  /** Good values since the window began, by probe and field. */
  window: Map<string, Map<WaterField, number[]>>;
  windowFrom: number | null;
  /** When the last good value came. */
  heardAt: number;
  /** The last good samples of each probe, newest last. */
  latest: Map<string, WaterValues[]>;
  /** What the last measurement said; null: none since the program started. */
  told: { at: number; oxygen: number | null; violations: ReadonlyMap<WaterAlertType, WaterSeverity> } | null;
};

export const WINDOW_MS = 5 * 60_000;
/** A value beyond its limit must be seen that often in a row before anybody is woken. */
const SEEN_TO_TELL = 3;
/** Samples of one field kept in a window, most: five minutes, one every two seconds, and the quick ones. */
const MOST_SAMPLES = 200;
/** A change that the aeration should not wait five minutes for, mg/L. */
const OXYGEN_MOVED_MG_L = 0.5;
const MOVED_EVERY_MS = 60_000;

export const newPondWater = (): PondWater => ({
  window: new Map(),
  windowFrom: null,
  heardAt: 0,
  latest: new Map(),
  told: null,
});

/**
 * Takes a sample of a probe. `record`: values to store now, because a limit is crossed, oxygen moved or nothing is known
 * yet. `again`: the probe should be read again at once, to see whether it stays so.
 */
export function hearSample(
  pond: PondWater,
  { water, monotonic }: { water: Water; monotonic: number },
  probeId: string,
  values: readonly JudgedValue[],
): { record: WaterValues | null; again: boolean } {
  const sample = goodOf(values);
  const leaps = values.some(({ reason }) => reason === 'LEAP');
  if (sample === null) return { record: null, again: leaps };
  keep(pond, probeId, sample, monotonic);
  const latest = pond.latest.get(probeId) ?? [];
  const isSeen = latest.length >= SEEN_TO_TELL;
  // what it is after a start may be an alarm already
  if (pond.told === null) return { record: isSeen ? medianOfSamples(latest) : null, again: leaps || !isSeen };
  const isUrgent = latest.every((one) => tellsNews(pond, water, one, monotonic));
  if (isUrgent && isSeen) return { record: medianOfSamples(latest), again: leaps };
  return { record: null, again: leaps || tellsNews(pond, water, sample, monotonic) };
}

/** The medians of a window that is over; null: it is not, or there is nothing in it. */
export function windowDue(pond: PondWater, monotonic: number): WaterValues | null {
  if (pond.windowFrom === null || monotonic - pond.windowFrom < WINDOW_MS) return null;
  const values: WaterValues = { ...NOTHING_MEASURED };
  for (const field of WATER_FIELDS) {
    const medians = [...pond.window.values()].flatMap((fields) => medianOf(fields.get(field) ?? []) ?? []);
    // of several places in a pond the one with the least oxygen counts
    values[field] =
      field === 'dissolved_oxygen' ? (medians.toSorted((a, b) => a - b)[0] ?? null) : medianOf(medians);
  }
  return hasAny(values) ? values : null;
}

/** Notes what was stored. */
export function noteTold(
  pond: PondWater,
  { water, monotonic }: { water: Water; monotonic: number },
  values: WaterValues,
  isWindow: boolean,
): void {
  const found = new Map(gradedViolations(water, values, null).map(({ type, severity }) => [type, severity]));
  const before = pond.told?.violations ?? new Map<WaterAlertType, WaterSeverity>();
  // a row of one probe says nothing about what others found
  const kept = isWindow ? [] : [...before].filter(([type]) => !found.has(type));
  pond.told = {
    at: monotonic,
    oxygen: values.dissolved_oxygen ?? pond.told?.oxygen ?? null,
    violations: new Map([...kept, ...found]),
  };
  // a median of what came before must not follow what has just been told
  pond.window.clear();
  pond.windowFrom = null;
}

function goodOf(values: readonly JudgedValue[]): WaterValues | null {
  const sample: WaterValues = { ...NOTHING_MEASURED };
  for (const { parameter, value, quality } of values) {
    if (quality === 'good' && value !== null && isWaterField(parameter) && fitsMeasurement(parameter, value))
      sample[parameter] = value;
  }
  return hasAny(sample) ? sample : null;
}

function keep(pond: PondWater, probeId: string, sample: WaterValues, monotonic: number): void {
  pond.windowFrom ??= monotonic;
  pond.heardAt = monotonic;
  const fields = pond.window.get(probeId) ?? new Map<WaterField, number[]>();
  pond.window.set(probeId, fields);
  for (const field of WATER_FIELDS) {
    const value = sample[field];
    if (value !== null) fields.set(field, [...(fields.get(field) ?? []), value].slice(-MOST_SAMPLES));
  }
  pond.latest.set(probeId, [...(pond.latest.get(probeId) ?? []), sample].slice(-SEEN_TO_TELL));
}

const RANK: Readonly<Record<WaterSeverity, number>> = { LOW: 0, MEDIUM: 1, HIGH: 2 };

/** A limit crossed that the last measurement did not tell of, or oxygen that moved since. */
function tellsNews(pond: PondWater, water: Water, sample: WaterValues, monotonic: number): boolean {
  const { told } = pond;
  if (told === null) return false;
  const isWorse = gradedViolations(water, sample, null).some(({ type, severity }) => {
    const known = told.violations.get(type);
    return known === undefined || RANK[severity] > RANK[known];
  });
  if (isWorse) return true;
  const { dissolved_oxygen } = sample;
  const moved =
    dissolved_oxygen !== null && told.oxygen !== null ? Math.abs(dissolved_oxygen - told.oxygen) : 0;
  return moved >= OXYGEN_MOVED_MG_L && monotonic - told.at >= MOVED_EVERY_MS;
}

function medianOfSamples(samples: readonly WaterValues[]): WaterValues {
  const values: WaterValues = { ...NOTHING_MEASURED };
  for (const field of WATER_FIELDS)
    values[field] = medianOf(samples.flatMap((sample) => sample[field] ?? []));
  return values;
}

const hasAny = (values: WaterValues): boolean => WATER_FIELDS.some((field) => values[field] !== null);
