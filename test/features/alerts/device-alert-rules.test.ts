import { describe, expect, test } from 'vitest';
import {
  type DeviceMemory,
  hasCurrentAgain,
  hasNoCurrent,
  hasReturned,
  isOffline,
  isUnconfirmed,
  observed,
} from '#features/alerts/device-alert-rules.ts';
import type { DeviceFacts } from '#features/alerts/ports.ts';
import { aDevice, listeningSince, START } from './builders.ts';

const MINUTE = 60_000;
const at = (monotonic: number, now = START + monotonic) => ({ now, monotonic });

/** Looks at a controller at each instant; its facts may change from look to look. */
function watched(
  looks: readonly (readonly [monotonic: number, facts: Partial<DeviceFacts>])[],
): DeviceMemory {
  const last = looks.reduce<DeviceMemory | undefined>(
    (memory, [monotonic, facts]) =>
      observed(memory, aDevice(facts), { clock: at(monotonic), listening: listeningSince(0) }),
    undefined,
  );
  if (last === undefined) throw new Error('no look was taken');
  return last;
}

describe('a silent controller', () => {
  test.each([
    ['exactly ten minutes', 10 * MINUTE, false],
    ['a moment more', 10 * MINUTE + 1, true],
  ])('is offline after %s: %s', (_words, silent, isIt) => {
    expect(isOffline(aDevice({ lastReportMonotonic: 0 }), listeningSince(0), at(silent))).toBe(isIt);
  });

  test('that never reported is not offline', () => {
    const device = aDevice({ lastReportAt: null, lastReportMonotonic: null });
    expect(isOffline(device, listeningSince(0), at(24 * 60 * MINUTE))).toBe(false);
  });

  test('is not offline because the wall clock stepped', () => {
    const device = aDevice({ lastReportMonotonic: 5 * MINUTE });
    expect(isOffline(device, listeningSince(0), at(6 * MINUTE, START + 9_000 * MINUTE))).toBe(false);
  });

  test.each([
    ['nine minutes of silence before a long stop count', 9 * MINUTE, 2 * MINUTE, true],
    ['the stop itself does not', 0, 9 * MINUTE, false],
    ['nobody is offline within the grace of a start', 30 * MINUTE, 89_999, false],
    ['but is after it', 30 * MINUTE, 90_000, true],
  ])('%s', (_words, silentBefore, sinceStart, isIt) => {
    const stoppedAt = START + 60 * MINUTE;
    const device = aDevice({ lastReportAt: stoppedAt - silentBefore, lastReportMonotonic: null });
    const startedAt = stoppedAt + 300 * MINUTE;
    const listening = listeningSince(0, stoppedAt);
    expect(isOffline(device, listening, at(sinceStart, startedAt + sinceStart))).toBe(isIt);
  });

  test('with a slow heartbeat has two intervals of grace', () => {
    const device = aDevice({ lastReportAt: START, lastReportMonotonic: null });
    const listening = { ...listeningSince(0, START + 30 * MINUTE), heartbeatIntervalMs: 2 * MINUTE };
    expect([3.9, 4].map((minutes) => isOffline(device, listening, at(minutes * MINUTE)))).toEqual([
      false,
      true,
    ]);
  });

  test('has returned with its next report, not with a restart of the gateway', () => {
    const heard = aDevice({ lastReportMonotonic: 20 * MINUTE });
    const unheard = aDevice({ lastReportMonotonic: null });
    const now = at(20 * MINUTE + 1);
    expect([heard, unheard].map((device) => hasReturned(device, listeningSince(0), now))).toEqual([
      true,
      false,
    ]);
  });
});

describe('an order', () => {
  const ordered = { target: 'ON', current: 'OFF', version: 2 } as const;

  test.each([
    ['over MQTT', 'mqtt', 15_000],
    ['over HTTP', 'http', 75_000],
  ] as const)('%s is unconfirmed only after its time', (_words, via, limit) => {
    const judge = (after: number) =>
      isUnconfirmed(
        watched([
          [0, { ...ordered, via }],
          [after, { ...ordered, via }],
        ]),
        aDevice({ ...ordered, via }),
        at(after),
      );
    expect([limit, limit + 1].map(judge)).toEqual([false, true]);
  });

  test('that a controller puts off is unconfirmed only after that', () => {
    const deferred = { ...ordered, deferredUntil: START + 60_000 };
    const looks = (until: number): [number, Partial<DeviceFacts>][] =>
      [0, 20_000, 59_000, 60_000, until].map((ms) => [ms, deferred]);
    const judge = (ms: number) => isUnconfirmed(watched(looks(ms)), aDevice(deferred), at(ms));
    expect([60_000, 74_000, 74_001].map(judge)).toEqual([false, false, true]);
  });

  test('to a silent controller waits for its return', () => {
    const memory = watched([
      [0, ordered],
      [10_000, { ...ordered, isOnline: false }],
      [600_000, ordered],
      [610_000, ordered],
    ]);
    expect(isUnconfirmed(memory, aDevice(ordered), at(610_000))).toBe(false);
  });

  test('repeated has its full time again', () => {
    const memory = watched([
      [0, ordered],
      [14_000, { ...ordered, version: 3 }],
      [20_000, { ...ordered, version: 3 }],
    ]);
    expect(isUnconfirmed(memory, aDevice({ ...ordered, version: 3 }), at(20_000))).toBe(false);
  });

  test('that is confirmed is done', () => {
    expect(
      watched([
        [0, ordered],
        [5000, { ...ordered, current: 'ON' }],
      ]).unconfirmed,
    ).toBeNull();
  });
});

describe('a motor that should run', () => {
  const running = (motorCurrentMa: number | null, lastReportMonotonic: number) =>
    ({ target: 'ON', current: 'ON', motorCurrentMa, lastReportMonotonic }) as const;

  test.each([
    [
      'draws nothing in two reports over more than ten seconds',
      [
        [0, 99, 0],
        [5000, 99, 5000],
        [10_001, 99, 5000],
      ],
      true,
    ],
    [
      'draws nothing for exactly ten seconds',
      [
        [0, 0, 0],
        [10_000, 0, 10_000],
      ],
      false,
    ],
    [
      'told so in one report only',
      [
        [0, 0, 0],
        [25_000, 0, 0],
      ],
      false,
    ],
    [
      'draws its current',
      [
        [0, 100, 0],
        [30_000, 100, 30_000],
      ],
      false,
    ],
    [
      'drew current in between',
      [
        [0, 0, 0],
        [9000, 3000, 9000],
        [12_000, 0, 12_000],
      ],
      false,
    ],
    [
      'has no meter',
      [
        [0, null, 0],
        [30_000, null, 30_000],
      ],
      false,
    ],
  ] as const)('and %s: no current', (_words, looks, isIt) => {
    const memory = watched(looks.map(([ms, current, report]) => [ms, running(current, report)]));
    expect(hasNoCurrent(memory, at(looks.at(-1)?.[0] ?? 0))).toBe(isIt);
  });

  test.each([
    ['current flows', { current: 'ON', motorCurrentMa: 100 }, true],
    ['it is off', { current: 'OFF', motorCurrentMa: 0 }, true],
    ['nothing is known', { current: 'ON', motorCurrentMa: null }, false],
  ] as const)('is well again when %s: %s', (_words, facts, isIt) => {
    expect(hasCurrentAgain(aDevice(facts))).toBe(isIt);
  });
});
