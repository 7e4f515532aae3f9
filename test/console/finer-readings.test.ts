import { expect, it } from 'vitest';
import { finerPart, hidesReadings, withFiner } from '../../desktop/console/state/finer-readings.ts';
import { GAP } from '../../desktop/console/state/water-span.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const DAY = 24 * HOUR;
const MONTH = { from: 0, to: 30 * DAY };
/** What one answer tells minute by minute: 2,000 stretches, of which the last begins within. */
const BY_MINUTE = 1_999 * MIN;
const widthOf = ({ from, to }: { from: number; to: number }) => to - from;
const around = (at: number, width: number) => ({ from: at - width / 2, to: at + width / 2 });

it('a day of a month is asked for so that each of its minutes is told, with some on either side', () => {
  const day = around(10 * DAY, DAY);
  const part = finerPart(null, day, MONTH);
  if (part === null) throw new Error('nothing is asked for');
  expect(part.from).toBeLessThan(day.from);
  expect(part.to).toBeGreaterThan(day.to);
  expect(widthOf(part)).toBeLessThan(BY_MINUTE);
});

it('a small step aside asks for nothing, one beyond what is there does, and the whole needs none', () => {
  const day = around(10 * DAY, DAY);
  const part = finerPart(null, day, MONTH);
  expect(finerPart(part, { from: day.from + HOUR, to: day.to + HOUR }, MONTH)).toBe(part);
  expect(finerPart(part, around(10 * DAY, HOUR), MONTH)).toBe(part);
  expect(finerPart(part, { from: day.from + DAY, to: day.to + DAY }, MONTH)).not.toEqual(part);
  expect(finerPart(part, null, MONTH)).toBeNull();
});

it('however slowly somebody comes nearer, a day is told by its minutes', () => {
  for (const step of [1.05, 1.2, 1.5, 2]) {
    let part: { from: number; to: number } | null = null;
    for (let width = 30 * DAY; width > DAY; width /= step)
      part = finerPart(part, around(15 * DAY, width), MONTH);
    part = finerPart(part, around(15 * DAY, DAY), MONTH);
    expect(part === null ? null : widthOf(part) < BY_MINUTE).toBe(true);
  }
});

it('the part stays within what is drawn', () => {
  expect(finerPart(null, { from: 0, to: DAY }, MONTH)?.from).toBe(0);
  expect(finerPart(null, { from: 29 * DAY, to: 30 * DAY }, MONTH)?.to).toBe(30 * DAY);
});

it('readings by hand hide nothing finer, a stretch of many does, and only where it is seen', () => {
  const stretches = [
    { at: 0, min: 5, max: 5 },
    { at: DAY, min: 3, max: 7 },
    { at: 2 * DAY, min: 6, max: 6 },
  ];
  expect(hidesReadings(stretches, { from: 1.2 * DAY, to: 1.5 * DAY })).toBe(true);
  expect(hidesReadings(stretches, { from: 2.1 * DAY, to: 3 * DAY })).toBe(false);
  expect(hidesReadings(stretches.slice(0, 1), MONTH)).toBe(false);
});

/** A probe at 1 min over four hours of a month that is drawn by the hour, silent between two instants. */
function aLine(silent: { from: number; to: number }) {
  const isHeard = (at: number) => at < silent.from || at > silent.to;
  const x = Array.from({ length: 240 }, (_, n) => 10 * HOUR + n * MIN).filter(isHeard);
  const coarse = Array.from({ length: 24 }, (_, n) => n * HOUR).filter(isHeard);
  return withFiner(
    { x: coarse, values: [coarse.map(() => 5)] },
    { x, values: [x.map(() => 6)] },
    { from: 10 * HOUR, to: 14 * HOUR },
  );
}

it('finer readings stand in the place of the coarser ones, which stay on either side without a gap', () => {
  const { x, values } = aLine({ from: 0.5 * HOUR, to: 0.6 * HOUR });
  expect(x).toEqual(x.toSorted((a, b) => a - b));
  expect(x.filter((at) => at >= 10 * HOUR && at < 14 * HOUR)).toHaveLength(240);
  expect(x.filter((at) => at < 10 * HOUR)).toHaveLength(10);
  expect(x.filter((at) => at > 14 * HOUR)).toHaveLength(9);
  expect(values[0]?.some((value) => Number.isNaN(value))).toBe(false);
});

it('an outage that an hour hides is seen between minutes, and one that begins with the part stays an outage', () => {
  const within = aLine({ from: 11 * HOUR, to: 11.75 * HOUR });
  expect(within.values[0]?.filter((value) => Object.is(value, GAP))).toHaveLength(1);
  const all = aLine({ from: 8.5 * HOUR, to: 14.5 * HOUR });
  const gap = all.values[0]?.findIndex((value) => Number.isNaN(value)) ?? -1;
  expect(all.x[gap]).toBeGreaterThan(8.5 * HOUR);
  expect(all.x[gap]).toBeLessThan(14.5 * HOUR);
});
