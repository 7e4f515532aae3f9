import { describe, expect, it } from 'vitest';
import { type AiredPond, offRiskOf } from '../../desktop/console/state/off-risk.ts';

const MIN = 60_000;
const H = 60 * MIN;
const aPond = (facts: Partial<AiredPond> = {}): AiredPond => ({
  cod: 'V-01',
  isEmpty: false,
  biomassKg: 2_000,
  oxygen: 6.1,
  oxygenAgeMs: 12 * MIN,
  ...facts,
});
const NIGHT = true;
const DAY = false;

describe('what a motor that stops means', () => {
  it.each<[string, AiredPond[] | null, boolean, string[] | null, boolean]>([
    ['by day with good oxygen of now: one question is enough', [aPond()], DAY, ['fine'], false],
    ['by night its code must be typed, however good the oxygen is', [aPond()], NIGHT, ['fine'], true],
    [
      'with low oxygen in one of its ponds it must',
      [aPond(), aPond({ oxygen: 4.9 })],
      DAY,
      ['fine', 'low'],
      true,
    ],
    ['oxygen at the limit is not low', [aPond({ oxygen: 5 })], DAY, ['fine'], false],
    [
      'oxygen that nobody measured is not fine',
      [aPond({ oxygen: null, oxygenAgeMs: null })],
      DAY,
      ['unknown'],
      true,
    ],
    ['oxygen of nine hours ago is not known', [aPond({ oxygenAgeMs: 9 * H })], DAY, ['unknown'], true],
    ['oxygen of seven hours ago is, by day', [aPond({ oxygenAgeMs: 7 * H })], DAY, ['fine'], false],
    [
      'a pond without a batch that nobody measures asks for nothing',
      [aPond({ isEmpty: true, oxygen: null })],
      DAY,
      ['empty'],
      false,
    ],
    [
      'one that was measured the other day does',
      [aPond({ isEmpty: true, oxygenAgeMs: 30 * H })],
      DAY,
      ['unknown'],
      true,
    ],
    ['and one with low oxygen, too', [aPond({ isEmpty: true, oxygen: 2.4 })], DAY, ['low'], true],
    ['a motor that airs no pond asks for nothing', [], DAY, [], false],
    ['ponds that are not known may hold anything', null, DAY, null, true],
  ])('%s', (_words, ponds, isNight, are, mustType) => {
    const risk = offRiskOf(ponds, isNight);
    expect([risk.ponds?.map((pond) => pond.is) ?? null, risk.mustType]).toEqual([are, mustType]);
  });

  it('is told with the animals of all its ponds', () => {
    expect(offRiskOf([aPond(), aPond({ biomassKg: null }), aPond({ biomassKg: 340 })], DAY).biomassKg).toBe(
      2_340,
    );
  });
});
