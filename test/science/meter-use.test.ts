import { describe, expect, it } from 'vitest';
import { type MeterReading, stretchesOf, usedBetween } from '#science/meter-use.ts';

const HOUR_MS = 3_600_000;
const reading = (hour: number, counter: number, more: Partial<MeterReading> = {}): MeterReading => ({
  key: 'm',
  atMs: hour * HOUR_MS,
  counter,
  factor: 1,
  change: null,
  ...more,
});
const MARKS = [6, 14, 22, 30].map((hour) => hour * HOUR_MS);
const told = (readings: readonly MeterReading[]) =>
  stretchesOf(readings, MARKS).map(({ fromMark, toMark, kwh, unknown }) => [fromMark, toMark, kwh, unknown]);

describe('what a meter used between two readings', () => {
  it('is the difference of the counter, times its factor', () => {
    expect(usedBetween(reading(6, 100), reading(14, 130.5))).toEqual({ kwh: 30.5, unknown: null });
    expect(usedBetween(reading(6, 100, { factor: 40 }), reading(14, 102, { factor: 40 })).kwh).toBe(80);
  });

  it('nobody knows where it shows less than before, and nobody guesses why', () => {
    expect(usedBetween(reading(6, 99_980), reading(14, 30))).toEqual({ kwh: null, unknown: 'WENT_BACK' });
  });

  it('runs over its last digit where somebody says so', () => {
    const after = reading(14, 30, { change: 'ROLLED_OVER' });
    expect(usedBetween(reading(6, 99_980), after)).toEqual({ kwh: 50, unknown: null });
    expect(usedBetween(reading(6, 999_995.5), reading(14, 4, { change: 'ROLLED_OVER' })).kwh).toBe(8.5);
  });

  it('nobody knows where another meter hangs there, or its factor is another', () => {
    const other = reading(14, 2_000, { change: 'CHANGED' });
    expect(usedBetween(reading(6, 100), other)).toEqual({ kwh: null, unknown: 'CHANGED' });
    expect(usedBetween(reading(6, 100), reading(14, 130, { factor: 40 })).unknown).toBe('CHANGED');
  });
});

describe('shifts of a meter', () => {
  it('are the time between the readings nearest to their changes', () => {
    expect(told([reading(5.8, 100), reading(14.5, 140), reading(22, 200)])).toEqual([
      [0, 1, 40, null],
      [1, 2, 60, null],
    ]);
  });

  it('stay together where a reading is missing: nothing is shared out, and nothing is zero', () => {
    expect(told([reading(6, 100), reading(22, 200), reading(30, 210)])).toEqual([
      [0, 2, 100, null],
      [2, 3, 10, null],
    ]);
  });

  it('a reading in between belongs to none, but what is unknown there is unknown of the whole', () => {
    expect(told([reading(6, 100), reading(10, 120), reading(14, 140)])).toEqual([[0, 1, 40, null]]);
    expect(told([reading(6, 100), reading(10, 5, { change: 'CHANGED' }), reading(14, 25)])).toEqual([
      [0, 1, null, 'CHANGED'],
    ]);
  });

  it('of two readings at one change the nearer one counts', () => {
    expect(told([reading(6, 100), reading(13, 130), reading(14.2, 141)])).toEqual([[0, 1, 41, null]]);
  });
});
