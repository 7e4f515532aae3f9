// What electricity meters that are read by hand say of the time between two readings.

export type MeterReading = {
  /** One meter, however its name was written. */
  key: string;
  atMs: number;
  counter: number;
  /** kWh of one unit of the counter. */
  factor: number;
  change: 'CHANGED' | 'ROLLED_OVER' | null;
};

export type MeterStretch = {
  key: string;
  fromMs: number;
  toMs: number;
  /** null: see `unknown`. */
  kwh: number | null;
  unknown: 'CHANGED' | 'WENT_BACK' | null;
};

/** What was used between a reading and the one before it, of the same meter. */
export function usedBetween(
  before: MeterReading,
  after: MeterReading,
): Pick<MeterStretch, 'kwh' | 'unknown'> {
  // the figure of a factor counts for a meter as it hangs: with another one it is another meter
  if (after.change === 'CHANGED' || before.factor !== after.factor) return { kwh: null, unknown: 'CHANGED' };
  if (after.change === 'ROLLED_OVER')
    return {
      kwh: (10 ** digitsOf(before.counter) - before.counter + after.counter) * after.factor,
      unknown: null,
    };
  if (after.counter < before.counter) return { kwh: null, unknown: 'WENT_BACK' };
  return { kwh: (after.counter - before.counter) * after.factor, unknown: null };
}

/** Before its point: a counter that runs over has shown all of them. */
const digitsOf = (counter: number): number => String(Math.floor(counter)).length;

/** A reading is of a change of shift up to so long before and after it. */
export const OFF_THE_HOUR_MS = 2 * 3_600_000;

/**
 * Stretches of one meter between the readings at the changes of shifts (`marks`, ascending), each with the places of the
 * marks at its ends. Readings in between belong to none, but what nobody can tell there nobody can tell of the whole.
 *
 * @param readings of one meter, ascending
 */
export function stretchesOf(
  readings: readonly MeterReading[],
  marks: readonly number[],
): (MeterStretch & { fromMark: number; toMark: number })[] {
  const atMark = readingAtMarks(readings, marks);
  return atMark.flatMap((here, place) => {
    const next = atMark[place + 1];
    const [before, after] = [readings[here.at], readings[next?.at ?? -1]];
    if (next === undefined || before === undefined || after === undefined) return [];
    const parts = readings.slice(here.at, next.at).flatMap((one, i) => {
      const following = readings[here.at + i + 1];
      return following === undefined ? [] : [usedBetween(one, following)];
    });
    const unknown = parts.find((part) => part.unknown !== null)?.unknown ?? null;
    return [
      {
        key: before.key,
        fromMs: before.atMs,
        toMs: after.atMs,
        kwh: unknown === null ? parts.reduce((sum, { kwh }) => sum + (kwh ?? 0), 0) : null,
        unknown,
        fromMark: here.mark,
        toMark: next.mark,
      },
    ];
  });
}

/** Of each mark the reading nearest to it, by their places. */
function readingAtMarks(
  readings: readonly MeterReading[],
  marks: readonly number[],
): { mark: number; at: number }[] {
  const nearest = new Map<number, { at: number; offMs: number }>();
  for (const [at, { atMs }] of readings.entries()) {
    const mark = marks.reduce(
      (best, ms, place) => (Math.abs(ms - atMs) < Math.abs((marks[best] ?? Infinity) - atMs) ? place : best),
      0,
    );
    const offMs = Math.abs((marks[mark] ?? Infinity) - atMs);
    if (offMs <= OFF_THE_HOUR_MS && offMs < (nearest.get(mark)?.offMs ?? Infinity))
      nearest.set(mark, { at, offMs });
  }
  return [...nearest].map(([mark, { at }]) => ({ mark, at })).toSorted((one, other) => one.mark - other.mark);
}
