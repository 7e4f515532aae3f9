import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, test } from 'vitest';
import { instantOfWall, wallOf, zoneClock } from '#core/zone-clock.ts';
import {
  instantOfLocal,
  isKnownZone,
  localPartsOf,
  weekdayOfWall,
} from '#features/control/schedules/local-time.ts';
import { aPartOf, drawsOf } from '#test/turn.ts';
import { at } from './builders.ts';

const time = (hour: number, minute = 0) => ({ hour, minute, second: 0, millisecond: 0 });

describe('instant of a local time', () => {
  test.each([
    ['an ordinary evening', 'America/Recife', [2030, 1, 7], time(18), '2030-01-07T18:00-03:00'],
    ['just before the gap', 'America/New_York', [2030, 3, 10], time(1, 59), '2030-03-10T01:59-05:00'],
    [
      'the first minute that does not exist',
      'America/New_York',
      [2030, 3, 10],
      time(2),
      '2030-03-10T03:00-04:00',
    ],
    [
      'a time inside the gap runs at its end',
      'America/New_York',
      [2030, 3, 10],
      time(2, 30),
      '2030-03-10T03:00-04:00',
    ],
    ['the end of the gap itself', 'America/New_York', [2030, 3, 10], time(3), '2030-03-10T03:00-04:00'],
    [
      'a time that exists twice is the first',
      'America/New_York',
      [2030, 11, 3],
      time(1, 30),
      '2030-11-03T01:30-04:00',
    ],
    ['after the repeated hour', 'America/New_York', [2030, 11, 3], time(2), '2030-11-03T02:00-05:00'],
    ['a gap at midnight', 'America/Sao_Paulo', [2018, 11, 4], time(0), '2018-11-04T01:00-02:00'],
    ['a fold at midnight', 'America/Sao_Paulo', [2018, 2, 17], time(23, 30), '2018-02-17T23:30-02:00'],
    ['a gap of half an hour', 'Australia/Lord_Howe', [2030, 10, 6], time(2, 15), '2030-10-06T02:30+11:00'],
    ['a day that a zone skipped', 'Pacific/Apia', [2011, 12, 30], time(18), '2011-12-31T00:00+14:00'],
  ])('%s', (_case, zone, [year = 0, month = 0, day = 0], clock, expected) => {
    expect(new Date(instantOfLocal(zone, { year, month, day }, clock)).toISOString()).toBe(
      new Date(at(expected)).toISOString(),
    );
  });

  test('keeps milliseconds, before 1970 too', () => {
    const clock = { hour: 5, minute: 4, second: 3, millisecond: 2 };
    expect(instantOfLocal('UTC', { year: 1969, month: 7, day: 20 }, clock)).toBe(
      at('1969-07-20T05:04:03.002Z'),
    );
  });

  test('an instant reckoned from the monotonic clock has a fraction, and the wall of the farm shows it', () => {
    fc.assert(
      fc.property(fc.integer({ min: -4e12, max: 4e12 }), (instant) => {
        const shown = wallOf(zoneClock('America/Sao_Paulo'), instant + 0.25);
        expect(shown).toBe(wallOf('America/Sao_Paulo', instant) + 0.25);
      }),
    );
  });

  test('every hour of 2026 in zones with odd clocks is what Temporal says', () => {
    const odd = ['Africa/Casablanca', 'Antarctica/Troll', 'America/Havana', 'Asia/Gaza', 'Asia/Kathmandu'];
    for (const name of aPartOf(odd, odd.length)) {
      const zone = zoneClock(name);
      for (let wall = Date.UTC(2026, 0, 1); wall < Date.UTC(2027, 0, 1); wall += 3_600_000) {
        const local = Temporal.Instant.fromEpochMilliseconds(wall)
          .toZonedDateTimeISO('UTC')
          .toPlainDateTime();
        const zoned = local.toZonedDateTime(name, { disambiguation: 'earlier' });
        if (!zoned.toPlainDateTime().equals(local)) continue; // Gaps are Temporal's to resolve differently.
        expect(instantOfWall(zone, wall), `${name} ${local}`).toBe(zoned.epochMilliseconds);
      }
    }
  });
});

test('the parts of an instant are those on the farm wall, with Monday as day 1', () => {
  expect(localPartsOf('America/Recife', at('2030-01-07T02:30:15.250Z'))).toEqual({
    year: 2030,
    month: 1,
    day: 6,
    weekday: 7,
    hour: 23,
    minute: 30,
    second: 15,
    millisecond: 250,
  });
});

test.each([
  ['1969-12-27', 6],
  ['1969-12-28', 7],
  ['1969-12-29', 1],
  ['1969-12-31', 3],
  ['1970-01-01', 4],
  ['2030-01-06', 7],
  ['2030-01-07', 1],
])('%s is day %i of the week', (date, weekday) => {
  expect(weekdayOfWall(wallOf('UTC', at(`${date}T23:59Z`)))).toBe(weekday);
});

test.each([
  ['America/Recife', true],
  ['UTC', true],
  ['America/Sao_Paulo', true],
  ['America/Atlantis', false],
  ['+03:00', false],
  ['-03', false],
  ['', false],
  [' America/Recife', false],
  ['America/Recife\n', false],
])('zone %j is known: %s', (zone, isKnown) => {
  expect(isKnownZone(zone)).toBe(isKnown);
});

test('a clock that remembers answers like one that does not, in any order of questions', () => {
  const instants = fc.array(fc.integer({ min: at('1950-01-01T00:00Z'), max: at('2060-01-01T00:00Z') }), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(fc.constantFrom(...Intl.supportedValuesOf('timeZone')), instants, (name, asked) => {
      const clock = zoneClock(name);
      for (const instant of [...asked, ...asked]) {
        const zoned = Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(name);
        expect(clock.offsetAt(instant)).toBe(zoned.offsetNanoseconds / 1e6);
      }
    }),
    { numRuns: drawsOf(400) },
  );
});
