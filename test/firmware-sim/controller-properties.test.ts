import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Level } from '#sim/controller/state.ts';
import { FACTORY_CONFIG } from '#sim/controller/state.ts';
import type { EventWithoutTime } from '#sim/controller-runner.ts';
import type { Bench } from './drive.ts';
import { aBench, aLevel } from './drive.ts';

// Nights nobody would write down: any order of levels, cuts, losses and hands, and what must hold in all of them.

const MIN_OFF_S = 40;
const MIN_ON_S = 25;
const START_DELAY_S = 12;
const CONFIG = {
  min_off_s: MIN_OFF_S,
  min_on_s: MIN_ON_S,
  start_delay_s: START_DELAY_S,
  lost_s: 30,
} as const;

const target = fc.constantFrom('ON' as const, 'OFF' as const);
const happening: fc.Arbitrary<EventWithoutTime> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .record({ target, version: fc.nat(20), epoch: fc.constantFrom('e1', 'e2') })
      .map(({ target: to, version, epoch }) => aLevel(to, version, { epoch })),
  },
  { weight: 2, arbitrary: fc.constant<EventWithoutTime>({ kind: 'connected' }) },
  { weight: 2, arbitrary: fc.constant<EventWithoutTime>({ kind: 'disconnected' }) },
  { weight: 1, arbitrary: fc.constant<EventWithoutTime>({ kind: 'power_cut' }) },
  { weight: 2, arbitrary: fc.constant<EventWithoutTime>({ kind: 'power_on' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(true, true, false).map((isOk): EventWithoutTime => ({ kind: 'mains', isOk })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('AUTO', 'AUTO', 'AUTO', 'ON', 'OFF')
      .map((position): EventWithoutTime => ({ kind: 'hand_switch', position })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('ON', 'OFF', 'HOLD', 'SCHEDULE').map(
      (fail_safe): EventWithoutTime => ({
        kind: 'config',
        config: { ...FACTORY_CONFIG, ...CONFIG, fail_safe, rev: 2, hash: fail_safe },
      }),
    ),
  },
);
// Every night begins with power, and is long enough for things to meet.
const night = fc
  .array(fc.record({ happening, waitS: fc.nat(60) }), { minLength: 10, maxLength: 80, size: 'max' })
  .map((events): Night => [{ happening: { kind: 'power_on' }, waitS: 15 }, ...events]);

type Night = { happening: EventWithoutTime; waitS: number }[];
/** `afterChanges`: of the relay. Power may come back in the millisecond in which it went. */
type Boot = { atMs: number; afterChanges: number };

function live(events: Night, seed = 1) {
  const bench = aBench({ seed, config: CONFIG });
  const boots: Boot[] = [];
  const boot = () => boots.push({ atMs: bench.nowMs(), afterChanges: bench.relayChanges.length });
  for (const { happening: event, waitS } of events) {
    const { isPowered, isMainsOk } = bench.state();
    if (event.kind === 'power_on' && !isPowered) boot();
    if (event.kind === 'mains' && event.isOk && isPowered && !isMainsOk) boot();
    bench.send(event);
    bench.wait(waitS);
  }
  return { bench, boots };
}

/** The rule as the protocol words it: a new epoch always, within one nothing lower. */
function mayReplace(last: Level | undefined, next: Level): boolean {
  return last === undefined || last.epoch !== next.epoch || next.version >= last.version;
}

/** Starts that came before the rest was over or before the slot, or of a motor that ran already. */
function hastyStarts(changes: Bench['relayChanges'], boots: readonly Boot[]): Bench['relayChanges'] {
  return changes.filter((change, index) => {
    if (change.to === 'OFF') return false;
    const before = changes[index - 1];
    const bootMs = boots.findLast(({ afterChanges }) => afterChanges <= index)?.atMs ?? 0;
    const hasRested =
      before === undefined || (before.to === 'OFF' && change.atMs - before.atMs >= MIN_OFF_S * 1000);
    return !hasRested || change.atMs - bootMs < START_DELAY_S * 1000;
  });
}

describe('whatever happens in a night', () => {
  test('a motor never starts before its rest is over nor before its slot', () => {
    fc.assert(
      fc.property(night, (events) => {
        const { bench, boots } = live(events);
        expect(hastyStarts(bench.relayChanges, boots)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('the level in force is the one the version rule says, and nothing else is ever applied', () => {
    fc.assert(
      fc.property(night, (events) => {
        const bench = aBench({ config: CONFIG });
        const accepted: Level[] = [];
        const held: (Level | null)[] = [];
        const expected: (Level | null)[] = [];
        for (const { happening: event, waitS } of events) {
          const last = accepted.at(-1);
          if (event.kind === 'desired' && bench.state().isPowered && mayReplace(last, event.level)) {
            accepted.push(event.level);
          }
          bench.send(event);
          bench.wait(waitS);
          held.push(bench.state().nvs.level);
          expected.push(accepted.at(-1) ?? null);
        }
        expect(held).toEqual(expected);
        const { applied } = bench.state().nvs;
        const names = accepted.map(({ epoch, version }) => `${epoch}/${version}`);
        expect([...names, 'null']).toContain(
          applied === null ? 'null' : `${applied.epoch}/${applied.version}`,
        );
      }),
      { numRuns: 300 },
    );
  });

  test('with power, mains, a free hand switch and a session, it ends in the wanted state', () => {
    fc.assert(
      fc.property(night, target, (events, wanted) => {
        const { bench } = live(events);
        const calm: EventWithoutTime[] = [
          { kind: 'power_on' },
          { kind: 'mains', isOk: true },
          { kind: 'hand_switch', position: 'AUTO' },
          { kind: 'disconnected' },
        ];
        for (const event of calm) bench.send(event);
        bench.wait(120);
        bench.send({ kind: 'connected' });
        bench.send(aLevel(wanted, 1, { epoch: 'after the restore' }));
        bench.wait(MIN_OFF_S + START_DELAY_S + MIN_ON_S);
        expect(bench.plant.coil).toBe(wanted);
        expect(bench.state().nvs.applied).toEqual({ epoch: 'after the restore', version: 1 });
      }),
      { numRuns: 300 },
    );
  });

  test('with HOLD, no loss of the network ever moves the relay', () => {
    fc.assert(
      fc.property(target, fc.array(fc.nat(400), { maxLength: 20 }), (wanted, waits) => {
        const bench = aBench({ config: { ...CONFIG, fail_safe: 'HOLD' } });
        bench.send({ kind: 'power_on' });
        bench.wait(20);
        bench.send({ kind: 'connected' });
        bench.send(aLevel(wanted, 1));
        bench.wait(60);
        const moves = bench.relayChanges.length;
        for (const [index, waitS] of waits.entries()) {
          bench.send(index % 2 === 0 ? { kind: 'disconnected' } : { kind: 'connected' });
          bench.wait(waitS);
        }
        expect(bench.relayChanges).toHaveLength(moves);
      }),
    );
  });

  test('the same seed and the same events give the same night', () => {
    fc.assert(
      fc.property(night, fc.nat(), (events, seed) => {
        const first = live(events, seed).bench;
        const second = live(events, seed).bench;
        expect(second.state()).toEqual(first.state());
        expect(second.relayChanges).toEqual(first.relayChanges);
      }),
      { numRuns: 50 },
    );
  });

  test('the timer always points to the future or to nothing', () => {
    fc.assert(
      fc.property(night, (events) => {
        const { bench } = live(events);
        expect(bench.state().timerAtMs ?? Number.POSITIVE_INFINITY).toBeGreaterThan(bench.nowMs());
      }),
      { numRuns: 200 },
    );
  });
});
