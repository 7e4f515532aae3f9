import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCIENCE_DEFAULTS } from '#science/constants.ts';
import { energyBenchmark, energyCost, energyKwh, hoursWithin, type Interval } from '#science/energy.ts';

const { energy } = SCIENCE_DEFAULTS;
/** Hours of 1 March by the farm's clock, three hours behind UTC. */
const at = (hour: number) => Date.parse('2026-03-01T03:00:00Z') + hour * 3_600_000;
const from = (start: number, end: number): Interval => ({ fromMs: at(start), toMs: at(end) });
const place = { utcOffsetMinutes: -180 };
const night = { ...energy, discountWindows: [{ from: '21:30', to: '06:00', discountPercent: 70 }] };

describe('kilowatt-hours', () => {
  test('four 1.5 kW aerators from 18:00 to 06:00 use 72 kWh', () => {
    const uses = Array.from({ length: 4 }, () => ({ powerKw: 1.5, ranAt: [from(18, 30)] }));
    expect(energyKwh(uses, from(0, 48))).toBe(72);
  });

  test('only what lies in the window counts', () => {
    expect(hoursWithin([from(-5, 2), from(20, 30)], from(0, 24))).toBe(6);
    expect(hoursWithin([], from(0, 24))).toBe(0);
  });
});

describe('cost', () => {
  const uses = [{ powerKw: 10, ranAt: [from(18, 30)] }];
  const window = from(0, 48);

  test('without a discount every kWh costs the tariff', () => {
    expect(energyCost(energy, place, { uses, window })).toEqual({ kwh: 120, discountedKwh: 0, cost: 78 });
  });

  // 8.5 h × 10 kW = 85 kWh at 30 % of 0.65, 35 kWh at 0.65
  test('a discount by night over midnight', () => {
    const found = energyCost(night, place, { uses, window });
    expect(found.discountedKwh).toBeCloseTo(85, 9);
    expect(found.cost).toBeCloseTo(85 * 0.195 + 35 * 0.65, 9);
  });

  test('the clock is the farm’s: the same hours of UTC are others', () => {
    const utc = energyCost(night, { utcOffsetMinutes: 0 }, { uses, window });
    // 18:00–06:00 at the farm is 21:00–09:00 UTC: 21:30–06:00 of it is discounted
    expect(utc.discountedKwh).toBeCloseTo(85, 9);
    const india = energyCost(night, { utcOffsetMinutes: 330 }, { uses, window });
    // 02:30–14:30 in India: 02:30–06:00
    expect(india.discountedKwh).toBeCloseTo(35, 9);
  });

  test('the fallback by day, and the larger of two that overlap', () => {
    const byDay = {
      ...energy,
      discountWindows: [
        { from: '08:00', to: '16:30', discountPercent: 50 },
        { from: '12:00', to: '14:00', discountPercent: 80 },
      ],
    };
    const found = energyCost(byDay, place, { uses: [{ powerKw: 1, ranAt: [from(0, 24)] }], window });
    expect(found.discountedKwh).toBeCloseTo(8.5, 9);
    // 6.5 h at half, 2 h at a fifth, 15.5 h in full
    expect(found.cost).toBeCloseTo(0.65 * (6.5 * 0.5 + 2 * 0.2 + 15.5), 9);
  });

  test('a window of no length gives nothing, a day’s window everything', () => {
    const none = { ...energy, discountWindows: [{ from: '08:00', to: '08:00', discountPercent: 50 }] };
    expect(energyCost(none, place, { uses, window }).discountedKwh).toBe(0);
    const all = { ...energy, discountWindows: [{ from: '00:00', to: '23:59', discountPercent: 100 }] };
    expect(energyCost(all, place, { uses, window }).cost).toBeCloseTo((10 / 60) * 0.65, 6);
  });

  test('however the hours lie, a discount never costs more nor saves more than itself', () => {
    const hour = fc.double({ min: 0, max: 96, noNaN: true });
    fc.assert(
      fc.property(hour, hour, fc.integer({ min: -720, max: 840 }), (one, other, utcOffsetMinutes) => {
        const ran = from(Math.min(one, other), Math.max(one, other));
        const drawn = { uses: [{ powerKw: 2, ranAt: [ran] }], window: from(0, 96) };
        const found = energyCost(night, { utcOffsetMinutes }, drawn);
        expect(found.discountedKwh).toBeLessThanOrEqual(found.kwh + 1e-9);
        expect(found.cost).toBeLessThanOrEqual(found.kwh * 0.65 + 1e-9);
        expect(found.cost).toBeGreaterThanOrEqual(found.kwh * 0.65 * 0.3 - 1e-9);
      }),
    );
  });
});

// Boyd & McNevin (The Fish Site): 13.7–24.5, mean 18.1 GJ per tonne in Thailand; 1 GJ is 277.8 kWh.
describe('benchmark', () => {
  test('the marks are those of the survey', () => {
    const { low, mean, high } = energy.kwhPerTonne;
    [13.7, 18.1, 24.5].forEach((gj, i) => {
      expect(Math.abs(([low, mean, high][i] ?? 0) - gj * 277.78)).toBeLessThan(1);
    });
    // about R$ 3.3 per kg at R$ 0.65
    expect((mean / 1000) * energy.tariffPerKwh).toBeCloseTo(3.27, 2);
  });

  test.each([
    [3_805, 'BELOW_USUAL'],
    [3_806, 'USUAL'],
    [6_806, 'USUAL'],
    [6_807, 'ABOVE_USUAL'],
  ])('%d kWh for a tonne is %s', (kwh, rating) => {
    expect(energyBenchmark(energy, { kwh, gainedKg: 1000 })).toEqual({ kwhPerTonne: kwh, rating });
  });

  test('without growth there is none', () => {
    expect(energyBenchmark(energy, { kwh: 100, gainedKg: 0 })).toBeNull();
    expect(energyBenchmark(energy, { kwh: 100, gainedKg: -1 })).toBeNull();
  });
});
