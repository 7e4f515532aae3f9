import { expect, it } from 'vitest';
import { isToBeAsked } from '#adapters/system/disciplined-clock.ts';

// To ask the machine of its clock starts a program, which holds up every heartbeat for as long as that takes.

const SECOND = 1_000;
const asked = (isSynchronised: boolean | null) => ({
  isSynchronised,
  hasBatteryClock: null,
  askedAt: 5 * SECOND,
});
const after = (seconds: number) => (5 + seconds) * SECOND;

it('a clock that the network keeps is asked for every ten minutes', () => {
  expect(isToBeAsked(asked(true), after(599))).toBe(false);
  expect(isToBeAsked(asked(true), after(600))).toBe(true);
});

it('one that the network does not keep yet is asked for at each look', () => {
  expect(isToBeAsked(asked(false), after(20))).toBe(true);
});

it('a machine that knew nothing is asked again a minute later', () => {
  expect(isToBeAsked(asked(null), after(59))).toBe(false);
  expect(isToBeAsked(asked(null), after(60))).toBe(true);
});

it('one that was never asked is asked at once', () => {
  expect(isToBeAsked({ isSynchronised: null, hasBatteryClock: null }, 0)).toBe(true);
});
