import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { hoursToOxygenLevel, oxygenDeclineMgLPerHour } from '#science/oxygen-decline.ts';
import { crossingMs, dawnForecast, type OxygenReading, oxygenAt } from '#science/oxygen-forecast.ts';
import {
  coverageOf,
  forecastOf,
  METHODS,
  type SimulatedNight,
  simulatedNights,
  verdictOf,
} from '../../scripts/bench/dawn-forecast.ts';

const { aeration } = SCIENCE_DEFAULTS;
const HOUR_MS = 3_600_000;
/** Local time of the night from 1 to 2 March; hours from 24 on are after midnight. */
const at = (time: string) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return Date.parse('2026-03-01T00:00:00Z') + hours * HOUR_MS + minutes * 60_000;
};
const night = { isNight: true, duskMs: at('18:00'), dawnMs: at('29:30') };
const reading = (time: string, oxygenMgL: number): OxygenReading => ({ atMs: at(time), oxygenMgL });
const forecast = (...readings: OxygenReading[]) => dawnForecast(aeration.forecast, night, readings);

describe('two readings of the evening', () => {
  // Madenjian, Rogers & Fast (1987, Aquac. Eng. 6:191): log-linear 3.34, a straight line 2.72; half-way lies nearest to
  // simulated nights.
  test('6.2 mg/L at 20:00 and 5.1 at 23:00 give 3.03 at 05:30, between the two published courses', () => {
    const found = forecast(reading('20:00', 6.2), reading('23:00', 5.1));
    if (found === null) throw new Error('no forecast');
    expect(found.from.oxygenMgL * Math.exp(-found.lossPerHour * 6.5)).toBeCloseTo(3.34, 2);
    expect(found.from.oxygenMgL - found.fallMgLPerHour * 6.5).toBeCloseTo(2.72, 2);
    expect(found.dawnMgL).toBeCloseTo(3.03, 2);
    expect(found.dawnMs).toBe(at('29:30'));
    expect(oxygenAt(found, at('29:30'))).toBe(found.dawnMgL);
    const crosses = crossingMs(found, 4) ?? Number.NaN;
    expect(oxygenAt(found, crosses)).toBeCloseTo(4, 2);
    // 26:00 on the straight line, 26:44 on the other
    expect(crosses).toBeGreaterThan(at('26:00'));
    expect(crosses).toBeLessThan(at('26:44'));
    expect(crossingMs(found, 3)).toBeNull();
    expect(crossingMs(found, 5.5)).toBe(at('23:00'));
    expect(crossingMs(found, 0)).toBeNull();
  });

  test('the usual rounds of 17:00 and 21:00 are enough: an hour before sunset counts', () => {
    expect(forecast(reading('17:00', 7), reading('21:00', 5.6))).not.toBeNull();
  });

  test('the order in which they come does not matter', () => {
    const [early, late] = [reading('20:00', 6.2), reading('23:00', 5.1)];
    expect(forecast(late, early)).toEqual(forecast(early, late));
  });

  test.each([
    ['one alone', [reading('20:00', 6)]],
    ['none', []],
    ['less than an hour apart', [reading('20:00', 6), reading('20:59', 5)]],
    ['rising', [reading('20:00', 5), reading('22:00', 5.5)]],
    ['holding', [reading('20:00', 5), reading('22:00', 5)]],
    ['back where they began', [reading('20:00', 5), reading('20:30', 7), reading('22:00', 5)]],
    ['the first in the sun of the afternoon', [reading('16:29', 7), reading('20:00', 5)]],
    ['the last after dawn', [reading('22:00', 7), reading('29:30', 5)]],
    ['two at the same time', [reading('22:00', 7), reading('22:00', 5)]],
    ['a broken one', [reading('20:00', 6), reading('22:00', -1)]],
  ])('nothing is said of %s', (_what, readings) => {
    expect(forecast(...readings)).toBeNull();
  });

  test('an hour apart is enough', () => {
    expect(forecast(reading('20:00', 6), reading('21:00', 5.8))).not.toBeNull();
  });
});

describe('how sure it is', () => {
  const errorOf = (...readings: OxygenReading[]) => forecast(...readings)?.uncertaintyMgL ?? Number.NaN;

  test('two hand readings three hours apart, six and a half hours ahead: within 0.8 mg/L four times of five', () => {
    expect(errorOf(reading('20:00', 6.2), reading('23:00', 5.1))).toBeGreaterThan(0.7);
    expect(errorOf(reading('20:00', 6.2), reading('23:00', 5.1))).toBeLessThan(0.9);
  });

  test('the later the last reading, the surer', () => {
    const early = errorOf(reading('18:00', 6.9), reading('21:00', 5.8));
    const late = errorOf(reading('23:00', 5.1), reading('26:00', 4));
    expect(late).toBeLessThan(early);
  });

  test('readings close together make it less sure, more readings make it surer', () => {
    const apart = errorOf(reading('20:00', 6.2), reading('23:00', 5.1));
    const close = errorOf(reading('22:00', 5.4), reading('23:00', 5.1));
    const many = errorOf(
      ...[0, 15, 30, 45, 60].map((minute) => ({
        atMs: at('22:00') + minute * 60_000,
        oxygenMgL: 5.4 * (5.1 / 5.4) ** (minute / 60),
      })),
    );
    expect(close).toBeGreaterThan(apart);
    expect(many).toBeLessThan(close);
  });
});

test('a probe’s readings of the last hours tell the pace; what was before counts no more', () => {
  // held up by aerators until 22:00, falling 6 % an hour since they stopped
  const held = Array.from({ length: 20 }, (_, i) => reading(`${18 + i * 0.2}:00`, 6));
  const falling = Array.from({ length: 25 }, (_, i) => ({
    atMs: at('22:00') + i * 10 * 60_000,
    oxygenMgL: 6 * 0.94 ** (i / 6),
  }));
  const found = forecast(...held.filter(({ atMs }) => atMs < at('22:00')), ...falling);
  // 7.5 h from 22:00 to 05:30, the straight line of the last four hours a little lower
  expect(found?.dawnMgL).toBeLessThan(6 * 0.94 ** 7.5);
  expect(found?.dawnMgL).toBeGreaterThan(6 * 0.94 ** 7.5 - 0.2);
});

test('the forecast lies between nothing and the last reading, and its crossing before dawn', () => {
  const readings = fc.array(
    fc.record({
      minute: fc.integer({ min: -60, max: 760 }),
      oxygenMgL: fc.double({ min: 0, max: 25, noNaN: true }),
    }),
    { minLength: 2, maxLength: 40 },
  );
  fc.assert(
    fc.property(readings, fc.double({ min: 0.1, max: 6, noNaN: true }), (drawn, level) => {
      const told = drawn.map(({ minute, oxygenMgL }) => ({ atMs: at('18:00') + minute * 60_000, oxygenMgL }));
      const found = forecast(...told);
      if (found === null) return;
      expect(found.dawnMgL).toBeGreaterThanOrEqual(0);
      expect(found.dawnMgL).toBeLessThanOrEqual(found.from.oxygenMgL);
      expect(found.uncertaintyMgL).toBeGreaterThan(0);
      const crosses = crossingMs(found, level);
      // it is crossed exactly when dawn lies below it
      expect(crosses !== null).toBe(found.dawnMgL <= level || found.from.oxygenMgL <= level);
      if (crosses !== null) expect(crosses).toBeLessThanOrEqual(night.dawnMs);
    }),
    { numRuns: 500 },
  );
});

describe('on 4,000 simulated nights from sparse ponds to 120 per m²', () => {
  const nights = simulatedNights(4_000);
  const verdicts = Object.fromEntries(
    Object.entries(METHODS).map(([name, method]) => [name, verdictOf(method, nights)]),
  );

  test('half-way between line and logarithm errs least of the methods, and is what the program tells', () => {
    const errors = Object.values(verdicts).map(({ meanAbsoluteError }) => meanAbsoluteError);
    expect(verdicts['middle']?.meanAbsoluteError).toBe(Math.min(...errors));
    for (const night of nights.slice(0, 200))
      expect(forecastOf(night)?.dawnMgL).toBeCloseTo(METHODS.middle(night), 6);
  });

  test('its band holds four dawns of five, whatever the density and however early it is told', () => {
    expect(coverageOf(nights)).toBeGreaterThanOrEqual(0.8);
    const lead = ({ dawnHour, readings: [, last] }: SimulatedNight) => dawnHour - last.hour;
    for (const of of [
      nights.filter(({ kgPerM3 }) => kgPerM3 < 0.25),
      nights.filter(({ kgPerM3 }) => kgPerM3 >= 0.5),
      nights.filter((night) => lead(night) < 7),
      nights.filter((night) => lead(night) >= 9),
    ])
      expect(coverageOf(of)).toBeGreaterThanOrEqual(0.8);
  });

  test('it misses less than half of the low dawns that the logarithm alone misses', () => {
    expect(verdicts['middle']?.missed).toBeLessThan((verdicts['logLinear']?.missed ?? 0) / 2);
  });
});

describe('loss of oxygen when aerators stop', () => {
  // Four kinds of pond: kg/m³, mg/L per hour, and the hours of a fall from 4 to 3, 3 to 1 and 4 to 1 mg/L.
  test.each([
    ['semi-intensive', 0.16, 0.4, 160 / 60, 5.3, 8],
    ['intensive, 60 per m²', 0.44, 0.7, 92 / 60, 3.1, 4.6],
    ['intensive, 120 per m²', 0.77, 0.9, 65 / 60, 2.2, 3.3],
    ['biofloc', 4.2, 4.5, 12 / 60, 25 / 60, 37 / 60],
  ])('%s', (_pond, kgPerM3, pace, toThree, toOne, whole) => {
    const hours = (fromMgL: number, toMgL: number) =>
      hoursToOxygenLevel(aeration, { kgPerM3, fromMgL, toMgL });
    const offBy = (found: number, tabled: number) => Math.abs(found / tabled - 1);
    expect(offBy(oxygenDeclineMgLPerHour(aeration, kgPerM3), pace)).toBeLessThan(0.1);
    expect(offBy(hours(4, 3), toThree)).toBeLessThan(0.05);
    expect(offBy(hours(3, 1), toOne)).toBeLessThan(0.05);
    expect(offBy(hours(4, 1), whole)).toBeLessThan(0.05);
  });

  test('there is no time left at or below the level', () => {
    expect(hoursToOxygenLevel(aeration, { kgPerM3: 1, fromMgL: 3, toMgL: 3 })).toBe(0);
    expect(hoursToOxygenLevel(aeration, { kgPerM3: 1, fromMgL: 2, toMgL: 3 })).toBe(0);
  });

  test('an empty pond still loses oxygen, and more shrimp lose it faster', () => {
    expect(oxygenDeclineMgLPerHour(aeration, 0)).toBeGreaterThan(0.1);
    const density = fc.double({ min: 0, max: 12, noNaN: true });
    fc.assert(
      fc.property(density, density, (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        const slow = oxygenDeclineMgLPerHour(aeration, less);
        expect(oxygenDeclineMgLPerHour(aeration, more)).toBeGreaterThanOrEqual(slow);
      }),
    );
  });
});
