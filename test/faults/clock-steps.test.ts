import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Tick } from '#adapters/timers/ticks.ts';
import { serve } from '#app/serve.ts';
import { StaleError, StorageUnavailable } from '#core/errors.ts';
import { createStamps } from '#features/control/schedules/follow-clock-step.ts';
import { readConfig } from '#runtime/config.ts';
import { type App, aControlPoint, aFarmWith, body, type MadeControlPoint, startApp } from '#test/app.ts';

const SECOND = 1_000;
const HOUR = 3_600_000;

describe('a clock that stepped forward and is right again', () => {
  let app: App;
  let token: string;
  const points: MadeControlPoint[] = [];
  beforeEach(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    ({ token } = farm);
    points.length = 0;
    for (const _ of [1, 2]) points.push(await aControlPoint(app, farm));
  });
  afterEach(() => app.close());

  const schedule = (n: number, afterMs: number) => {
    const start_time = new Date(app.kernel.now() + afterMs).toISOString();
    const path = `/control-points/${points[n]?.id}/schedules`;
    return app.call('POST', path, { token, body: { action: 'ON', start_time } });
  };
  const target = async (n: number) =>
    body(await app.call('GET', `/control-points/${points[n]?.id}`, { token }))['target_status'];
  async function pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n += 1) {
      app.clock.advance(SECOND);
      app.lookAtClock();
      await app.control.executor.tick();
    }
  }

  it('does not keep the next motor of a feeder waiting until the time of the last start comes again', async () => {
    app.stepWallClock(HOUR);
    await schedule(0, 2 * SECOND);
    await pass(5);
    expect(await target(0)).toBe('ON');
    app.stepWallClock(-HOUR);
    await schedule(1, 2 * SECOND);
    await pass(30);
    expect(await target(1)).toBe('ON');
  });
});

describe('what was given while the clock was wrong', () => {
  let app: App;
  let token: string;
  let path: string;
  beforeEach(async () => {
    app = await startApp('sqlite');
    const farm = await aFarmWith(app);
    ({ token } = farm);
    path = `/control-points/${(await aControlPoint(app, farm)).id}`;
  });
  afterEach(() => app.close());

  const order = (what: 'turn-on' | 'turn-off', for_s?: number) =>
    app.call('POST', `${path}/${what}`, { token, body: for_s === undefined ? {} : { for_s } });
  const target = async () => body(await app.call('GET', path, { token }))['target_status'];
  const lastOrder = async () =>
    ((await app.call('GET', `${path}/orders`, { token })).body as Record<string, string>[])[0];
  const scheduleOn = (afterMs: number) => {
    const start_time = new Date(app.kernel.now() + afterMs).toISOString();
    return app.call('POST', `${path}/schedules`, { token, body: { action: 'ON', start_time } });
  };
  async function pass(seconds: number): Promise<void> {
    for (let n = 0; n < seconds; n += 1) {
      app.clock.advance(SECOND);
      app.lookAtClock();
      await app.control.executor.tick();
    }
  }

  it('an order does not keep the aeration of the evening from starting once the clock is right', async () => {
    await pass(2);
    app.stepWallClock(HOUR);
    await pass(2);
    await order('turn-off');
    await pass(2);
    app.stepWallClock(-HOUR);
    await pass(2);
    await scheduleOn(10 * SECOND);
    expect(await target()).toBe('OFF');
    await pass(12);
    expect(await target()).toBe('ON');
    expect(app.sentences).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        sentence: 'orders and schedules keep their age over a step of the clock',
      }),
    );
  });

  it('an order for a time does not last an hour longer', async () => {
    await pass(2);
    app.stepWallClock(HOUR);
    await pass(2);
    await order('turn-on', 60);
    app.stepWallClock(-HOUR);
    await pass(30);
    expect(await target()).toBe('ON');
    await pass(40);
    expect(await target()).toBe('OFF');
  });

  it('a schedule entered then counts from when it was entered', async () => {
    await pass(2);
    app.stepWallClock(HOUR);
    await pass(2);
    await scheduleOn(30 * SECOND - HOUR);
    app.stepWallClock(-HOUR);
    expect(await target()).toBe('OFF');
    await pass(35);
    expect(await target()).toBe('ON');
  });

  it('an order given before is as old as it was when a clock set back by mistake is right again', async () => {
    await pass(2);
    await order('turn-on');
    const before = await lastOrder();
    app.stepWallClock(-HOUR);
    await pass(5);
    expect((await lastOrder())?.['issued_at']).not.toBe(before?.['issued_at']);
    app.stepWallClock(HOUR);
    await pass(5);
    expect((await lastOrder())?.['issued_at']).toBe(before?.['issued_at']);
  });

  it.each([
    ['others change the same rows', () => new StaleError('control point')],
    ['the disk is full', () => new StorageUnavailable('full', null)],
  ])('an order is as old as it was over two steps though %s meanwhile', async (_what, fails) => {
    await pass(2);
    await order('turn-on');
    const before = await lastOrder();
    const state = { ahead: 0, refusals: 0 };
    const stamps = createStamps({
      ...app.kernel,
      now: () => app.kernel.now() + state.ahead,
      pause: async () => undefined,
      views: app.control.registry,
      async commit(unit) {
        state.refusals -= 1;
        if (state.refusals >= 0) throw fails();
        return app.kernel.commit(unit);
      },
    });
    await stamps.look();
    for (const [ahead, steppedBy] of [
      [-HOUR, -HOUR],
      [0, HOUR],
    ] as const) {
      Object.assign(state, { ahead, refusals: 1 });
      await stamps.follow(steppedBy);
      await stamps.look();
      const issued = Date.parse(String((await lastOrder())?.['issued_at']));
      expect(issued - Date.parse(String(before?.['issued_at']))).toBe(ahead);
    }
  });

  it('an order is found by the next start, though nobody knows then how wrong the clock was', async () => {
    await pass(2);
    app.stepWallClock(HOUR);
    await order('turn-off');
    const now = app.kernel.now() - HOUR;
    const afterRestart = createStamps({ ...app.kernel, now: () => now, views: app.control.registry });
    await afterRestart.look();
    expect((await lastOrder())?.['issued_at']).toBe(new Date(now).toISOString());
  });
});

describe('whether a controller is online', () => {
  it.each([
    ['forward', HOUR],
    ['back', -HOUR],
  ])('does not change with a step of the clock %s', async (_way, step) => {
    const app = await startApp('sqlite');
    try {
      const farm = await aFarmWith(app);
      const { id, device_id } = await aControlPoint(app, farm);
      const isOnline = async () =>
        body(await app.call('GET', `/control-points/${id}`, { token: farm.token }))['is_online'];
      await app.call('POST', '/devices/heartbeat', { body: { device_id, current_status: 'OFF' } });
      app.clock.advance(30 * SECOND);
      app.stepWallClock(step);
      expect(await isOnline()).toBe(true);
      app.clock.advance(31 * SECOND);
      expect(await isOnline()).toBe(false);
    } finally {
      await app.close();
    }
  });
});

describe('a gateway that loses its power just after its clock was put right', () => {
  it('finds the right time kept, not the wrong one it went by before', async () => {
    const data = mkdtempSync(join(tmpdir(), 'clock-'));
    const start = Date.UTC(2026, 2, 2, 12);
    const box = { wall: start, monotonic: 0 };
    const ticks = new Map<string, Tick['run']>();
    const quiet = () => undefined;
    const config = readConfig(
      ['--data', data, '--host', '127.0.0.1', '--http-port', '0', '--mqtt-port', '0'].concat([
        '--https-port',
        'off',
        '--mqtts-port',
        'off',
      ]),
      {},
    );
    const running = await serve(config, {
      wallClock: () => box.wall,
      monotonic: () => box.monotonic,
      random: Math.random,
      pause: () => Promise.resolve(),
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
      clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
      startTicks: (list) => {
        for (const { name, run } of list) ticks.set(name, run);
        return { stop: () => Promise.resolve() };
      },
    });
    const keptTime = () => {
      const other = new BetterSqlite(join(data, 'farm.db'), { readonly: true });
      const row = other.prepare("select value from instance_values where id = 'good_time'").get();
      other.close();
      return Date.parse((row as { value: string }).value);
    };
    try {
      box.wall += 20 * HOUR;
      await ticks.get('control')?.();
      expect(keptTime()).toBe(start + 20 * HOUR);
      box.wall = start + 2_000;
      box.monotonic = 2_000;
      await ticks.get('control')?.();
      expect(keptTime()).toBe(start + 2_000);
    } finally {
      await running.stop();
      rmSync(data, { recursive: true });
    }
  });
});
