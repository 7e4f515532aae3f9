import { describe, expect, test } from 'vitest';
import { NO_ACTIVITY } from '#core/device-activity.ts';
import {
  type DeviceMemory,
  hasCurrentAgain,
  hasNoCurrent,
  hasReturned,
  isOffline,
  observed,
  resumed,
} from '#features/alarms/alerts/device-alert-rules.ts';
import type { DeviceFacts } from '#features/alarms/alerts/ports.ts';
import { aDevice, listeningSince, START } from './builders.ts';

const MINUTE = 60_000;
const unexplained = { isExcused: false, isCovered: false, dips: [] };
const at = (monotonic: number, now = START + monotonic) => ({ now, monotonic });

/** Looks at a controller at each instant; its facts may change from look to look. */
function watched(
  looks: readonly (readonly [monotonic: number, facts: Partial<DeviceFacts>])[],
): DeviceMemory {
  const last = looks.reduce<DeviceMemory | undefined>(
    (memory, [monotonic, facts]) =>
      observed(memory, aDevice(facts), {
        clock: at(monotonic),
        listening: listeningSince(0),
        ...unexplained,
      }),
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

describe('a process that stood still', () => {
  const paused = (from: number, to: number) => ({
    ...listeningSince(0),
    sinceMonotonic: to,
    pauses: [{ from, to }],
  });

  test('is silent itself: nobody was for as long as that', () => {
    const device = aDevice({ lastReportMonotonic: 2 * MINUTE });
    const listening = paused(3 * MINUTE, 60 * MINUTE);
    expect([
      isOffline(device, listening, at(62 * MINUTE)),
      isOffline(device, listening, at(69 * MINUTE)),
      isOffline(device, listening, at(69 * MINUTE + 1)),
    ]).toEqual([false, false, true]);
  });

  test('blames nobody within the grace after it, however long it had been silent', () => {
    const device = aDevice({ lastReportMonotonic: 0 });
    const listening = paused(9 * MINUTE, 12 * MINUTE);
    expect([
      isOffline(device, listening, at(13 * MINUTE + 29_999)),
      isOffline(device, listening, at(13 * MINUTE + 30_000)),
    ]).toEqual([false, true]);
  });

  test('that stands still again and again hides nobody for ever', () => {
    const device = aDevice({ lastReportMonotonic: 0 });
    const pauses = Array.from({ length: 30 }, (_, n) => ({
      from: (n + 1) * MINUTE,
      to: (n + 1) * MINUTE + 12_000,
    }));
    const listening = { ...listeningSince(0), sinceMonotonic: pauses.at(-1)?.to ?? 0, pauses };
    expect(isOffline(device, listening, at(30 * MINUTE + 20_000))).toBe(true);
  });

  test('a controller that was there before it and is not after it fell', () => {
    const listening = paused(MINUTE, 10 * MINUTE);
    const facts = { lastReportMonotonic: MINUTE - 20_000, isOnline: false } as const;
    const looks = [10 * MINUTE, 11 * MINUTE + 29_999, 11 * MINUTE + 30_000];
    const falls = looks.map(
      (monotonic) =>
        observed(undefined, aDevice(facts), { clock: at(monotonic), listening, ...unexplained }).fellAt,
    );
    expect(falls).toEqual([null, null, 11 * MINUTE + 30_000]);
  });

  test('and one that was up before it has not fallen by it', () => {
    const up = watched([[0, { lastReportMonotonic: 0 }]]);
    const memory = resumed(up, 80_000);
    const listening = paused(1_000, 80_000);
    const facts = aDevice({ lastReportMonotonic: 0, isOnline: false });
    expect([
      up.isUp,
      observed(memory, facts, { clock: at(81_000), listening, ...unexplained }).fellAt,
    ]).toEqual([true, null]);
  });
});

describe('a controller that restarts again and again', () => {
  const restarted = (...minutes: number[]) => ({
    activity: { ...NO_ACTIVITY, restarts: minutes.map((minute) => minute * MINUTE) },
  });
  const looks = (restarts: readonly number[], until: number) =>
    Array.from({ length: until + 1 }, (_, minute) => {
      const happened = restarts.filter((each) => each <= minute);
      return [minute * MINUTE, restarted(...happened)] as const;
    });
  const isUnsteady = (restarts: readonly number[], until: number) =>
    watched(looks(restarts, until)).unsteadyAt !== null;

  test('is unsteady until five minutes after the last time; what it did before counts no more', () => {
    const restarts = [1, 2, 3];
    expect([2, 3, 7, 8, 9].map((minute) => isUnsteady(restarts, minute))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect(isUnsteady([...restarts, 10], 10)).toBe(false);
    expect(isUnsteady([...restarts, 10, 11, 12], 12)).toBe(true);
  });

  test('is so also when minutes lie between', () => {
    expect(isUnsteady([1, 8, 15], 15)).toBe(true);
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
