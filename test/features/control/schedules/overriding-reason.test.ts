import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type App, aControlPoint, aFarmWith, body, startApp } from '#test/app.ts';
import { fastFolder } from '#test/fast-folder.ts';

const MINUTE = 60_000;
type Json = Record<string, unknown>;

/** A farm with a motor over a pond that has an emergency level; time passes by `pass`. */
async function aMotor(settings: Json = { do_emergency: 3 }) {
  const folder = mkdtempSync(join(fastFolder(), 'reason-'));
  const args = ['--data', folder];
  let app: App = await startApp('sqlite', args);
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const { token, farmId } = await aFarmWith(app, { timezone: 'America/Fortaleza' });
  const point = await aControlPoint(app, { token, farmId });
  const path = `/control-points/${point.id}`;
  const pond = await app.call('POST', '/ponds/', {
    token,
    body: { farm_id: farmId, cod: 'V-01', control_point_id: point.id },
  });
  await app.call('PUT', `${path}/settings`, { token, body: { min_on_s: 0, min_off_s: 0, ...settings } });

  async function look(): Promise<void> {
    await app.control.oxygen.settled();
    await app.control.executor.tick();
  }
  const shown = async () => body(await app.call('GET', path, { token }));
  return {
    look,
    shown,
    async pass(minutes: number): Promise<void> {
      app.clock.advance(minutes * MINUTE);
      await look();
    },
    async measure(dissolved_oxygen: number): Promise<void> {
      const made = await app.call('POST', '/water-quality/', {
        token,
        body: { pond_id: body(pond)['id'], dissolved_oxygen },
      });
      expect(made.status).toBe(201);
      await look();
    },
    async ask(method: string, rest: string, given: Json = {}): Promise<void> {
      const answer = await app.call(method, `${path}${rest}`, { token, body: given });
      expect(answer.status).toBeLessThan(300);
    },
    /** What the controller says of itself. */
    report: (current_status: 'ON' | 'OFF', source = 'shadow') =>
      app.call('POST', '/devices/heartbeat', {
        token,
        body: { device_id: point.device_id, current_status, source },
      }),
    /** Orders so far, oldest first. */
    async orders(): Promise<unknown[]> {
      const rows = (await app.call('GET', `${path}/orders`, { token })).body as Json[];
      return rows.map(({ origin, target_status }) => `${String(origin)} ${String(target_status)}`).reverse();
    },
    async version(): Promise<number> {
      return Number((await shown())['version']);
    },
    /** The power of the box is cut and comes back. */
    async restart(): Promise<void> {
      const at = app.clock.now();
      await app.close();
      app = await startApp('sqlite', args);
      app.clock.set(at);
    },
  };
}

test('emergency oxygen over a person’s ON is an order of its own: once, with its reason, however often it is measured', async () => {
  const motor = await aMotor();
  await motor.ask('POST', '/turn-on', { reason: 'ração' });
  const before = await motor.version();
  await motor.measure(2.4);
  const shown = await motor.shown();
  expect(shown).toMatchObject({ target_status: 'ON', target_origin: 'SAFETY', version: before + 1 });
  expect(shown['target_reason']).toContain('emergency level');
  for (const oxygen of [2.2, 1.4, 2.6]) await motor.measure(oxygen);
  await motor.pass(5);
  expect(await motor.shown()).toEqual(shown);
  expect(await motor.orders()).toEqual(['LOCAL ON', 'SAFETY ON']);
});

test.each([
  ['what a person ordered', {}, '/turn-on', 'LOCAL', 'an order of a person holds again'],
  ['an oxygen set point', { do_on: 4, do_off: 5.5 }, null, 'SAFETY', 'pond V-01: 4.50'],
])('when the emergency is over, %s is the shown reason again', async (_, more, order, origin, reason) => {
  const motor = await aMotor({ do_emergency: 3, ...more });
  if (order === null) await motor.measure(3.9);
  else await motor.ask('POST', order, { reason: 'ração' });
  await motor.pass(1);
  await motor.measure(2.4);
  expect(await motor.shown()).toMatchObject({ target_origin: 'SAFETY' });
  const during = await motor.version();
  await motor.pass(16);
  await motor.measure(4.5);
  const shown = await motor.shown();
  expect(shown).toMatchObject({ target_status: 'ON', target_origin: origin, version: during + 1 });
  expect(shown['target_reason']).toContain(reason);
  await motor.pass(1);
  expect(await motor.version()).toBe(during + 1);
});

test('a set point that joins a running motor raises no version: a hand at the motor stands against it', async () => {
  const motor = await aMotor({ do_on: 4, do_off: 5.5, do_emergency: 3 });
  await motor.ask('POST', '/turn-on');
  const before = await motor.version();
  await motor.measure(3.5);
  await motor.pass(1);
  expect(await motor.version()).toBe(before);
});

test('a person’s ON in an emergency is done first, then the emergency is the shown reason again', async () => {
  const motor = await aMotor();
  await motor.measure(2.4);
  await motor.report('ON');
  await motor.ask('POST', '/turn-on');
  await motor.look();
  expect(await motor.shown()).toMatchObject({ target_origin: 'LOCAL' });
  await motor.report('ON');
  await motor.look();
  expect(await motor.shown()).toMatchObject({ target_origin: 'SAFETY' });
  await motor.pass(1);
  expect(await motor.orders()).toEqual(['SAFETY ON', 'LOCAL ON', 'SAFETY ON']);
});

test('a lock-out of a motor that is OFF already is an order of its own; lifted, what a person ordered is shown again', async () => {
  const motor = await aMotor();
  await motor.ask('POST', '/turn-off');
  const before = await motor.version();
  await motor.ask('POST', '/lock-out', { reason: 'correia' });
  await motor.pass(1);
  expect(await motor.shown()).toMatchObject({
    target_status: 'OFF',
    target_origin: 'SAFETY',
    target_reason: 'locked out: correia',
    version: before + 1,
  });
  await motor.ask('DELETE', '/lock-out');
  await motor.pass(1);
  expect(await motor.shown()).toMatchObject({ target_origin: 'LOCAL', version: before + 2 });
  await motor.pass(1);
  expect(await motor.version()).toBe(before + 2);
});

test('after a restart the same emergency is not told again, and its end still shows the weaker reason', async () => {
  const motor = await aMotor();
  await motor.ask('POST', '/turn-on');
  await motor.measure(2.4);
  const during = await motor.version();
  await motor.restart();
  await motor.look();
  await motor.measure(2.3);
  expect(await motor.version()).toBe(during);
  await motor.pass(16);
  await motor.measure(5.5);
  expect(await motor.shown()).toMatchObject({ target_origin: 'LOCAL', version: during + 1 });
});

test('a hand that switches a controller off in an emergency is answered by a new version, then ever more rarely', async () => {
  const motor = await aMotor();
  await motor.measure(2.4);
  await motor.report('ON');
  const told = await motor.version();
  await motor.pass(2);
  await motor.report('OFF', 'manual');
  await motor.look();
  expect(await motor.version()).toBe(told + 1);
  for (let minute = 0; minute < 60; minute += 1) {
    await motor.report('OFF', 'manual');
    await motor.pass(1);
  }
  const repeats = (await motor.version()) - told;
  expect(repeats).toBeGreaterThanOrEqual(5);
  expect(repeats).toBeLessThanOrEqual(9);
});
