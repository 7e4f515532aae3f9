import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { farmClock, startGatewayProcess, until } from '#test/gateway-process.ts';
import { heldUpFromNow } from '#test/held-up.ts';
import { MAIN_FILE } from '../../scripts/built-program.ts';

type Json = Record<string, unknown>;

async function startGateway() {
  const gateway = await startGatewayProcess(farmClock(Date.now(), 1), ['--mqtt-connects-per-minute', '0']);
  onTestFinished(() => gateway.close());
  const figure = async (name: string): Promise<number> => {
    const text = await (await fetch(`${gateway.http()}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `));
    return Number(line?.split(' ')[1] ?? Number.NaN);
  };
  return { ...gateway, figure };
}

async function aPerson(gateway: { call: Awaited<ReturnType<typeof startGateway>>['call'] }): Promise<string> {
  const login = { email: 'ana@fazenda.example', password: 'camarao-do-norte', remember_me: true };
  await gateway.call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' } });
  const session = await gateway.call('POST', '/auth/login', { body: login });
  return (session.body as { access_token: string }).access_token;
}

async function openConnections(port: number, count: number): Promise<net.Socket[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }),
  );
}

describe('the process', () => {
  it('stops in order within 5 s while 200 clients and event streams are open, and knows who it heard', async () => {
    const gateway = await startGateway();
    const token = await aPerson(gateway);
    const farm = await gateway.call('POST', '/farms/', { token, body: { name: 'Fazenda Norte' } });
    const made = await gateway.call('POST', '/control-points/', {
      token,
      body: { farm_id: (farm.body as Json)['id'], cod: 'CP-1', device_id: 'aer-1', target_status: 'OFF' },
    });
    const id = String((made.body as Json)['id']);
    await openConnections(Number(new URL(gateway.mqtt()).port), 200);
    const streams = await Promise.all(
      Array.from({ length: 10 }, () =>
        fetch(`${gateway.http()}/api/v1/events`, { headers: { Authorization: `Bearer ${token}` } }),
      ),
    );
    const beat = { device_id: 'aer-1', current_status: 'OFF' };
    await gateway.call('POST', '/devices/heartbeat', { body: beat });
    await gateway.call('POST', '/devices/heartbeat', { body: beat });
    const heard = ((await gateway.call('GET', `/control-points/${id}`, { token })).body as Json)[
      'last_heartbeat'
    ];
    expect(heard).toEqual(expect.any(String));

    const [startedAt, heldUp] = [performance.now(), heldUpFromNow()];
    // of a process that is over nothing can be asked
    const looks = setInterval(heldUp, 100);
    expect(await gateway.stop()).toBe(0);
    clearInterval(looks);
    expect(performance.now() - startedAt - heldUp()).toBeLessThan(5_000);
    for (const stream of streams) expect(await stream.text()).toContain('server_stopping');

    await gateway.start();
    const known = (await gateway.call('GET', `/control-points/${id}`, { token })).body as Json;
    expect(known['last_heartbeat']).toBe(heard);
  });

  it('gives back every handle of a thousand connections, however often they come', async () => {
    const gateway = await startGateway();
    const port = Number(new URL(gateway.mqtt()).port);
    const settle = (base: number) =>
      until(
        () => gateway.figure('process_open_fds'),
        (fds) => fds <= base + 5,
      );
    // once before, so that what is made only once is there
    for (const socket of await openConnections(port, 50)) socket.destroy();
    const seen = { fds: 0 };
    const base = await until(
      async () => {
        const before = seen.fds;
        seen.fds = await gateway.figure('process_open_fds');
        return before - seen.fds === 0 ? seen.fds : Number.NaN;
      },
      (fds) => fds > 0,
    );
    for (let round = 0; round < 3; round++) {
      const sockets = await openConnections(port, 1_000);
      await until(
        () => gateway.figure('process_open_fds'),
        (fds) => fds >= base + 1_000,
      );
      expect(await gateway.figure('process_resident_memory_bytes')).toBeLessThan(400 * 1024 * 1024);
      for (const socket of sockets) socket.destroy();
      await settle(base);
    }
    expect(await gateway.figure('mqtt_clients')).toBe(0);
  });

  it('writes its last words and ends with 1 when it meets a fault of its own', async () => {
    const data = mkdtempSync(join(tmpdir(), 'gateway-'));
    onTestFinished(() => rmSync(data, { recursive: true, force: true }));
    const planted = 'process.on("SIGUSR2", () => { throw new Error("planted"); });';
    const child = spawn(
      process.execPath,
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(planted)}`,
        MAIN_FILE,
        '--data',
        data,
        '--host',
        '127.0.0.1',
        '--http-port',
        '0',
        '--mqtt-port',
        '0',
        '--https-port',
        'off',
        '--mqtts-port',
        'off',
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    const exited = once(child, 'exit');
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const entry = JSON.parse(line) as { msg: string; level: unknown; err?: { message: string } };
      said.push(entry.err === undefined ? entry.msg : `${entry.msg}: ${entry.err.message}`);
      if (entry.msg === 'ready') child.kill('SIGUSR2');
    }
    expect(await exited).toEqual([1, null]);
    expect(said.at(-1)).toBe('stopped by a fault of ours: planted');
  });
});
