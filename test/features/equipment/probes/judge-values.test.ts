import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ProbeParameter,
  probeRegister,
  REGISTER_TYPES,
  WORD_ORDERS,
} from '#contract/resources/probes.ts';
import {
  decode,
  judgeValues,
  profileOf,
  readsOf,
  type ValueMemory,
  wordKey,
} from '#features/equipment/probes/decode-registers.ts';
import { SHIPPED_PROFILES } from '#features/equipment/probes/shipped-profiles.ts';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';

const { water } = SCIENCE_DEFAULTS;
const MINUTE = 60_000;

const wordsOf = (...words: number[]) => new Map(words.map((word, at) => [wordKey(3, at), word]));
const register = (fields: Record<string, unknown>) =>
  probeRegister.parse({ parameter: 'dissolved_oxygen', address: 0, ...fields });

/** Says one oxygen value after the other to the judge, every `everyMs`. */
function judgedOxygen(values: readonly number[], everyMs = 10_000) {
  const memory = new Map<ProbeParameter, ValueMemory>();
  return values.map((value, index) => {
    const decoded = [{ parameter: 'dissolved_oxygen', value, fault: null } as const];
    const [judged] = judgeValues(water, memory, decoded, index * everyMs);
    return judged?.reason ?? judged?.quality;
  });
}

describe('registers of a probe', () => {
  test('a value has the sign, the width and the order of bytes its maker chose', () => {
    const float = { '1234': [0x4088, 0], '3412': [0, 0x4088], '2143': [0x8840, 0], '4321': [0, 0x8840] };
    for (const word_order of WORD_ORDERS) {
      const words = wordsOf(...float[word_order]);
      expect(decode(register({ type: 'f32', word_order }), words).value).toBe(4.25);
    }
    expect(decode(register({ type: 'i16', scale: 0.1 }), wordsOf(0xffce)).value).toBe(-5);
    expect(decode(register({ type: 'u16', scale: 0.001 }), wordsOf(4250)).value).toBe(4.25);
    expect(decode(register({ type: 'i32', offset: 1 }), wordsOf(0xffff, 0xfffe)).value).toBe(-1);
  });

  test('a NaN, a code for "no value" and a value beyond the range are no measurement', () => {
    expect(decode(register({ type: 'f32' }), wordsOf(0xffff, 0xffff)).fault).toBe('NOT_MEASURED');
    expect(decode(register({ not_measured: [-32_768] }), wordsOf(0x8000)).fault).toBe('NOT_MEASURED');
    expect(decode(register({ max: 20 }), wordsOf(21)).fault).toBe('OUT_OF_RANGE');
    expect(decode(register({}), new Map()).fault).toBe('NOT_MEASURED');
  });

  test('only what touches is read together', () => {
    const odo = profileOf('in-situ-odo', []);
    expect(readsOf(odo?.registers ?? [], 1).map(({ address, count }) => [address, count])).toEqual([
      [0, 4],
      [6, 2],
      [16, 2],
    ]);
    for (const { registers } of SHIPPED_PROFILES) expect(readsOf(registers, 1).length).toBeLessThanOrEqual(3);
  });

  test('whatever a probe holds and a profile says, the value is a number in range or none', () => {
    const anyRegister = fc.record({
      type: fc.constantFrom(...REGISTER_TYPES),
      word_order: fc.constantFrom(...WORD_ORDERS),
      scale: fc.double({ min: 0.001, max: 1_000, noNaN: true }),
      offset: fc.double({ min: -1_000, max: 1_000, noNaN: true }),
    });
    const word = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(anyRegister, word, word, (fields, first, second) => {
        const { value, fault } = decode(register({ ...fields, min: 0, max: 20 }), wordsOf(first, second));
        if (fault === null) expect(value).toSatisfy((one: number) => one >= 0 && one <= 20);
        if (fault === 'NOT_MEASURED') expect(value).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});

describe('what a probe says', () => {
  test('a value that leaps is not believed until it is seen three times in a row', () => {
    expect(judgedOxygen([6, 6.1, 1.2, 6, 1.2, 1.3, 1.2, 1.1])).toEqual([
      'good',
      'good',
      'LEAP',
      'good',
      'LEAP',
      'LEAP',
      'good',
      'good',
    ]);
  });

  test('oxygen that does not move for six hours comes from a probe out of order', () => {
    const night = judgedOxygen(Array(38).fill(5.5), 10 * MINUTE);
    expect(night.slice(0, 36).every((word) => word === 'good')).toBe(true);
    expect(night.slice(36)).toEqual(['STANDS_STILL', 'STANDS_STILL']);
  });

  test('a value that comes back after a long silence is no leap', () => {
    expect(judgedOxygen([6, 2.5], 11 * MINUTE)).toEqual(['good', 'good']);
  });

  test('more oxygen than water can hold is doubted', () => {
    expect(judgedOxygen([45])).toEqual(['IMPLAUSIBLE']);
  });
});
