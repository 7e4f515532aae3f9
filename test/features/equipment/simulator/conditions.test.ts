import { describe, expect, test } from 'vitest';
import { faultsBetween, WELL } from '#features/equipment/simulator/simulator-desk.ts';
import { fault } from '#sim/fleet/faults.ts';

describe('what happens to a virtual controller', () => {
  test('is only what is different, its power last', () => {
    expect(faultsBetween(WELL, WELL)).toEqual([]);
    expect(faultsBetween(WELL, { ...WELL, power: 'off', loss: 0.2, delay_ms: 900 })).toEqual([
      { kind: 'delay', min_ms: 900, max_ms: 900 },
      { kind: 'loss', share: 0.2 },
      { kind: 'power_cut' },
    ]);
    expect(faultsBetween({ ...WELL, power: 'off' }, WELL)).toEqual([{ kind: 'power_return' }]);
  });

  test('when a relay comes free is everything anew: what else is wrong stays wrong', () => {
    const stuck = { ...WELL, stuck_at: 'OFF', clock_skew_s: -3_600 } as const;
    expect(faultsBetween(stuck, { ...stuck, stuck_at: 'ON' })).toEqual([{ kind: 'relay_stuck', at: 'ON' }]);
    expect(faultsBetween(stuck, { ...stuck, stuck_at: null })).toEqual([
      { kind: 'heal' },
      { kind: 'clock_skew', skew_s: -3_600 },
    ]);
    const tripped = { ...WELL, breaker: 'tripped' } as const;
    expect(faultsBetween(tripped, WELL)).toEqual([{ kind: 'heal' }]);
  });

  test('is something that the simulator knows', () => {
    const all = faultsBetween(WELL, {
      power: 'off',
      network: 'down',
      delay_ms: 10_000,
      loss: 0.9,
      clock_skew_s: 86_400,
      stuck_at: 'ON',
      breaker: 'tripped',
      hand_switch: 'OFF',
    });
    expect(all).toHaveLength(8);
    for (const one of all) expect(() => fault.parse({ ...one, on: ['simulated-1'] })).not.toThrow();
  });
});
