import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventWithoutTime } from '#sim/controller-runner.ts';
import { aBench, aConnectedBench, aLevel, type Bench } from './drive.ts';

const CONFIG = { min_on_s: 0, min_off_s: 0, start_delay_s: 12, lost_s: 30 } as const;

/** `target` for so many seconds, then the other. */
function aPassing(target: 'ON' | 'OFF', version: number, untilS: number): EventWithoutTime {
  const level = aLevel(target, version);
  if (level.kind !== 'desired') throw new Error('a level');
  const then = target === 'ON' ? 'OFF' : 'ON';
  return { ...level, level: { ...level.level, ends: { untilS, then } } };
}

/** One that airs, and was told so. */
function anAiringBench(config: Parameters<typeof aBench>[0] = {}): Bench {
  const bench = aConnectedBench({ config: { ...CONFIG, ...config.config } });
  bench.send(aLevel('ON', 1));
  bench.wait(30);
  return bench;
}

const coil = (bench: Bench) => bench.state().relay.coil;
const lastHeartbeat = (bench: Bench) => bench.published('hb').at(-1);

describe('a level with an end', () => {
  test('ends by itself in time, and the controller says so', () => {
    const bench = anAiringBench();
    bench.send(aPassing('OFF', 2, 60));
    expect(coil(bench)).toBe('OFF');
    bench.wait(59);
    expect(coil(bench)).toBe('OFF');
    bench.wait(1);
    expect(lastHeartbeat(bench)).toMatchObject({ ended: true, current_status: 'OFF' });
    // its slot, for many pauses may end together
    bench.wait(11);
    expect(coil(bench)).toBe('OFF');
    bench.wait(1);
    expect(coil(bench)).toBe('ON');
    expect(lastHeartbeat(bench)).toMatchObject({
      ended: true,
      current_status: 'ON',
      version: 2,
      source: 'shadow',
    });
  });

  test('of a start stops at once, and of a pause that the gateway ends before starts at once', () => {
    const bench = anAiringBench();
    bench.send(aLevel('OFF', 2));
    bench.send(aPassing('ON', 3, 60));
    bench.wait(60);
    expect(coil(bench)).toBe('OFF');
    bench.send(aLevel('ON', 4));
    bench.wait(13);
    bench.send(aPassing('OFF', 5, 60));
    bench.wait(62);
    expect(coil(bench)).toBe('OFF');
    bench.send(aLevel('ON', 6));
    expect(coil(bench)).toBe('ON');
    bench.send({ kind: 'tick' });
    expect(bench.state().nvs).toMatchObject({ hasEnded: false, ending: null });
  });

  test.each([
    ['ON', 'ON'],
    ['OFF', 'OFF'],
    ['HOLD', 'ON'],
    ['SCHEDULE', 'ON'],
  ] as const)('holds to its end alone, and then fail-safe %s takes it %s', (fail_safe, after) => {
    const bench = anAiringBench({ config: { fail_safe } });
    bench.send(aPassing('OFF', 2, 120));
    bench.send({ kind: 'disconnected' });
    bench.wait(119);
    // long alone by then
    expect(coil(bench)).toBe('OFF');
    bench.wait(14);
    expect(coil(bench)).toBe(after);
  });

  test('what follows counts as given at its end: what the schedule said in the pause is over, what it says later rules', () => {
    const bench = anAiringBench();
    bench.send({ kind: 'time', unixMs: 1_000_000_000 });
    const nowS = 1_000_000;
    bench.send({
      kind: 'schedule',
      schedule: {
        rev: 2,
        hash: 's',
        from: nowS - 3_600,
        to: nowS + 36_000,
        tr: [
          [nowS - 600, 1, 'a'],
          [nowS + 60, 0, 'b'],
          [nowS + 600, 0, 'b'],
        ],
        weekly: [],
      },
    });
    bench.send(aPassing('OFF', 2, 120));
    bench.send({ kind: 'disconnected' });
    bench.wait(133);
    expect(coil(bench)).toBe('ON');
    bench.wait(500);
    expect(coil(bench)).toBe('OFF');
    expect(bench.state().control.source).toBe('local_schedule');
  });

  test('told again never lasts longer, ends sooner where less is left, and not at all where no end is told', () => {
    const bench = anAiringBench();
    bench.send(aPassing('OFF', 2, 60));
    bench.wait(30);
    bench.send(aPassing('OFF', 2, 600));
    bench.wait(29);
    expect(bench.state().nvs.hasEnded).toBe(false);
    bench.wait(1);
    expect(bench.state().nvs.hasEnded).toBe(true);
    bench.wait(20);
    bench.send(aPassing('OFF', 2, 600));
    expect(coil(bench)).toBe('ON');
    bench.send(aPassing('OFF', 3, 600));
    bench.send(aPassing('OFF', 3, 20));
    bench.wait(33);
    expect(coil(bench)).toBe('ON');
    bench.send(aPassing('OFF', 4, 20));
    bench.send(aLevel('OFF', 4));
    bench.wait(300);
    expect(coil(bench)).toBe('OFF');
  });

  test('over HTTP ends between two polls, and comes again with the next one', () => {
    const bench = aBench({ profile: { transport: 'http' }, config: CONFIG });
    bench.send({ kind: 'power_on' });
    bench.wait(20);
    const answer = (fields: object) =>
      bench.send({
        kind: 'http_answer',
        answer: {
          target_status: 'ON',
          epoch: 'e1',
          version: 2,
          server_time: '2026-03-02T12:00:00.000Z',
          poll_interval_s: 30,
          schedule_rev: 0,
          config_rev: 0,
          ...fields,
        },
      });
    answer({});
    bench.wait(1);
    expect(coil(bench)).toBe('ON');
    answer({ target_status: 'OFF', version: 3, until: 20, then: 'ON' });
    expect(coil(bench)).toBe('OFF');
    bench.wait(33);
    expect(coil(bench)).toBe('ON');
    // the gateway still counts
    answer({ target_status: 'OFF', version: 3, until: 5, then: 'ON' });
    expect(coil(bench)).toBe('ON');
  });
});

describe('whatever happens, a level with an end', () => {
  type Happening = { event: EventWithoutTime; waitS: number };
  const happening: fc.Arbitrary<EventWithoutTime> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .record({
          target: fc.constantFrom('ON' as const, 'OFF' as const),
          version: fc.nat(6),
          untilS: fc.nat(400),
        })
        .map(({ target, version, untilS }) => aPassing(target, version, untilS)),
    },
    { weight: 1, arbitrary: fc.nat(6).map((version) => aLevel('ON', version)) },
    { weight: 1, arbitrary: fc.constant<EventWithoutTime>({ kind: 'connected' }) },
    { weight: 1, arbitrary: fc.constant<EventWithoutTime>({ kind: 'disconnected' }) },
    { weight: 2, arbitrary: fc.constant<EventWithoutTime>({ kind: 'power_cut' }) },
    { weight: 3, arbitrary: fc.constant<EventWithoutTime>({ kind: 'power_on' }) },
    {
      weight: 1,
      arbitrary: fc.nat(2_000_000_000).map((s): EventWithoutTime => ({ kind: 'time', unixMs: s * 1000 })),
    },
  );
  const nights = fc.array(fc.record({ event: happening, waitS: fc.nat(100) }), {
    minLength: 5,
    maxLength: 60,
  });

  test('lasts no longer than was told, over restarts no longer than was left at the last note, which comes once a minute', () => {
    fc.assert(
      fc.property(nights, (night) => {
        const bench = aBench({ config: CONFIG });
        bench.send({ kind: 'power_on' });
        let endsBy = null as { version: number; atMs: number } | null;
        for (const { event, waitS } of night satisfies Happening[]) {
          const before = bench.state();
          bench.send(event);
          const { nvs, control, isPowered } = bench.state();
          if (event.kind === 'desired' && isPowered && nvs.level?.version === event.level.version) {
            const told = event.level.ends;
            const isAgain = endsBy?.version === event.level.version && told !== undefined;
            const atMs = bench.nowMs() + (told?.untilS ?? Number.POSITIVE_INFINITY) * 1000;
            const known = isAgain && endsBy !== null ? endsBy.atMs : Number.POSITIVE_INFINITY;
            endsBy = { version: event.level.version, atMs: Math.min(known, atMs) };
          }
          // without power nobody counts: what was left goes on from the note
          if (event.kind === 'power_on' && !before.isPowered && nvs.ending !== null && endsBy !== null)
            endsBy = { ...endsBy, atMs: bench.nowMs() + nvs.ending.leftS * 1000 };
          if (control.endAtMs !== null && endsBy !== null)
            expect(control.endAtMs).toBeLessThanOrEqual(endsBy.atMs + 1_000);
          const writes = bench
            .wait(waitS)
            .filter((effect) => effect.kind === 'persist' && effect.nvs.ending !== null).length;
          expect(writes).toBeLessThanOrEqual(Math.ceil(waitS / 60) + 2);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('that was cut short by the power is over after what was left at its last note', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), fc.nat(400), fc.nat(10_000), (untilS, ranS, awayS) => {
        const bench = anAiringBench();
        bench.send(aPassing('OFF', 2, untilS));
        bench.wait(ranS);
        const left = bench.state().nvs.ending?.leftS ?? 0;
        expect(left).toBeLessThanOrEqual(untilS);
        bench.send({ kind: 'power_cut' });
        bench.wait(awayS);
        bench.send({ kind: 'power_on' });
        bench.wait(left);
        expect(bench.state().nvs.hasEnded).toBe(true);
      }),
    );
  });
});
