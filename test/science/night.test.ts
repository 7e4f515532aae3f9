import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { nightAround, sunTimes } from '#science/night.ts';

const { aeration } = SCIENCE_DEFAULTS;
const MINUTE_MS = 60_000;
const utc = (text: string) => Date.parse(`${text}:00Z`);

/** Noon by the sun at a longitude on that date. */
const noonAt = (date: string, longitude: number) => utc(`${date}T12:00`) - longitude * 4 * MINUTE_MS;

describe('sunrise and sunset agree with almanacs to within two minutes', () => {
  // Santarém, Barcarena, Montes Claros, Itanhaém: sunrise tables of stjerneskinn.com (UTC−3, to the minute; the
  // coordinates are the towns'). São Paulo: test values of the Dart package sunrise_sunset_calc. Florianópolis: an
  // Android forecast app's test. Cape Town, Warsaw: examples of the suntime library. New York: README of the NOAA-based Ruby
  // gem sun. Boston: U.S. Naval Observatory.
  test.each([
    ['Santarém', -2.44, -54.71, '2024-01-01', '2024-01-01T09:34', '2024-01-01T21:50'],
    ['Barcarena', -1.51, -48.62, '2023-01-01', '2023-01-01T09:11', '2023-01-01T21:24'],
    ['Montes Claros', -16.73, -43.86, '2023-01-01', '2023-01-01T08:25', '2023-01-01T21:32'],
    ['Itanhaém', -24.18, -46.79, '2023-01-01', '2023-01-01T08:22', '2023-01-01T21:58'],
    ['São Paulo', -23.54557, -46.704082, '2017-03-23', '2017-03-23T09:12', '2017-03-23T21:15'],
    ['Cape Town', -33.9252, 18.424, '2016-12-21', '2016-12-21T03:32', '2016-12-21T17:57'],
    ['Warsaw', 51.21, 21.01, '2014-10-03', '2014-10-03T04:39', '2014-10-03T16:10'],
    ['New York', 40.75, -73.99, '2015-01-01', '2015-01-01T12:20', '2015-01-01T21:38'],
  ])('%s', (_town, latitude, longitude, date, sunrise, sunset) => {
    const found = sunTimes({ latitude, longitude }, noonAt(date, longitude));
    expect(Math.abs((found?.sunriseMs ?? 0) - utc(sunrise))).toBeLessThan(2 * MINUTE_MS);
    expect(Math.abs((found?.sunsetMs ?? 0) - utc(sunset))).toBeLessThan(2 * MINUTE_MS);
  });

  test.each([
    ['Florianópolis', -27.707, -48.687, '2023-08-02', '2023-08-02T09:56'],
    ['Boston', 42.3, -71.1, '2014-02-12', '2014-02-12T11:45'],
  ])('sunrise of %s', (_town, latitude, longitude, date, sunrise) => {
    const found = sunTimes({ latitude, longitude }, noonAt(date, longitude));
    expect(Math.abs((found?.sunriseMs ?? 0) - utc(sunrise))).toBeLessThan(2 * MINUTE_MS);
  });

  test('beyond the polar circle in midsummer there is neither', () => {
    expect(sunTimes({ latitude: 70, longitude: 25 }, utc('2024-06-21T10:00'))).toBeNull();
  });
});

describe('the night of a farm at Natal', () => {
  const place = { position: { latitude: -5.79, longitude: -35.21 }, utcOffsetMinutes: -180 };

  test('at 22:00 it is night since sunset and until the sunrise of tomorrow', () => {
    const night = nightAround(aeration, place, utc('2026-03-02T01:00'));
    expect(night.isNight).toBe(true);
    expect(new Date(night.duskMs).toISOString()).toMatch(/^2026-03-01T20:3/);
    expect(new Date(night.dawnMs).toISOString()).toMatch(/^2026-03-02T08:2/);
  });

  test('at 04:00 it is the same night, at 10:00 the next one is told', () => {
    const late = nightAround(aeration, place, utc('2026-03-02T01:00'));
    expect(nightAround(aeration, place, utc('2026-03-02T07:00'))).toEqual(late);
    const day = nightAround(aeration, place, utc('2026-03-02T13:00'));
    expect(day.isNight).toBe(false);
    expect(new Date(day.duskMs).toISOString()).toMatch(/^2026-03-02T20:3/);
  });
});

describe('a farm whose position is unknown has fixed hours of its own clock', () => {
  const place = { position: null, utcOffsetMinutes: -180 };

  test.each([
    ['2026-03-01T20:59', false, '2026-03-01T21:00', '2026-03-02T08:30'],
    ['2026-03-01T21:00', true, '2026-03-01T21:00', '2026-03-02T08:30'],
    ['2026-03-02T08:29', true, '2026-03-01T21:00', '2026-03-02T08:30'],
    ['2026-03-02T08:30', false, '2026-03-02T21:00', '2026-03-03T08:30'],
  ])('%s UTC', (at, isNight, dusk, dawn) => {
    expect(nightAround(aeration, place, utc(at))).toEqual({ isNight, duskMs: utc(dusk), dawnMs: utc(dawn) });
  });

  test('so has one where the sun does not set', () => {
    const polar = { position: { latitude: 75, longitude: 0 }, utcOffsetMinutes: 0 };
    expect(nightAround(aeration, polar, utc('2026-06-21T19:00')).duskMs).toBe(utc('2026-06-21T18:00'));
  });
});

test('anywhere shrimp grow an instant is in the night exactly when it lies between dusk and dawn', () => {
  const at = fc.integer({ min: utc('2020-01-01T00:00'), max: utc('2035-01-01T00:00') });
  const latitude = fc.double({ min: -45, max: 45, noNaN: true });
  const longitude = fc.double({ min: -180, max: 180, noNaN: true });
  fc.assert(
    fc.property(at, latitude, longitude, (atMs, lat, long) => {
      const place = { position: { latitude: lat, longitude: long }, utcOffsetMinutes: 0 };
      const { isNight, duskMs, dawnMs } = nightAround(aeration, place, atMs);
      const hours = (dawnMs - duskMs) / 3_600_000;
      expect(isNight).toBe(atMs >= duskMs && atMs < dawnMs);
      expect(dawnMs).toBeGreaterThan(atMs);
      expect(hours).toBeGreaterThan(8);
      expect(hours).toBeLessThan(16);
      expect(duskMs - atMs).toBeLessThan(16 * 3_600_000);
    }),
  );
});
