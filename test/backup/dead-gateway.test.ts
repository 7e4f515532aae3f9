import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { farmClock, until } from '#test/gateway-process.ts';
import { lastingPort } from '#test/lasting-port.ts';
import { childFile, MAIN_FILE } from '../../scripts/built-program.ts';
import { newFolder, removeFolders } from '../boot/a-box.ts';

// The steps of docs/en/replace-a-box.md for a gateway that died, with the real commands and a controller that lived on.

const clock = farmClock(Date.UTC(2026, 2, 2, 12), 60);
const LOGIN = { email: 'ana@fazenda.example', password: 'camarao-do-norte', remember_me: true };
type Json = Record<string, unknown>;

let child: ChildProcess | null = null;
let ports: { http: string; mqtt: string };

async function start(data: string): Promise<void> {
  const started = spawn(
    process.execPath,
    [
      childFile('test/support/gateway-child.ts'),
      '--data',
      data,
      '--host',
      '127.0.0.1',
      '--http-port',
      ports.http,
      '--mqtt-port',
      ports.mqtt,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TEST_CLOCK: clock.environment } },
  );
  child = started;
  for await (const line of createInterface({ input: started.stdout })) {
    const entry = JSON.parse(line) as { msg: string };
    if (entry.msg === 'ready') break;
  }
  started.stdout.resume();
}

async function kill(): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

async function call(
  method: string,
  path: string,
  given: { token?: string; body?: unknown } = {},
): Promise<Json> {
  const response = await fetch(`http://127.0.0.1:${ports.http}/api/v1${path}`, {
    method,
    headers: {
      // none is left over from before a kill
      Connection: 'close',
      ...(given.body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(given.token === undefined ? {} : { Authorization: `Bearer ${given.token}` }),
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
  });
  return (await response.json()) as Json;
}

/** As a person types it: npm run backup, npm run restore. */
function command(args: readonly string[], key?: string): { code: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', './scripts/require-node.mjs', MAIN_FILE, ...args],
    { encoding: 'utf8', env: { ...process.env, ...(key === undefined ? {} : { RECOVERY_KEY: key }) } },
  );
  return { code: status, text: `${stdout}${stderr}` };
}

describe('a gateway that died', () => {
  const dead = newFolder();
  const stick = newFolder();
  let fleet: Fleet;
  let point: Json;
  let key: string;

  beforeAll(async () => {
    ports = { http: String(await lastingPort()), mqtt: String(await lastingPort()) };
    await start(dead);
    await call('POST', '/auth/register', { body: { ...LOGIN, name: 'Ana', role: 'OWNER' } });
    const token = String((await call('POST', '/auth/login', { body: LOGIN }))['access_token']);
    const farm = await call('POST', '/farms/', { token, body: { name: 'Norte' } });
    point = await call('POST', '/control-points/', {
      token,
      body: { farm_id: farm['id'], cod: 'CP-1', device_id: 'aer-1', target_status: 'OFF' },
    });
    const issued = await call('POST', `/control-points/${point['id']}/device-key`, { token });
    fleet = startFleet({
      controllers: [
        {
          device_id: 'aer-1',
          mqtt_id: String(point['mqtt_id']),
          key: String(issued['key']),
          transport: 'mqtt',
          power_kw: 1.5,
        },
      ],
      httpBase: `http://127.0.0.1:${ports.http}`,
      mqttUrl: `mqtt://127.0.0.1:${ports.mqtt}`,
      seed: 3,
      speed: 60,
    });
    await startsSoon(token);
    await until(
      () => fleet.state('aer-1')?.is_motor_running,
      (isRunning) => isRunning === true,
    );
    const backup = command(['backup', '--data', dead, '--to', stick]);
    if (backup.code !== 0) throw new Error(backup.text);
    key = /([0-9A-Z]{4}-){7}[0-9A-Z]{4}/.exec(backup.text)?.[0] ?? '';
    // life goes on after the backup: the controller hears of later versions, the last of them OFF
    for (const order of ['turn-off', 'turn-on', 'turn-off', 'turn-on', 'turn-off'])
      await call('POST', `/control-points/${point['id']}/${order}`, { token });
    await until(
      () => fleet.state('aer-1')?.is_motor_running,
      (isRunning) => isRunning === false,
    );
    await kill();
  });
  /** A schedule whose first time comes after the gateway has heard of it, however busy this machine is. */
  async function startsSoon(token: string): Promise<void> {
    for (;;) {
      const startMs = clock.now() + 60_000;
      const start_time = new Date(startMs).toISOString();
      const made = await call('POST', `/control-points/${point['id']}/schedules`, {
        token,
        body: { action: 'ON', start_time, repeat_pattern: 'DAILY' },
      });
      if (clock.now() < startMs) return;
      await fetch(`http://127.0.0.1:${ports.http}/api/v1/schedules/${made['id']}`, {
        method: 'DELETE',
        headers: { Connection: 'close', Authorization: `Bearer ${token}` },
      });
    }
  }
  afterAll(async () => {
    await fleet?.stop();
    await kill();
    removeFolders();
  });

  it('is replaced from its stick in under ten minutes; its controller follows the new one, and lives on without any', async () => {
    const before = fleet.state('aer-1');
    const startedAt = performance.now();
    const fresh = join(newFolder(), 'data');
    const tried = command(['restore', '--from', stick, '--data', fresh, '--dry-run'], key);
    expect(tried).toMatchObject({ code: 0, text: expect.stringContaining('control points 1') });
    expect(command(['restore', '--from', stick, '--data', fresh], key)).toMatchObject({ code: 0 });
    await start(fresh);
    // the backup says ON; the controller has heard five later orders, the last of them OFF
    const followed = await until(
      () => fleet.state('aer-1'),
      (state) => state?.is_motor_running === true && state.epoch !== before?.epoch,
    );
    expect(followed?.version).toBeLessThan(before?.version ?? 0);
    const tookS = (performance.now() - startedAt) / 1000;
    const token = String((await call('POST', '/auth/login', { body: LOGIN }))['access_token']);
    const shown = await until(
      () => call('GET', `/control-points/${point['id']}`, { token }),
      (answer) => answer['current_status'] === 'ON' && answer['is_online'] === true,
    );
    expect(shown).toMatchObject({ target_status: 'ON' });
    expect(shown['epoch']).not.toBe(point['epoch']);
    expect(tookS).toBeLessThan(600);

    // then this one loses everything: it knows no controller, and its motor goes on by what it wants itself
    await kill();
    writeFileSync(join(fresh, 'farm.db'), 'no database '.repeat(1_000));
    for (const name of ['farm.db-wal', 'farm.db-shm', 'last-good.json', 'snapshots'])
      rmSync(join(fresh, name), { recursive: true, force: true });
    await start(fresh);
    const ready = await fetch(`http://127.0.0.1:${ports.http}/readyz`);
    expect(await ready.json()).toMatchObject({
      ready: true,
      checks: { boot: { ok: false, rung: 'fail_safe' } },
    });
    await until(
      () => fleet.state('aer-1')?.source,
      (source) => source === 'local_schedule',
    );
    expect(fleet.state('aer-1')).toMatchObject({
      is_connected: false,
      is_motor_running: true,
      target_status: 'ON',
    });
  });
});
