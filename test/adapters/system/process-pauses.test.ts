import { describe, expect, test } from 'vitest';
import { watchPauses } from '#adapters/system/process-pauses.ts';
import { attendedMs, isSettling, type ProcessPause } from '#core/clock-trust.ts';

const SECOND = 1_000;

/** A machine whose clocks a test moves; nothing of it beats by itself within a test. */
function aMachine({ uptimeGrainMs }: { uptimeGrainMs?: number } = {}) {
  const time = { monotonic: 5_000, uptime: 900_000 };
  const said: Record<string, unknown>[] = [];
  const resumed: ProcessPause[] = [];
  const ignore = () => undefined;
  const pauses = watchPauses({
    monotonic: () => time.monotonic,
    uptimeMs: () => time.uptime,
    ...(uptimeGrainMs === undefined ? {} : { uptimeGrainMs }),
    log: { debug: ignore, info: ignore, error: ignore, warn: (fields) => void said.push(fields) },
  });
  pauses.onResume((pause) => void resumed.push(pause));
  const runs = (ms: number) => {
    for (let passed = 0; passed < ms; passed += SECOND) {
      time.monotonic += SECOND;
      time.uptime += SECOND;
      pauses.all();
    }
  };
  return { time, pauses, said, resumed, runs };
}

describe('a process', () => {
  test('that comes round every second never stood still', () => {
    const { pauses, runs, said } = aMachine();
    runs(120 * SECOND);
    expect([pauses.all(), pauses.lastResumedAt(), said]).toEqual([[], null, []]);
    pauses.stop();
  });

  test.each([
    ['was stopped for 80 s', 80 * SECOND, 80 * SECOND, { forS: 80, sleptS: 0 }],
    [
      'slept for an hour that its monotonic clock did not see',
      2 * SECOND,
      3_600 * SECOND,
      { forS: 3600, sleptS: 3598 },
    ],
    ['slept for an hour that it did see', 3_600 * SECOND, 3_600 * SECOND, { forS: 3600, sleptS: 0 }],
    ['was held up by a card for 11 s', 11 * SECOND, 11 * SECOND, { forS: 11, sleptS: 0 }],
  ])('that %s is told once', (_words, monotonic, uptime, fields) => {
    const { time, pauses, runs, said, resumed } = aMachine();
    runs(10 * SECOND);
    time.monotonic += monotonic;
    time.uptime += uptime;
    const all = pauses.all();
    runs(10 * SECOND);
    expect(said).toEqual([fields]);
    expect(resumed).toEqual([{ from: 15_000, to: 15_000 + Math.max(monotonic, uptime) }]);
    expect([all, pauses.lastResumedAt()]).toEqual([resumed, 15_000 + Math.max(monotonic, uptime)]);
    pauses.stop();
  });

  test('that was busy for nine seconds did not stand still', () => {
    const { time, pauses, said } = aMachine();
    time.monotonic += 9 * SECOND;
    time.uptime += 9 * SECOND;
    expect([pauses.all(), said]).toEqual([[], []]);
    pauses.stop();
  });

  test('did not sleep because its clocks run faster than its machine', () => {
    const { time, pauses } = aMachine();
    for (let beats = 0; beats < 100; beats += 1) {
      time.monotonic += 5 * SECOND;
      time.uptime += SECOND / 2;
      pauses.all();
    }
    expect(pauses.all()).toEqual([]);
    pauses.stop();
  });
});

test('what was attended of a time leaves out every pause that touches it', () => {
  const pauses = [
    { from: 10, to: 20 },
    { from: 50, to: 100 },
  ];
  expect([
    attendedMs(pauses, 0, 200),
    attendedMs(pauses, 15, 60),
    attendedMs(pauses, 60, 90),
    attendedMs(pauses, 100, 130),
  ]).toEqual([140, 30, 0, 30]);
});

test('connections that broke in a pause are found broken for a minute and a half after it', () => {
  const pauses = [{ from: 0, to: 1_000 }];
  expect([
    isSettling([], 500),
    isSettling(pauses, 1_000),
    isSettling(pauses, 90_999),
    isSettling(pauses, 91_000),
  ]).toEqual([false, true, true, false]);
});

describe('the monotonic clock of the program', () => {
  test('counts the sleep of the machine, so that what was to end in it has ended', () => {
    const { time, pauses, runs } = aMachine();
    const before = pauses.monotonic();
    runs(10 * SECOND);
    time.monotonic += 2 * SECOND;
    time.uptime += 3_600 * SECOND;
    pauses.all();
    runs(10 * SECOND);
    expect(pauses.monotonic() - before).toBe(3_620 * SECOND);
    pauses.stop();
  });

  test('counts sleeps that are short, one by one or added up', () => {
    for (const [uptimeGrainMs, exactlyMs] of [
      [20, 40],
      [1_000, 2_000],
    ] as const) {
      const { time, pauses, runs } = aMachine({ uptimeGrainMs });
      const before = pauses.monotonic();
      for (let naps = 0; naps < 20; naps += 1) {
        time.uptime += 450;
        runs(SECOND);
      }
      const slept = pauses.monotonic() - before - 20 * SECOND;
      expect(slept).toBeLessThanOrEqual(20 * 450);
      expect(slept).toBeGreaterThan(20 * 450 - exactlyMs);
      pauses.stop();
    }
  });

  test('counts no sleep where the two clocks round, or run a little differently, for a day', () => {
    const { time, pauses, runs } = aMachine({ uptimeGrainMs: 20 });
    const before = pauses.monotonic();
    const day = 86_400;
    for (let beats = 0; beats < day; beats += 1) {
      time.uptime += 0.1 + (beats % 2 === 0 ? 15 : -15);
      runs(SECOND);
    }
    expect(pauses.monotonic() - before).toBe(day * SECOND);
    pauses.stop();
  });
});
