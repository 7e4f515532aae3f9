import { expect, it } from 'vitest';
import { spansFor, waterSpan } from '../../desktop/console/state/water-span.ts';

const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-02T12:03:00.000Z');
/** The farm is three hours behind. */
const at = (startDay: string | null) => ({
  now: NOW,
  today: '2026-03-02',
  startDay,
  startOf: (day: string) => Date.parse(`${day}T03:00:00.000Z`),
});
const days = (from: number, to: number) => (to - from) / (24 * HOUR);

it('water of the last day is asked for by two days of the farm, of a week and a month by whole days', () => {
  const day = waterSpan('24h', at(null));
  expect(day).toMatchObject({ days: 2, isHours: true });
  // a little ahead: the axis stays while new readings come
  expect([days(day.from, day.to), day.to - NOW]).toEqual([1, 7 * 60_000]);
  expect(waterSpan('7d', at(null))).toMatchObject({ days: 7, from: Date.parse('2026-02-24T03:00:00.000Z') });
  expect(waterSpan('30d', at(null)).from).toBe(Date.parse('2026-02-01T03:00:00.000Z'));
});

it('water of a cycle begins on the day of its stocking, and never before the year that is kept at hand', () => {
  expect(waterSpan('ciclo', at('2026-02-01'))).toMatchObject({
    days: 30,
    from: Date.parse('2026-02-01T03:00:00.000Z'),
  });
  expect(waterSpan('ciclo', at('2026-03-02')).days).toBe(1);
  expect(waterSpan('ciclo', at('2024-01-01')).days).toBe(366);
});

it('an empty pond has a season instead of a cycle', () => {
  expect(spansFor('2026-02-01')).toEqual(['24h', '7d', '30d', 'ciclo']);
  expect(spansFor(null)).toEqual(['24h', '7d', '30d', '90d']);
});
