import { describe, expect, it } from 'vitest';
import { BLIND_CHARTS, SCIENCE_DEFAULTS } from '#science/constants.ts';
import { blindFeedKg, largestBlindFeedKg } from '#science/feeding-ration.ts';

const postlarvae = { species: 'vannamei', initialWeightG: 0.003, isWeighed: false } as const;
const kgOn = (chart: (typeof BLIND_CHARTS)[number], day: number, fields = {}) =>
  blindFeedKg(SCIENCE_DEFAULTS, chart, { ...postlarvae, day: day - 1, ...fields });

describe('100,000 postlarvae that nobody weighed', () => {
  it.each([
    [1, 2.5],
    [7, 3.1],
    [14, 4.5],
    [30, 9.3],
  ])('on day %s of the intensive chart get %s kg', (day, kg) => {
    expect(kgOn('VINH_PHAT_LOC', day)).toBeCloseTo(kg, 10);
  });

  it('eat the 159.7 kg in 30 days that the intensive chart says', () => {
    const days = Array.from({ length: 30 }, (_, i) => kgOn('VINH_PHAT_LOC', i + 1) ?? 0);
    expect(days.reduce((sum, kg) => sum + kg, 0)).toBeCloseTo(159.7, 10);
  });

  it('get 1 to 7 kg a hectare in 20 days by Brazilian practice, of 30 shrimp per m²', () => {
    expect((kgOn('ROCHA_MAIA_1998', 1) ?? 0) * 3).toBeCloseTo(1, 10);
    expect((kgOn('ROCHA_MAIA_1998', 20) ?? 0) * 3).toBeCloseTo(7, 10);
    expect(kgOn('ROCHA_MAIA_1998', 21)).toBeNull();
  });

  it.each([
    ['once weighed', { isWeighed: true }],
    ['stocked as juveniles', { initialWeightG: 1 }],
    ['of another species', { species: 'monodon' }],
  ])('%s are fed by weight', (_what, fields) => {
    for (const chart of BLIND_CHARTS) expect(kgOn(chart, 5, fields)).toBeNull();
  });

  it('no chart gives less the day after, and none more than the largest', () => {
    for (const chart of BLIND_CHARTS)
      for (let day = 1; day < 30; day += 1) {
        const [today, tomorrow] = [kgOn(chart, day), kgOn(chart, day + 1)];
        if (today !== null && tomorrow !== null) expect(tomorrow).toBeGreaterThanOrEqual(today);
        const most = largestBlindFeedKg(SCIENCE_DEFAULTS, { ...postlarvae, day: day - 1 });
        expect(today ?? 0).toBeLessThanOrEqual(most);
      }
  });
});
