import type { WaterField } from '#contract/resources/water-quality.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import { violationsOf, WATER_PARAMETERS, type Water, type WaterSample } from '#science/water-limits.ts';

// What is typed in a round, judged before it leaves: nobody may be told of 40,2 mg/L because a comma slipped. By the same
// rules as the gateway's, so that it raises an alarm exactly where it says so. Pure.

export type Judged =
  | { is: 'empty' }
  /** Cannot be read for certain. */
  | { is: 'unclear' }
  | { is: 'impossible'; low: number; high: number }
  | {
      is: 'value';
      value: number;
      /** null: the limits of the farm are not known yet. */
      raisesAlarm: boolean | null;
      /** More likely a slip than a truth, and nobody has said that it is right: it does not leave. */
      isDoubtful: boolean;
      /** Worth a second look, but it leaves. */
      isBigChange: boolean;
    };
export type JudgedPond = Readonly<Record<WaterField, Judged>>;

export type Known = {
  /** What holds on the farm; null: it has not answered yet. */
  water: Water | null;
  /** What each parameter can be at all. */
  ranges: Readonly<Record<WaterField, readonly [number, number]>>;
  last: Readonly<Partial<Record<WaterField, number | null>>>;
  /** Unlikely ones that somebody said are right. */
  sure: ReadonlySet<WaterField>;
};

/** A change by more than half of the value is worth a second look. */
const BIG_SHARE = 0.5;
/** Below this much a change is none, whatever its share. */
const LEAST = 0.2;
/** A comma that slipped makes ten of one, or one of ten. */
const SLIP_TIMES = 8;

/** What stands in the fields of a pond; null: nothing, NaN: what cannot be read. */
export function judgePond(typed: (field: WaterField) => number | null, known: Known): JudgedPond {
  const fields = WATER_PARAMETERS.map(
    (field) => [field, rangeOf(typed(field), known.ranges[field])] as const,
  );
  const sample = Object.fromEntries(
    fields.map(([field, judged]) => [field, judged.is === 'value' ? judged.value : null]),
    // every parameter is in the list
  ) as WaterSample;
  const { water } = known;
  const alarming =
    water === null ? null : new Set(violationsOf(water, sample).map(({ parameter }) => parameter));
  const unlikely = new Set<WaterField>(unlikelyIn(water, sample).map(({ parameter }) => parameter));
  return Object.fromEntries(
    fields.map(([field, judged]) => {
      if (judged.is !== 'value') return [field, judged];
      const { value } = judged;
      const last = known.last[field] ?? null;
      return [
        field,
        {
          is: 'value',
          value,
          raisesAlarm: alarming?.has(field) ?? null,
          isDoubtful: (unlikely.has(field) || isSlip(value, last)) && !known.sure.has(field),
          isBigChange: isBigChange(value, last),
        },
      ];
    }),
  ) as JudgedPond;
}

/** Where the farm has not answered, what no pond has is asked back all the same; ammonia not, whose basis is not known. */
function unlikelyIn(water: Water | null, sample: WaterSample) {
  return implausibilitiesOf(water ?? SCIENCE_DEFAULTS.water, {
    ...sample,
    ammonia: water === null ? null : sample.ammonia,
  });
}

type Ranged = Extract<Judged, { is: 'empty' | 'unclear' | 'impossible' }> | { is: 'value'; value: number };

function rangeOf(typed: number | null, [low, high]: readonly [number, number]): Ranged {
  if (typed === null) return { is: 'empty' };
  if (Number.isNaN(typed)) return { is: 'unclear' };
  return typed < low || typed > high ? { is: 'impossible', low, high } : { is: 'value', value: typed };
}

const isBigChange = (value: number, last: number | null): boolean =>
  last !== null && Math.abs(value - last) > Math.max(Math.abs(last), LEAST) * BIG_SHARE;

const isSlip = (value: number, last: number | null): boolean =>
  last !== null &&
  value > 0 &&
  last > 0 &&
  Math.abs(value - last) > LEAST &&
  (value >= last * SLIP_TIMES || last >= value * SLIP_TIMES);

export const isSendable = (judged: readonly Judged[]): boolean =>
  judged.some(({ is }) => is === 'value') &&
  judged.every((each) => each.is === 'empty' || (each.is === 'value' && !each.isDoubtful));
