import type { ProbeParameter, Quality, QualityReason } from '#contract/resources/probes.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { Water } from '#science/water-limits.ts';
import type { Decoded } from './decode-registers.ts';
import { NOTHING_MEASURED, type WaterValues } from './water-values.ts';

export type JudgedValue = {
  parameter: ProbeParameter;
  value: number | null;
  quality: Exclude<Quality, 'stale'>;
  reason: QualityReason | null;
};

/** What is remembered of one value of one probe. Times on the clock that only grows. */
export type ValueMemory = {
  last: number;
  /** When it last became another value. */
  changedAt: number;
  /** The last value that was believed. */
  believed: number | null;
  believedAt: number;
  /** Where it may have leapt to, and how often in a row it was seen there. */
  leap: { to: number; seen: number } | null;
};

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A change between two readings that water does not make; seen three times in a row it is believed all the same. */
const LEAPS: Readonly<Partial<Record<ProbeParameter, number>>> = {
  dissolved_oxygen: 2,
  oxygen_saturation: 30,
  temperature: 3,
  ph: 1,
  salinity: 8,
  conductivity: 12,
};
const SEEN_TO_BELIEVE = 3;
/** After that long without a reading there is nothing to leap from. */
const LEAP_WITHIN_MS = 10 * MINUTE_MS;

/** Values that always move a little where there is life; salinity may well stand still for days. */
const STANDS_STILL_AFTER_MS: Readonly<Partial<Record<ProbeParameter, number>>> = {
  dissolved_oxygen: 6 * HOUR_MS,
  oxygen_saturation: 6 * HOUR_MS,
  ph: 6 * HOUR_MS,
  temperature: 12 * HOUR_MS,
};

/** Judges the values of one reading; `memory` is changed to what is to be remembered. */
export function judgeValues(
  water: Water,
  memory: Map<ProbeParameter, ValueMemory>,
  decoded: readonly Decoded[],
  monotonic: number,
): JudgedValue[] {
  const doubted = implausible(water, decoded);
  return decoded.map(({ parameter, value, fault }) => {
    if (value === null) return { parameter, value, quality: 'fault', reason: 'NOT_MEASURED' };
    if (fault !== null) return { parameter, value, quality: 'fault', reason: fault };
    const next = remembered(memory.get(parameter) ?? null, parameter, value, monotonic);
    memory.set(parameter, next);
    if (doubted.has(parameter)) return { parameter, value, quality: 'suspect', reason: 'IMPLAUSIBLE' };
    if (next.leap !== null) return { parameter, value, quality: 'suspect', reason: 'LEAP' };
    if (monotonic - next.changedAt >= (STANDS_STILL_AFTER_MS[parameter] ?? Number.POSITIVE_INFINITY))
      return { parameter, value, quality: 'suspect', reason: 'STANDS_STILL' };
    return { parameter, value, quality: 'good', reason: null };
  });
}

function remembered(
  before: ValueMemory | null,
  parameter: ProbeParameter,
  value: number,
  at: number,
): ValueMemory {
  const changedAt = before === null || before.last !== value ? at : before.changedAt;
  const leap = leapOf(before, parameter, value, at);
  return leap === null
    ? { last: value, changedAt, believed: value, believedAt: at, leap }
    : {
        last: value,
        changedAt,
        believed: before?.believed ?? null,
        believedAt: before?.believedAt ?? at,
        leap,
      };
}

function leapOf(before: ValueMemory | null, parameter: ProbeParameter, value: number, at: number) {
  const most = LEAPS[parameter];
  if (before === null || most === undefined || before.believed === null) return null;
  if (at - before.believedAt > LEAP_WITHIN_MS || Math.abs(value - before.believed) <= most) return null;
  const isSameLeap = before.leap !== null && Math.abs(value - before.leap.to) <= most / 2;
  const seen = isSameLeap && before.leap !== null ? before.leap.seen + 1 : 1;
  return seen >= SEEN_TO_BELIEVE ? null : { to: value, seen };
}

function implausible(water: Water, decoded: readonly Decoded[]): ReadonlySet<ProbeParameter> {
  const sample: WaterValues = { ...NOTHING_MEASURED };
  for (const { parameter, value, fault } of decoded) {
    if (fault === null && parameter in sample) Object.assign(sample, { [parameter]: value });
  }
  return new Set(implausibilitiesOf(water, sample).map(({ parameter }) => parameter));
}
