import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Every start finds the clock of the machine at the same time, as a box without a battery does. */
describe('a temporary order of a box that loses its power and its time again and again', () => {
  let data: string;
  let app: App;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'restarts-'));
  });
  afterEach(async () => {
    await app.close();
    rmSync(data, { recursive: true, force: true });
  });

  const start = async () => {
    app = await startApp('sqlite', ['--data', data]);
    await app.control.executor.tick();
  };
  async function pass(minutes: number): Promise<void> {
    for (let n = 0; n < minutes * 4; n += 1) {
      app.clock.advance(15 * SECOND);
      app.lookAtClock();
      await app.control.executor.tick();
    }
  }
  async function powerGoes(): Promise<void> {
    await app.keepTime();
    // what came after the last write nobody remembers
    app.clock.advance(10 * SECOND);
    await app.close();
    await start();
  }

  it.each([
    ['turn-off', 'OFF', 'ON'],
    ['turn-on', 'ON', 'OFF'],
  ] as const)(
    '%s ends after what was left of it, run after run, and does not come back',
    async (what, during, after) => {
      await start();
      const farm = await aFarmWith(app);
      const { id } = await aControlPoint(app, { ...farm, target_status: after });
      const path = `/control-points/${id}`;
      const target = async () => body(await app.call('GET', path, farm))['target_status'];
      await pass(10);
      await app.call('POST', `${path}/${what}`, { token: farm.token, body: { for_s: 20 * 60 } });
      await pass(5);
      await powerGoes();
      expect(app.kernel.clockQuality()).toBe('estimated');
      await pass(6);
      expect(await target()).toBe(during);
      await powerGoes();
      await pass(6);
      expect(await target()).toBe(during);
      await powerGoes();
      await pass(2);
      expect(await target()).toBe(during);
      await pass(2);
      expect(await target()).toBe(after);
      await powerGoes();
      await pass(1);
      expect(await target()).toBe(after);
      // the right time comes: all of it was hours ago
      app.stepWallClock(5 * 60 * MINUTE);
      await app.call('POST', '/system/clock', { token: farm.token, body: {} });
      await pass(1);
      expect(await target()).toBe(after);
    },
  );
});
