import { expect, it } from 'vitest';
import { isDarkAt } from '../../desktop/console/state/farm-night.ts';

// Fortaleza, three hours behind UTC: in June the sun sets at about 17:31 and rises at about 5:37
const FORTALEZA = { lat: '-3.7319', lng: '-38.5267' };
const dark = (place: Parameters<typeof isDarkAt>[0], hour: number, minute: number) =>
  isDarkAt(place, Date.UTC(2026, 5, 10, hour + 3, minute), hour);

it('a panel is dark from sunset to sunrise where the farm lies', () => {
  const told = [
    dark(FORTALEZA, 17, 20),
    dark(FORTALEZA, 17, 45),
    dark(FORTALEZA, 5, 25),
    dark(FORTALEZA, 5, 50),
  ];
  expect(told).toEqual([false, true, true, false]);
});

it('a panel is dark from 18 to 6 where nobody said where the farm lies, or what was said is no place', () => {
  for (const place of [
    { lat: null, lng: null },
    { lat: null, lng: '-38.5' },
    { lat: 'x', lng: '-38.5' },
  ]) {
    const told = [dark(place, 17, 45), dark(place, 18, 0), dark(place, 5, 50), dark(place, 6, 0)];
    expect(told).toEqual([false, true, true, false]);
  }
});
