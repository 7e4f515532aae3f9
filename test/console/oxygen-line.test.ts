import { describe, expect, it } from 'vitest';
import { lineOf, piecesOf, withReading } from '../../desktop/console/state/oxygen-line.ts';
import { gapsIn } from '../../desktop/console/state/water-span.ts';

const MIN = 60_000;
const H = 60 * MIN;
const T0 = Date.UTC(2026, 2, 3);

/** A probe that writes every five minutes. */
const probe = (hours: number, valueAt: (at: number) => number) =>
  Array.from({ length: (hours * H) / (5 * MIN) }, (_, n) => {
    const at = T0 + n * 5 * MIN;
    const value = valueAt(at);
    return { at, average: value, low: value, high: value };
  });

describe('the oxygen of a day', () => {
  it('shows a dip of ten minutes in the night, twenty hours ago', () => {
    const dipAt = T0 + 4 * H;
    const { quarters, last } = lineOf(probe(24, (at) => (Math.abs(at - dipAt) <= 5 * MIN ? 1.2 : 6)));
    expect(quarters).toHaveLength(24 * 4);
    expect(Math.min(...quarters.map(({ low }) => low))).toBe(1.2);
    const values = piecesOf(quarters).flat();
    expect(values.filter(({ value }) => value === 1.2).length).toBeGreaterThan(0);
    expect(last).toEqual({ at: T0 + 24 * H - 5 * MIN, value: 6, isExact: true });
  });

  it('takes a reading once however often it is told, and forgets what is older than a day', () => {
    const line = lineOf(probe(24, () => 6));
    const at = T0 + 24 * H;
    const once = withReading(line, at, 4.5);
    expect(once.last).toEqual({ at, value: 4.5, isExact: true });
    expect(withReading(once, at, 4.5)).toEqual(once);
    const dayLater = withReading(once, at + 30 * H, 5);
    expect(dayLater.quarters.map((quarter) => quarter.at)).toEqual([at + 30 * H]);
    // entered late: it belongs where it was measured
    expect(withReading(once, at - H, 3).last).toEqual(once.last);
  });

  it('breaks where a probe was silent, and not between people who measure three times a day', () => {
    const silent = probe(24, () => 6).filter(({ at }) => at < T0 + 10 * H || at > T0 + 13 * H);
    expect(piecesOf(lineOf(silent).quarters)).toHaveLength(2);
    const byHand = [6, 12, 18, 30, 36, 42, 54, 60, 66, 78, 84].map((hour) => T0 + hour * H);
    expect(gapsIn(byHand)).toEqual([]);
    // of a few readings nobody knows how often there should be one
    expect(gapsIn([0, 5 * MIN, 10 * MIN, 8 * H])).toEqual([]);
  });
});
