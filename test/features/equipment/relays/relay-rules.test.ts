import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bootInstant,
  type ChannelState,
  isChangeByHand,
  sendAt,
} from '#features/equipment/relays/relay-rules.ts';
import { countEnergy, isFirstZero, type MeterMemory } from '#features/equipment/relays/relay-session.ts';

const NOW = 1_000_000;
const LIMITS = { minOnMs: 60_000, minOffMs: 60_000, startDelayMs: 12_000, isLockedOut: false };

const aChannel = (more: Partial<ChannelState> = {}): ChannelState => ({
  target: 'ON',
  current: 'OFF',
  changedAt: 0,
  onlineAt: 0,
  bootedAt: null,
  sent: null,
  isDue: false,
  isByHand: false,
  isGivenUp: false,
  isForced: false,
  ...more,
});

describe('when a relay is told to switch', () => {
  test.each<[string, Partial<ChannelState>, Partial<typeof LIMITS>, number | null]>([
    ['rested for long: at once', {}, {}, NOW],
    ['stands as it should: never', { target: 'OFF' }, {}, null],
    ['stands as it should and has just come: once', { target: 'OFF', isDue: true }, {}, NOW],
    ['stopped a moment ago: after its rest', { changedAt: NOW - 20_000 }, {}, NOW + 40_000],
    [
      'started a moment ago: after its least run',
      { target: 'OFF', current: 'ON', changedAt: NOW - 10_000 },
      {},
      NOW + 50_000,
    ],
    [
      'locked out: at once, whatever its least run',
      { target: 'OFF', current: 'ON', changedAt: NOW - 10_000 },
      { isLockedOut: true },
      NOW,
    ],
    [
      'locked out and switched on by hand: at once',
      { target: 'OFF', current: 'ON', isByHand: true },
      { isLockedOut: true },
      NOW,
    ],
    [
      'power came back: after its rest and its slot',
      { bootedAt: NOW - 5_000, isDue: true },
      {},
      NOW + 67_000,
    ],
    [
      'power came back and it stands at ON already: at once',
      { current: 'ON', bootedAt: NOW - 5_000, isDue: true },
      {},
      NOW,
    ],
    ['switched by hand: not before the next order', { isByHand: true }, {}, null],
    ['switched by hand, then ordered: at once', { isByHand: true, isDue: true }, {}, NOW],
    ['switched by hand in an emergency: at once', { isByHand: true, isForced: true }, {}, NOW],
    [
      'switched by hand in an emergency, a moment ago: after its rest',
      { isByHand: true, isForced: true, changedAt: NOW - 20_000 },
      {},
      NOW + 40_000,
    ],
    ['switched itself too often: no more', { isGivenUp: true }, {}, null],
    ['switched itself too often, in an emergency: at once', { isGivenUp: true, isForced: true }, {}, NOW],
    ['switched itself too often, then ordered: at once', { isGivenUp: true, isDue: true }, {}, NOW],
    [
      'told in an emergency many times: once a minute from then on',
      { isForced: true, isByHand: true, sent: { target: 'ON', at: NOW - 1_000, tries: 40 } },
      {},
      NOW + 59_000,
    ],
    [
      'says nothing of itself yet: a moment is waited',
      { current: null, onlineAt: NOW, isDue: true },
      {},
      NOW + 3_000,
    ],
    [
      'told once and did nothing: again after five seconds',
      { sent: { target: 'ON', at: NOW - 1_000, tries: 1 } },
      {},
      NOW + 4_000,
    ],
    [
      'told four times: once a minute from then on',
      { sent: { target: 'ON', at: NOW - 1_000, tries: 9 } },
      {},
      NOW + 59_000,
    ],
  ])('%s', (_, state, limits, at) => {
    expect(sendAt(aChannel(state), { ...LIMITS, ...limits }, NOW)).toBe(at);
  });

  test('a start is never sent within the rest of the motor, whatever else holds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200_000 }),
        fc.boolean(),
        fc.boolean(),
        (ago, isDue, isByHand) => {
          const changedAt = NOW - ago;
          const at = sendAt(aChannel({ changedAt, isDue, isByHand }), LIMITS, NOW);
          expect(at ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(changedAt + LIMITS.minOffMs);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('only one that started within the slot of one of its motors counts as started', () => {
    const later = { ...LIMITS, startDelayMs: 30_000 };
    const at = (uptimeS: number, ...limits: (typeof LIMITS)[]) => bootInstant(uptimeS, NOW, limits);
    expect([
      at(10, LIMITS),
      at(72, LIMITS),
      at(72, LIMITS, later),
      at(72, later, LIMITS),
      at(90, later),
    ]).toEqual([NOW - 10_000, null, NOW - 72_000, NOW - 72_000, null]);
  });

  test('a change that no order of ours explains was made by hand', () => {
    const sent = { target: 'ON', at: NOW - 1_000, tries: 1 } as const;
    expect([
      isChangeByHand({ target: 'OFF', current: 'OFF', sent: null }, 'ON', NOW),
      isChangeByHand({ target: 'OFF', current: 'OFF', sent }, 'ON', NOW),
      isChangeByHand({ target: 'OFF', current: 'OFF', sent: { ...sent, at: NOW - 20_000 } }, 'ON', NOW),
      isChangeByHand({ target: 'ON', current: 'OFF', sent: null }, 'ON', NOW),
      isChangeByHand({ target: 'OFF', current: null, sent: null }, 'ON', NOW),
    ]).toEqual([true, false, true, false, false]);
  });
});

describe('energy', () => {
  const HOUR = 3_600_000;
  const at = (nowMs: number, ratedW = 1_500) => ({ id: 'cp', nowMs, ratedW });
  const first = countEnergy(null, { countedWh: 5_000, since: 'A' }, at(0));

  test('counts from adoption on, whatever the relay counted before', () => {
    expect(first).toMatchObject({ counted_wh: 0, raw_wh: 5_000, epoch: 1 });
    expect(countEnergy(first, { countedWh: 6_400, since: 'A' }, at(HOUR))).toMatchObject({
      counted_wh: 1_400,
      epoch: 1,
    });
  });

  test('a counter that went back, or began anew, begins a new epoch and takes nothing away', () => {
    const second = countEnergy(first, { countedWh: 6_400, since: 'A' }, at(HOUR));
    expect(countEnergy(second, { countedWh: 100, since: 'A' }, at(2 * HOUR))).toMatchObject({
      counted_wh: 1_400,
      epoch: 2,
    });
    expect(countEnergy(second, { countedWh: 6_500, since: 'B' }, at(2 * HOUR))).toMatchObject({
      counted_wh: 1_400,
      epoch: 2,
    });
  });

  test('a jump that no motor could have made is not counted, and counting goes on from there', () => {
    const jumped = countEnergy(first, { countedWh: 900_000, since: 'A' }, at(HOUR));
    expect(jumped).toMatchObject({ counted_wh: 0, refused: 1, raw_wh: 900_000 });
    expect(countEnergy(jumped, { countedWh: 901_000, since: 'A' }, at(2 * HOUR))).toMatchObject({
      counted_wh: 1_000,
    });
  });

  test.each<[string, Partial<MeterMemory>, number]>([
    ['nothing was measured in this run: what nobody saw may have run', { readings: 1, highestW: 0 }, 1_410],
    ['it never ran in this run', { highestW: 0 }, 0],
    ['it ran, and drew 1.5 kW', { highestW: 1_500, wasOn: true }, 0],
    ['it ran, and drew 15 kW', { highestW: 15_000, wasOn: true }, 1_410],
    ['it ran, and its power is not known', { highestW: null, wasOn: true }, 1_410],
  ])('1,410 Wh within seconds without the power of the motor: %s', (_, seen, counted) => {
    const unrated = countEnergy(null, { countedWh: 0, since: 'A' }, at(0, 0));
    const memory = { highestW: null, wasOn: false, isZeroBefore: false, readings: 5, ...seen };
    const next = countEnergy(unrated, { countedWh: 1_410, since: 'A' }, { ...at(10_000, 0), seen: memory });
    expect(next.counted_wh).toBe(counted);
  });

  test('a 0 that comes alone is no reading, as a first word or later; two in a row are', () => {
    const judged = (before: ReturnType<typeof countEnergy> | null, readings: number[]) => {
      const memory = { highestW: null, wasOn: false, isZeroBefore: false, readings: 0 };
      return readings.map((wh) => isFirstZero(before, wh, memory));
    };
    expect([judged(null, [0, 5]), judged(null, [0, 0]), judged(first, [0, 0, 5, 0])]).toEqual([
      [true, false],
      [true, false],
      [true, false, false, true],
    ]);
  });

  test('the counted energy only grows, whatever a counter does', () => {
    const readings = fc.array(
      fc.record({ wh: fc.double({ min: 0, max: 1e9, noNaN: true }), hours: fc.integer({ min: 0, max: 50 }) }),
    );
    fc.assert(
      fc.property(readings, (steps) => {
        let meter = first;
        let now = 0;
        for (const { wh, hours } of steps) {
          now += hours * HOUR;
          const next = countEnergy(meter, { countedWh: wh, since: null }, at(now, 0));
          expect(next.counted_wh).toBeGreaterThanOrEqual(meter.counted_wh);
          expect(next.epoch).toBeGreaterThanOrEqual(meter.epoch);
          meter = next;
        }
      }),
      { numRuns: 200 },
    );
  });
});
