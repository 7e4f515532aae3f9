// What is typed in a round, judged before it leaves: nobody may be told of 40,2 mg/L because a comma slipped. Pure.

export type Judged =
  | { is: 'empty' }
  /** Cannot be read for certain. */
  | { is: 'unclear' }
  | { is: 'impossible'; low: number; high: number }
  | { is: 'value'; value: number; isOutOfBand: boolean; isBigChange: boolean };

export type FieldRules = {
  range: readonly [number, number];
  band: { low: number | null; high: number | null };
};

/** A change by more than this share of the good range, or half of the value, is worth a second look. */
const BIG_SHARE = 0.5;

export function judge(typed: number | null, rules: FieldRules, last: number | null): Judged {
  if (typed === null) return { is: 'empty' };
  if (Number.isNaN(typed)) return { is: 'unclear' };
  const [low, high] = rules.range;
  if (typed < low || typed > high) return { is: 'impossible', low, high };
  const { band } = rules;
  return {
    is: 'value',
    value: typed,
    isOutOfBand: (band.low !== null && typed < band.low) || (band.high !== null && typed > band.high),
    isBigChange: last !== null && Math.abs(typed - last) > Math.max(Math.abs(last), 0.2) * BIG_SHARE,
  };
}

export const isSendable = (judged: readonly Judged[]): boolean =>
  judged.some(({ is }) => is === 'value') && judged.every(({ is }) => is === 'value' || is === 'empty');
