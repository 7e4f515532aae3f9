import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { hoursToOxygenLevel, oxygenDeclineMgLPerHour } from '#science/oxygen-decline.ts';
import {
  chanceBelow,
  crossingMs,
  dawnForecast,
  type OxygenReading,
  outlookOf,
  oxygenAt,
} from '#science/oxygen-forecast.ts';
import { halfWayMgL, isWarnedOf, programOn, verdictOf } from '../../scripts/bench/dawn-forecast.ts';
import { ROUNDS, simulatedNights } from '../../scripts/bench/simulated-nights.ts';

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
  // Madenjian, Rogers & Fast (1987, Aquac. Eng. 6:191): log-linear 3.34, a straight line 2.72
  test('6.2 mg/L at 20:00 and 5.1 at 23:00 give 2.81 at 05:30, between the two published courses', () => {
    const found = forecast(reading('20:00', 6.2), reading('23:00', 5.1));
    if (found === null) throw new Error('no forecast');
    expect(found.dawnMgL).toBeCloseTo(2.81, 2);
    expect(found.dawnMgL).toBeGreaterThan(2.72);
    expect(found.dawnMgL).toBeLessThan(3.34);
    expect(found.dawnMs).toBe(at('29:30'));
    expect(oxygenAt(found, at('29:30'))).toBe(found.dawnMgL);
    const crosses = crossingMs(found, 4) ?? Number.NaN;
    expect(oxygenAt(found, crosses)).toBeCloseTo(4, 2);
    // 26:00 on the straight line, 26:44 on the other; ponds usually lose a little more than this one seems to
    expect(crosses).toBeGreaterThan(at('25:50'));
    expect(crosses).toBeLessThan(at('26:44'));
    expect(crossingMs(found, 2.5)).toBeNull();
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

describe('when people are told', () => {
  const told = (mgL: number, ...readings: OxygenReading[]) => {
    const found = forecast(...readings, reading('23:00', mgL));
    if (found === null) throw new Error('no forecast');
    return found;
  };

  test('at once of a dawn that is nearly certain to be low; of a doubtful one when the last hours come', () => {
    const settings = aeration.forecast;
    const certain = told(4.6, reading('20:00', 6.2));
    expect(outlookOf(settings, certain, at('23:00'))).toBe('WARN');
    const doubtful = told(5.6, reading('20:00', 6.2));
    expect(chanceBelow(doubtful, 4)).toBeGreaterThan(0.3);
    expect(chanceBelow(doubtful, 4)).toBeLessThan(0.9);
    expect(outlookOf(settings, doubtful, at('23:00'))).toBe('DOUBT');
    expect(outlookOf(settings, doubtful, at('26:00'))).toBe('WARN');
    const well = told(7.4, reading('20:00', 7.9));
    expect(outlookOf(settings, well, at('26:30'))).toBe('WELL');
  });

  test('the chance runs from none to certainty and is even at what is expected', () => {
    const found = told(5.1, reading('20:00', 6.2));
    expect(chanceBelow(found, found.dawnMgL)).toBeCloseTo(0.5, 3);
    expect(chanceBelow(found, found.dawnMgL + found.uncertaintyMgL)).toBeCloseTo(0.9, 2);
    expect(chanceBelow(found, found.dawnMgL - found.uncertaintyMgL)).toBeCloseTo(0.1, 2);
  });
});

test('of hand readings that aerators changed only those since count', () => {
  const found = forecast(
    reading('17:30', 7),
    reading('19:30', 5.6),
    reading('22:00', 6.9),
    reading('24:00', 6.5),
  );
  // 0.2 mg/L an hour since the aerators run, not what all four make of it
  const since = forecast(reading('22:00', 6.9), reading('24:00', 6.5));
  expect(found?.dawnMgL).toBeCloseTo(since?.dawnMgL ?? Number.NaN, 1);
});

// Sondes of Fortino (Longwood University, github.com/KennyPeanuts/watershed_metabolism, CC-BY): a lake in July at 150 % of
// saturation and a cold pond in November, neither of them a shrimp pond; every 20 minutes until three hours before dawn.
test.each([
  [
    'Chalgrove Lake, 2 July 2019',
    '24:00',
    '30:00',
    11.51,
    [12.15, 11.93, 11.91, 11.89, 11.84, 11.77, 11.68, 11.63, 11.66, 11.62],
  ],
  [
    'Via Sacra Pond, 21 November 2019',
    '25:20',
    '30:40',
    9.79,
    [9.97, 9.95, 9.92, 9.92, 9.89, 9.87, 9.85, 9.85],
  ],
])(
  '%s: foretold too low, not too high, by 0.65 mg/L at most, and nobody is warned',
  (_where, from, dawn, came, values) => {
    const readings = values.map((oxygenMgL, i) => ({ atMs: at(from) + i * 20 * 60_000, oxygenMgL }));
    const found = dawnForecast(aeration.forecast, { ...night, dawnMs: at(dawn) }, readings);
    if (found === null) throw new Error('no forecast');
    expect(found.dawnMgL).toBeLessThan(came);
    expect(found.dawnMgL).toBeGreaterThan(came - 0.65);
    expect(outlookOf(aeration.forecast, found, at(dawn) - 3 * HOUR_MS)).toBe('WELL');
  },
);

// Seeds from 100 on chose the figures of the constants; these nights did not.
describe('on simulated nights from sparse ponds to 120 per m²', () => {
  const nightsOf = (rounds: keyof typeof ROUNDS, count: number) =>
    simulatedNights(count, { seed: 1, rounds: ROUNDS[rounds] });

  test.each([
    ['two', 4_000],
    ['three', 4_000],
    ['four', 4_000],
    ['probe', 1_000],
  ] as const)(
    '%s: low dawns missed at most as often as the documents say, the band holds four of five',
    (rounds, count) => {
      const found = programOn(nightsOf(rounds, count));
      expect(found.strict.missed).toBeLessThanOrEqual(0.035);
      expect(found.clear.missed).toBeLessThanOrEqual(0.03);
      expect(found.inBand).toBeGreaterThanOrEqual(0.8);
      // two readings of the evening cannot do it: no predictor can
      if (rounds !== 'two') expect(found.clear.false).toBeLessThanOrEqual(0.1);
    },
  );

  test('the band holds whatever the density and however early it is told', () => {
    const nights = nightsOf('two', 4_000);
    const lead = ({ dawnHour, readings }: (typeof nights)[number]) => dawnHour - (readings.at(-1)?.hour ?? 0);
    for (const of of [
      nights.filter(({ pond }) => pond.kgPerM3 < 0.25),
      nights.filter(({ pond }) => pond.kgPerM3 >= 0.5),
      nights.filter((night) => lead(night) < 7),
      nights.filter((night) => lead(night) >= 9),
    ])
      expect(programOn(of).inBand).toBeGreaterThanOrEqual(0.8);
  });

  test('it errs less, and misses less than half of what half-way between line and logarithm missed', () => {
    const nights = nightsOf('two', 4_000);
    const found = programOn(nights);
    const errors = nights.map((night) => Math.abs(halfWayMgL(night) - night.dawnMgL));
    expect(found.meanError).toBeLessThan(errors.reduce((sum, each) => sum + each, 0) / errors.length);
    const halfWay = verdictOf(
      nights,
      nights.map((night) => halfWayMgL(night) < 4),
    );
    expect(verdictOf(nights, nights.map(isWarnedOf)).missed).toBeLessThan(halfWay.missed / 2);
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
