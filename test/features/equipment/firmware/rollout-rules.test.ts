import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TargetState } from '#contract/resources/firmware.ts';
import type { Rollout, Target } from '#features/equipment/firmware/ports.ts';
import { createRolloutBook } from '#features/equipment/firmware/rollout-book.ts';
import {
  type Moment,
  nextStep,
  type RolloutStep,
  withdrawn,
} from '#features/equipment/firmware/rollout-rules.ts';
import { compareVersions } from '#features/equipment/firmware/store-firmware.ts';

const T0 = Date.UTC(2026, 2, 2, 12);

const aRollout = (fields: Partial<Rollout> = {}): Rollout => ({
  id: 'r',
  farm_id: 'f',
  firmware_id: 'i',
  chip: 'esp32',
  version: '2.0.0',
  state: 'running',
  window_from: null,
  window_to: null,
  canary_size: 1,
  wave_size: 3,
  soak_s: 0,
  max_failures: 0,
  allow_older: false,
  reason: null,
  created_by: 'u',
  created_at: new Date(T0).toISOString(),
  finished_at: null,
  ...fields,
});

const aTarget = (n: number, fields: Partial<Target> = {}): Target => ({
  id: `t${n}`,
  rollout_id: 'r',
  farm_id: 'f',
  control_point_id: `c${n}`,
  cod: `CP-${n}`,
  device_id: `d${n}`,
  place: n,
  wave: null,
  state: 'waiting',
  reason: null,
  detail: null,
  attempt: 1,
  from_version: '1.0.0',
  state_at: new Date(T0).toISOString(),
  ...fields,
});

const aMoment = ({ nowMs = T0 + 1000, ...fields }: Partial<Moment> = {}): Moment => ({
  nowMs,
  isClockTrusted: true,
  zone: 'America/Fortaleza',
  alarms: [],
  controller: (id) => ({ isConnected: true, version: '1.0.0', ponds: [`pond of ${id}`] }),
  busyPonds: new Set(),
  standsForMs: ({ state_at }) => nowMs - Date.parse(state_at),
  silentForMs: ({ state_at }) => nowMs - Date.parse(state_at),
  ageMs: ({ state_at }) => nowMs - Date.parse(state_at),
  ...fields,
});

const said = ({ changes, state, wait }: RolloutStep) => ({
  changes: changes.map(({ target, set }) => `${target.id} ${set.state}${set.reason ? ` ${set.reason}` : ''}`),
  state,
  wait,
});

describe('what a rollout does next', () => {
  it('opens no window while the clock of the gateway is not trusted', () => {
    const rollout = aRollout({ window_from: '00:00', window_to: '23:59' });
    expect(said(nextStep(rollout, [aTarget(1)], aMoment({ isClockTrusted: false })))).toEqual({
      changes: [],
      state: null,
      wait: 'CLOCK_UNTRUSTED',
    });
  });

  it('knows a window that lies over midnight', () => {
    const rollout = aRollout({ window_from: '22:00', window_to: '04:00' });
    const waitAt = (hourThere: number) =>
      nextStep(rollout, [aTarget(1)], aMoment({ nowMs: Date.UTC(2026, 2, 2, hourThere + 3) })).wait;
    expect([23, 3, 4, 12].map(waitAt)).toEqual([
      'WAVE_RUNNING',
      'WAVE_RUNNING',
      'OUTSIDE_WINDOW',
      'OUTSIDE_WINDOW',
    ]);
  });

  it('takes back the leave to restart when an alarm comes before the controller used it', () => {
    const target = aTarget(1, { state: 'approved', wave: 0 });
    expect(said(nextStep(aRollout(), [target], aMoment({ alarms: ['LOW_OXYGEN (V-1)'] })))).toEqual({
      changes: ['t1 ready'],
      state: null,
      wait: 'OXYGEN_ALARM',
    });
  });

  it('tries a silent download three times, and gives a controller up that does not come back', () => {
    const at = aMoment({ nowMs: T0 + 11 * 60_000 });
    const silent = (attempt: number) => aTarget(1, { state: 'downloading', wave: 0, attempt });
    expect(said(nextStep(aRollout(), [silent(1)], at)).changes).toEqual(['t1 waiting DOWNLOAD_FAILED']);
    expect(said(nextStep(aRollout(), [silent(3)], at)).changes).toEqual(['t1 failed DOWNLOAD_FAILED']);
    const away = aTarget(2, { state: 'installing', wave: 0 });
    expect(said(nextStep(aRollout(), [away], aMoment({ nowMs: T0 + 16 * 60_000 }))).changes).toEqual([
      't2 failed LOST',
    ]);
  });

  it('counts no hour against a controller during which the gateway itself was off', async () => {
    const targets = [
      aTarget(1, { state: 'installing', wave: 0 }),
      aTarget(2, { state: 'approved', wave: 0 }),
      aTarget(3, { state: 'ready', wave: 0 }),
      aTarget(4, { state: 'downloading', wave: 0 }),
    ];
    let onForMs = 0;
    const book = createRolloutBook({
      queries: {
        images: async () => [],
        openRollouts: async () => [aRollout({ max_failures: 9 })],
        targetsOf: async () => targets,
      },
      now: () => T0 + 8 * 3_600_000 + onForMs,
      monotonic: () => onForMs,
    });
    await book.load();
    // nobody is back at once
    const after = (minutes: number) => {
      onForMs = minutes * 60_000;
      const moment = aMoment({
        nowMs: T0 + 8 * 3_600_000 + onForMs,
        controller: () => ({ isConnected: false, version: '1.0.0', ponds: [] }),
        standsForMs: book.standsForMs,
        silentForMs: book.silentForMs,
      });
      return said(nextStep(aRollout(), targets, moment)).changes;
    };
    expect(after(0.1)).toEqual([]);
    book.heard('t4', 1000);
    expect([after(9), after(11), after(16)]).toEqual([
      [],
      ['t4 waiting DOWNLOAD_FAILED'],
      ['t1 failed LOST', 't2 failed LOST', 't3 waiting', 't4 waiting DOWNLOAD_FAILED'],
    ]);
  });

  it('soaks for as long as was said, whatever the clock does meanwhile, and over a restart no longer', async () => {
    const canary = aTarget(1, { state: 'done', wave: 0 });
    const targets = [canary, aTarget(2)];
    const soaking = aRollout({ soak_s: 600 });
    const clock = { monotonic: 0, now: T0 };
    const began = async () => {
      const book = createRolloutBook({
        queries: {
          images: async () => [],
          openRollouts: async () => [soaking],
          targetsOf: async () => targets,
        },
        now: () => clock.now,
        monotonic: () => clock.monotonic,
      });
      await book.load();
      return book;
    };
    const pass = (minutes: number) => {
      clock.monotonic += minutes * 60_000;
      clock.now += minutes * 60_000;
    };
    const book = await began();
    const waits = (from: Awaited<ReturnType<typeof began>>) =>
      nextStep(soaking, targets, aMoment({ nowMs: clock.now, ageMs: from.ageMs })).wait === 'SOAKING';
    pass(3);
    clock.now += 3_600_000;
    expect(waits(book)).toBe(true);
    clock.now -= 7_200_000;
    pass(6);
    expect(waits(book)).toBe(true);
    pass(2);
    expect(waits(book)).toBe(false);
    // three minutes of it had passed before the power went, and four without power
    clock.now = T0 + 7 * 60_000;
    const again = await began();
    pass(2);
    expect(waits(again)).toBe(true);
    pass(2);
    expect(waits(again)).toBe(false);
  });

  it('counts a controller that went away after its leave to restart as restarting, a quarter of an hour long', () => {
    const gone = aTarget(1, { state: 'approved', wave: 0 });
    const after = (minutes: number) =>
      said(
        nextStep(
          aRollout(),
          [gone],
          aMoment({
            nowMs: T0 + minutes * 60_000,
            controller: () => ({ isConnected: false, version: '1.0.0', ponds: [] }),
          }),
        ),
      ).changes;
    expect([after(14), after(16)]).toEqual([[], ['t1 failed LOST']]);
  });

  it('gives a controller that goes away once it is ready its turn again later, so that the others go on', () => {
    const ready = [aTarget(1, { state: 'ready', wave: 0 }), aTarget(2)];
    const isAway = (away: string) => (id: string) => ({
      isConnected: id !== away,
      version: '1.0.0',
      ponds: [],
    });
    const after = (minutes: number, targets = ready) =>
      said(
        nextStep(aRollout(), targets, aMoment({ nowMs: T0 + minutes * 60_000, controller: isAway('c1') })),
      );
    expect(after(14)).toEqual({ changes: [], state: null, wait: 'NOBODY_CONNECTED' });
    expect(after(16).changes).toEqual(['t1 waiting']);
    expect(after(16, [aTarget(1), aTarget(2)]).changes).toEqual(['t2 offered']);
  });

  it('restarts no second aerator of a pond while one that may restart is away', () => {
    const both = [aTarget(1, { state: 'ready', wave: 0 }), aTarget(2, { state: 'ready', wave: 0 })];
    const controller = (id: string) => ({ isConnected: id !== 'c1', version: '1.0.0', ponds: ['p'] });
    expect(said(nextStep(aRollout(), both, aMoment({ controller })))).toEqual({
      changes: [],
      state: null,
      wait: 'POND_BUSY',
    });
  });

  it('knows a controller that was called back as restarting until it has been there for a minute', () => {
    const called = withdrawn([aTarget(1, { state: 'approved', wave: 0 }), aTarget(2)], 'ROLLOUT_CANCELLED');
    expect(called.map(({ set }) => set)).toEqual([
      { state: 'approved', reason: 'ROLLOUT_CANCELLED' },
      { state: 'cancelled', reason: 'ROLLOUT_CANCELLED' },
    ]);
    const approved = aTarget(1, { state: 'approved', wave: 0, reason: 'ROLLOUT_CANCELLED' });
    const after = (minutes: number, isConnected: boolean) =>
      said(
        nextStep(
          aRollout({ state: 'cancelled' }),
          [approved],
          aMoment({
            nowMs: T0 + minutes * 60_000,
            controller: () => ({ isConnected, version: '1.0.0', ponds: ['p'] }),
          }),
        ),
      ).changes;
    expect([after(0.9, true), after(1.1, true)]).toEqual([[], ['t1 cancelled ROLLOUT_CANCELLED']]);
    expect([after(14, false), after(16, false)]).toEqual([[], ['t1 failed LOST']]);
  });

  it('leaves out who runs it or something newer, and waits between waves', () => {
    const versions: Record<string, string> = { c1: '2.0.0', c2: '2.10.0', c3: '1.0.0' };
    const moment = aMoment({
      controller: (id) => ({ isConnected: true, version: versions[id] ?? null, ponds: [] }),
    });
    const targets = [aTarget(1), aTarget(2), aTarget(3)];
    expect(said(nextStep(aRollout(), targets, moment)).changes).toEqual([
      't1 skipped ALREADY_RUNS_IT',
      't2 skipped RUNS_NEWER',
    ]);
    const soaking = [aTarget(1, { state: 'done', wave: 0 }), aTarget(3)];
    expect(nextStep(aRollout({ soak_s: 600 }), soaking, moment).wait).toBe('SOAKING');
  });

  it('never lets two aerators of one pond restart at once, nor any during an alarm, whatever happens', () => {
    const restarting: readonly TargetState[] = ['approved', 'installing', 'confirming'];
    const happening = fc.record({
      who: fc.nat(7),
      becomes: fc.constantFrom<TargetState>(
        'downloading',
        'ready',
        'installing',
        'confirming',
        'done',
        'failed',
      ),
      isAlarm: fc.boolean(),
      isConnected: fc.boolean(),
      afterS: fc.integer({ min: 1, max: 900 }),
      busy: fc.nat(9),
    });
    const ponds = fc.array(fc.array(fc.nat(4), { maxLength: 2 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(ponds, fc.array(happening, { maxLength: 60 }), (pondsOf, happenings) => {
        const rollout = aRollout({ canary_size: 3, wave_size: 5, max_failures: 50 });
        let targets = pondsOf.map((_, n) => aTarget(n));
        let nowMs = T0;
        for (const { who, becomes, isAlarm, isConnected, afterS, busy } of happenings) {
          nowMs += afterS * 1000;
          const state_at = new Date(nowMs).toISOString();
          const asked = targets[who];
          // a controller goes on only with what it was asked for
          const mayGoOn = asked !== undefined && asked.state !== 'waiting';
          const restarts = restarting.includes(becomes);
          const isAllowed = asked !== undefined && (!restarts || restarting.includes(asked.state));
          if (mayGoOn && isAllowed && asked.wave !== null)
            targets = targets.map((one, n) => (n === who ? { ...one, state: becomes, state_at } : one));
          const moment = aMoment({
            nowMs,
            alarms: isAlarm ? ['LOW_OXYGEN'] : [],
            busyPonds: new Set([String(busy)]),
            controller: (id) => ({
              isConnected: isConnected || id !== `c${who}`,
              version: '1.0.0',
              ponds: (pondsOf[Number(id.slice(1))] ?? []).map(String),
            }),
          });
          const { changes } = nextStep(rollout, targets, moment);
          const allowed = changes.filter(({ set }) => set.state === 'approved');
          if (isAlarm) expect(allowed).toEqual([]);
          for (const { target, set } of changes)
            targets = targets.map((one) => (one.id === target.id ? { ...one, ...set, state_at } : one));
          if (allowed.length === 0) continue;
          const inUse = targets
            .filter(({ state }) => restarting.includes(state))
            .flatMap(({ control_point_id: id }) => [...new Set(pondsOf[Number(id.slice(1))])]);
          const fresh = allowed.flatMap(({ target }) => pondsOf[target.place] ?? []);
          for (const pond of fresh) {
            expect(pond).not.toBe(busy);
            expect(inUse.filter((used) => used === pond)).toHaveLength(1);
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('versions', () => {
  it('are compared number by number, and a word behind them comes before none', () => {
    const sorted = ['1.9', '1.10.0-rc.2', '1.10.0-rc.10', '1.10.0', '1.10.1', '2'];
    for (const [n, older] of sorted.entries()) {
      for (const newer of sorted.slice(n + 1)) expect(compareVersions(older, newer)).toBeLessThan(0);
    }
    expect(compareVersions('1.5', '1.5.0')).toBe(0);
    expect(compareVersions('sim-1.0.0', '1.0.0')).toBeNull();
  });
});
