import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  heldAfter,
  isStreaming,
  type PondHeld,
  type PondLoop,
  type PondLoopFacts,
  pondLoop,
  wishOfPonds,
} from '#science/closed-loop.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { aeration } = SCIENCE_DEFAULTS;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NOW = 1_000 * HOUR;

const levels = { onMgL: 4, offMgL: 5, emergencyMgL: 3 };

type Given = {
  /** mg/L and age in minutes; null age: unknown. */
  reading?: [oxygenMgL: number, ageMinutes: number | null];
  held?: 'EMERGENCY' | 'ON' | 'OFF';
  /** For how long, minutes. */
  heldFor?: number;
  levels?: Partial<PondLoopFacts['levels']>;
  isNight?: boolean;
  isStreaming?: boolean;
};

function loop(given: Given): string {
  const { wish, reason } = pondLoop(aeration, facts(given));
  return `${wish} ${reason}`;
}

function facts(given: Given): PondLoopFacts {
  const { reading, held, heldFor = 60 } = given;
  const ageMs = reading?.[1] == null ? null : reading[1] * MINUTE;
  return {
    nowMs: NOW,
    isNight: given.isNight ?? true,
    levels: { ...levels, ...given.levels },
    reading: reading === undefined ? null : { oxygenMgL: reading[0], ageMs },
    isStreaming: given.isStreaming ?? true,
    held: held === undefined ? null : { wish: held, sinceMs: NOW - heldFor * MINUTE },
  };
}

describe('a pond with a probe', () => {
  test.each([
    ['at the ON level', { reading: [4, 0] }, 'ON BELOW_ON_LEVEL'],
    ['a hair above it', { reading: [4.01, 0] }, 'null BETWEEN_LEVELS'],
    ['at the emergency level', { reading: [3, 0] }, 'EMERGENCY EMERGENCY_LEVEL'],
    ['between the levels while ON', { reading: [4.9, 0], held: 'ON' }, 'ON BETWEEN_LEVELS'],
    ['between the levels while OFF', { reading: [4.1, 0], held: 'OFF' }, 'OFF BETWEEN_LEVELS'],
    ['at the OFF level while ON', { reading: [5, 0], held: 'ON' }, 'OFF ABOVE_OFF_LEVEL'],
    ['at the OFF level from the start', { reading: [5, 0] }, 'OFF ABOVE_OFF_LEVEL'],
    ['recovered within the minimum run', { reading: [6, 0], held: 'ON', heldFor: 14.9 }, 'ON MINIMUM_RUN'],
    ['recovered after it', { reading: [6, 0], held: 'ON', heldFor: 15 }, 'OFF ABOVE_OFF_LEVEL'],
    ['an emergency, a little better', { reading: [3.5, 0], held: 'EMERGENCY' }, 'EMERGENCY EMERGENCY_HELD'],
    [
      'an emergency that is over is a low pond',
      { reading: [3.51, 0], held: 'EMERGENCY' },
      'ON BELOW_ON_LEVEL',
    ],
    [
      'an emergency in its minimum run',
      { reading: [6, 0], held: 'EMERGENCY', heldFor: 3 },
      'EMERGENCY EMERGENCY_HELD',
    ],
    ['an emergency that is all over', { reading: [6, 0], held: 'EMERGENCY' }, 'OFF ABOVE_OFF_LEVEL'],
  ] satisfies [string, Given, string][])('%s', (_case, given, expected) => {
    expect(loop(given)).toBe(expected);
  });

  test.each([
    ['silent at night', { reading: [6, 21], isNight: true }, 'ON SILENT_AT_NIGHT'],
    ['just not silent', { reading: [6, 20], isNight: true }, 'OFF ABOVE_OFF_LEVEL'],
    ['silent by day, was OFF', { reading: [6, 21], isNight: false, held: 'OFF' }, 'null SILENT'],
    ['silent by day, was ON', { reading: [6, 21], isNight: false, held: 'ON' }, 'ON NOT_SEEN'],
    [
      'silent in an emergency',
      { reading: [6, 21], isNight: false, held: 'EMERGENCY' },
      'EMERGENCY EMERGENCY_HELD',
    ],
    ['silent, the last word was low', { reading: [3.9, 300], isNight: false }, 'ON LAST_KNOWN_LOW'],
    [
      'silent, the last word was an emergency',
      { reading: [2.9, 300], isNight: false },
      'EMERGENCY EMERGENCY_LEVEL',
    ],
    [
      'the age of the last word is unknown',
      { reading: [6, null], isNight: false, held: 'ON' },
      'ON NOT_SEEN',
    ],
    ['all readings were taken back', { isNight: false, held: 'ON' }, 'ON NOT_SEEN'],
  ] satisfies [string, Given, string][])('%s', (_case, given, expected) => {
    expect(loop(given)).toBe(expected);
  });
});

describe('a pond measured by hand', () => {
  test.each([
    ['is not silent between two readings', { reading: [5.5, 600] }, 'null SILENT'],
    ['is aired after a low one until a better one', { reading: [3.9, 600] }, 'ON LAST_KNOWN_LOW'],
    ['lets go on a fresh one', { reading: [5.5, 5], held: 'ON' }, 'null RECOVERED'],
    ['does not let go on one that is old', { reading: [5.5, 21], held: 'ON' }, 'ON NOT_SEEN'],
    ['never asks for OFF against the schedule', { reading: [9, 0] }, 'null RECOVERED'],
    ['starts nothing for a reading of the day before yesterday', { reading: [2, 25 * 60] }, 'null SILENT'],
    ['but what runs goes on', { reading: [3.8, 25 * 60], held: 'ON' }, 'ON LAST_KNOWN_LOW'],
    ['counts a low reading of unknown age', { reading: [3.8, null] }, 'ON LAST_KNOWN_LOW'],
    ['never measured', {}, 'null SILENT'],
  ] satisfies [string, Given, string][])('%s', (_case, given, expected) => {
    expect(loop({ isStreaming: false, ...given })).toBe(expected);
  });
});

test.each([
  ['nothing', { onMgL: null, offMgL: null, emergencyMgL: null }, 1, 'null NO_OXYGEN_LEVELS'],
  ['an OFF level alone', { onMgL: null, offMgL: 5, emergencyMgL: null }, 1, 'null NO_OXYGEN_LEVELS'],
  ['emergencies alone, low', { onMgL: null, offMgL: null }, 3.2, 'null BETWEEN_LEVELS'],
  ['emergencies alone, in one', { onMgL: null, offMgL: null }, 3, 'EMERGENCY EMERGENCY_LEVEL'],
  ['emergencies alone, plenty', { onMgL: null, offMgL: null }, 9, 'null RECOVERED'],
  ['no OFF level: it only lets go', { offMgL: null }, 5, 'null RECOVERED'],
  ['no OFF level: 1 mg/L above ON', { offMgL: null }, 4.99, 'null BETWEEN_LEVELS'],
] satisfies [string, Given['levels'], number, string][])('opted in to %s', (_case, set, oxygen, expected) => {
  expect(loop({ reading: [oxygen, 0], levels: set })).toBe(expected);
});

test.each([
  ['four readings, each soon after the other', [0, 10, 20, 30], true],
  ['three are too few to tell', [0, 10, 20], false],
  ['a person who comes every half hour', [0, 30, 60, 90], false],
  ['a probe that stopped eleven hours ago', [660, 670, 680, 690], true],
  ['a probe that was taken away yesterday', [1_300, 1_310, 1_320, 1_330], false],
  ['readings of unknown age', [0, null, 20, 30], false],
  ['no reading', [], false],
] satisfies [string, (number | null)[], boolean][])(
  'a probe is known by its readings: %s',
  (_case, ages, is) => {
    expect(
      isStreaming(
        aeration,
        ages.map((age) => (age === null ? null : age * MINUTE)),
      ),
    ).toBe(is);
  },
);

test.each([
  [['OFF', 'EMERGENCY'], { target: 'ON', kind: 'EMERGENCY_OXYGEN' }],
  [['OFF', 'ON'], { target: 'ON', kind: 'SET_POINT' }],
  [['OFF', 'OFF'], { target: 'OFF', kind: 'SET_POINT' }],
  [['OFF', null], { target: null, kind: 'SET_POINT' }],
  [[null], { target: null, kind: 'SET_POINT' }],
  [[], { target: null, kind: 'SET_POINT' }],
] as const)('ponds that ask for %j', (wishes, expected) => {
  expect(wishOfPonds(wishes)).toEqual(expected);
});

// -- Properties ---------------------------------------------------------------------------------------------------

const oxygen = fc.integer({ min: 0, max: 120 }).map((n) => n / 10);
/** A step of time: a reading, one without an age, or none. */
const step = fc.record({
  minutes: fc.integer({ min: 1, max: 90 }),
  reading: fc.option(fc.record({ oxygen, late: fc.constantFrom(0, 0, 0, 5, 45) }), { nil: null }),
  isAgeLost: fc.boolean(),
  isNight: fc.boolean(),
});

type Look = { before: PondHeld | null; facts: PondLoopFacts; answer: PondLoop };

function through(
  steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  isProbe: boolean,
): Look[] {
  let now = NOW;
  let newest: { oxygenMgL: number; takenMs: number | null } | null = null;
  let held: PondHeld | null = null;
  return steps.map(({ minutes, reading, isAgeLost, isNight }) => {
    now += minutes * MINUTE;
    if (reading !== null) newest = { oxygenMgL: reading.oxygen, takenMs: now - reading.late * MINUTE };
    if (newest !== null && isAgeLost) newest = { ...newest, takenMs: null };
    const known =
      newest === null
        ? null
        : { oxygenMgL: newest.oxygenMgL, ageMs: newest.takenMs === null ? null : now - newest.takenMs };
    const looked: PondLoopFacts = { nowMs: now, isNight, levels, reading: known, isStreaming: isProbe, held };
    const answer = pondLoop(aeration, looked);
    const before: PondHeld | null = held;
    held = heldAfter(before, answer.wish, now);
    return { before, facts: looked, answer };
  });
}

const isOn = (wish: PondLoop['wish'] | undefined) => wish === 'ON' || wish === 'EMERGENCY';

test('whatever comes, the loop lets go of a pond only on a fresh reading at the OFF level, after the minimum run', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isProbe) => {
      for (const { before, facts: given, answer } of through(steps, isProbe)) {
        if (!isOn(before?.wish) || isOn(answer.wish)) continue;
        const { reading } = given;
        expect(reading?.oxygenMgL).toBeGreaterThanOrEqual(5);
        expect(reading?.ageMs).not.toBeNull();
        expect(reading?.ageMs).toBeLessThanOrEqual(20 * MINUTE);
        expect(given.nowMs - (before?.sinceMs ?? 0)).toBeGreaterThanOrEqual(15 * MINUTE);
      }
    }),
  );
});

test('whatever comes, an old reading or none never asks for OFF', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isProbe) => {
      for (const { facts: given, answer } of through(steps, isProbe)) {
        const ageMs = given.reading?.ageMs ?? Number.POSITIVE_INFINITY;
        if (ageMs > 20 * MINUTE) expect(answer.wish).not.toBe('OFF');
      }
    }),
  );
});

test('whatever came before, a low reading asks for ON and one at the emergency level for an emergency', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, isProbe) => {
      for (const { facts: given, answer } of through(steps, isProbe)) {
        const ageMs = given.reading?.ageMs ?? 0;
        if (given.reading === null || ageMs > 24 * HOUR) continue;
        if (given.reading.oxygenMgL <= 3) expect(answer.wish).toBe('EMERGENCY');
        else if (given.reading.oxygenMgL <= 4) expect(isOn(answer.wish)).toBe(true);
      }
    }),
  );
});
