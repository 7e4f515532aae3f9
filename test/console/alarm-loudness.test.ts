import { describe, expect, it } from 'vitest';
import { isSoundTestDue, loudnessOf, NIGHT_VOLUMES } from '../../desktop/console/state/alarm-state.ts';

const SOUNDS = ['soft', 'two-beeps', 'three-beeps', 'blind'] as const;
const PLACES = [true, false];

describe('an alarm by night', () => {
  it('that is critical, and the tone of a blind screen, are as loud as ever whatever was chosen', () => {
    for (const chosen of NIGHT_VOLUMES)
      for (const isStation of PLACES)
        for (const sound of ['three-beeps', 'blind'] as const)
          expect(loudnessOf(sound, { chosen, isNight: true, isStation })).toBe(1);
  });

  it('that is not critical is softer at a desk, and at a panel never so soft that nobody hears it', () => {
    const [isNight, sound] = [true, 'two-beeps'] as const;
    const heard = (isStation: boolean) =>
      NIGHT_VOLUMES.map((chosen) => loudnessOf(sound, { chosen, isNight, isStation }));
    expect(heard(false)).toEqual([1, 0.6, 0.3]);
    expect(heard(true)).toEqual([1, 0.6, 0.6]);
  });

  it('has no say by day', () => {
    for (const sound of SOUNDS)
      expect(loudnessOf(sound, { chosen: '30', isNight: false, isStation: false })).toBe(1);
  });
});

describe('the test of the sound', () => {
  // three hours behind UTC
  const dayOf = (instant: number) => new Date(instant - 3 * 3_600_000).toISOString().slice(0, 10);
  const at = (day: number, hour: number) => Date.UTC(2026, 2, day, hour + 3);

  it('is asked for from the first hour of the shift on, once a day', () => {
    expect(isSoundTestDue(null, at(3, 12), dayOf)).toBe(true);
    expect(isSoundTestDue(at(3, 6), at(3, 22), dayOf)).toBe(false);
    expect(isSoundTestDue(at(3, 6), at(4, 5), dayOf)).toBe(false);
    expect(isSoundTestDue(at(3, 23), at(4, 6), dayOf)).toBe(true);
  });

  it('is asked for again where the clock was put back to a day before it', () => {
    expect(isSoundTestDue(at(5, 8), at(3, 12), dayOf)).toBe(true);
  });
});
