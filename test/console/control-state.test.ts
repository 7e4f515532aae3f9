import { describe, expect, it } from 'vitest';
import {
  type ControlFacts,
  controlStateOf,
  isHeard,
  keptOrder,
} from '../../desktop/console/state/freshness.ts';

const S = 1_000;
const facts = (some: Partial<ControlFacts> = {}): ControlFacts => ({
  target: 'OFF',
  reported: 'OFF',
  isOnline: true,
  silentForMs: 5 * S,
  isLockedOut: false,
  commandedForMs: null,
  isBlind: false,
  ...some,
});

describe('a motor that is locked out', () => {
  it.each<[string, Partial<ControlFacts>, object]>([
    ['and stands', {}, { isHeard: true, reported: 'OFF' }],
    ['and runs all the same says so', { reported: 'ON' }, { isHeard: true, reported: 'ON' }],
    [
      'and fell silent is not told to be as it was',
      { silentForMs: 91 * S },
      { isHeard: false, reported: 'OFF' },
    ],
    ['and never spoke neither', { silentForMs: null, reported: null }, { isHeard: false, reported: null }],
  ])('%s', (_words, some, told) => {
    expect(controlStateOf(facts({ isLockedOut: true, ...some }))).toEqual({ is: 'locked', ...told });
  });
});

describe('what a controller says', () => {
  it.each([
    [60, true, true],
    [90, true, true],
    [91, true, false],
    [5, false, false],
    [null, true, false],
  ])('%s s ago, its line up: %s, is taken for now: %s', (seconds, isOnline, heard) => {
    expect(isHeard({ isOnline, silentForMs: seconds === null ? null : seconds * S })).toBe(heard);
  });
});

describe('rows under a finger', () => {
  it.each<[string, string[], string[], string[]]>([
    ['stay where they are, whatever became urgent', ['a', 'b', 'c'], ['c', 'a', 'b'], ['a', 'b', 'c']],
    ['that are new come behind', ['a', 'b'], ['n', 'b', 'a'], ['a', 'b', 'n']],
    ['that are gone leave', ['a', 'b', 'c'], ['c', 'a'], ['a', 'c']],
  ])('%s', (_words, drawn, wanted, shown) => {
    expect(keptOrder(drawn, wanted)).toEqual(shown);
  });
});
