import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startGatewaySide } from '#sim/conformance/gateway-side.ts';
import { createRealClock } from '#sim/sim-clock.ts';
import { childFile } from '../../scripts/built-program.ts';

const MAIN = childFile('firmware-sim/main.ts');

type Ended = { code: number; out: string; err: string };

/** What came of it; once `isSeen` holds, its person presses Ctrl+C. */
function sim(
  args: string[],
  env: Record<string, string> = {},
  isSeen: () => boolean = () => false,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { PATH: process.env['PATH'], ...env }, timeout: 60_000 },
      (_error, out, err) => {
        clearInterval(watch);
        resolve({ code: child.exitCode ?? -1, out, err });
      },
    );
    const watch = setInterval(() => {
      if (!isSeen()) return;
      // once: the second would not wait for goodbyes
      clearInterval(watch);
      child.kill('SIGINT');
    }, 50);
  });
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sim-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A gateway's registers, as far as the simulator asks for them. */
async function aRegister(): Promise<{ url: string; calls: string[] }> {
  const calls: string[] = [];
  let points: { id: string; farm_id: string; device_id: string }[] = [
    { id: 'p1', farm_id: 'f1', device_id: 'sim-0001' },
  ];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const call = `${request.method} ${request.url}`;
      calls.push(call);
      const body = text === '' ? {} : JSON.parse(text);
      const answer = (status: number, value: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(value));
      };
      if (call === 'POST /api/v1/auth/login') {
        if (body.password !== 'right') return answer(401, { detail: 'Incorrect email or password' });
        return answer(200, { access_token: 't', token_type: 'bearer' });
      }
      if (call === 'GET /api/v1/farms/') return answer(200, [{ id: 'f1', name: 'Farm' }]);
      if (call === 'GET /api/v1/control-points/') return answer(200, points);
      if (call === 'POST /api/v1/control-points/') {
        points = [...points, { id: `p${points.length + 1}`, ...body }];
        return answer(201, points.at(-1));
      }
      const point = points.find(({ id }) => call === `POST /api/v1/control-points/${id}/device-key`);
      if (point !== undefined)
        return answer(201, { device_id: point.device_id, mqtt_id: point.device_id, key: `key-${point.id}` });
      return answer(404, { detail: 'Not found' });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls }; // listens on TCP
}

describe('npm run sim', () => {
  test('--help shows every flag and the exit codes', async () => {
    const { code, out } = await sim(['--help']);
    expect(code).toBe(0);
    for (const flag of [
      '--gateway',
      '--mqtt',
      '--count',
      '--http-share',
      '--seed',
      '--scenario',
      '--conformance',
      '--conformance-gateway',
    ]) {
      expect(out).toContain(flag);
    }
    expect(out).toContain('exit codes');
  });

  test('--scenario list names the built-in nights', async () => {
    const { code, out } = await sim(['--scenario', 'list']);
    expect(code).toBe(0);
    expect(out).toContain('blackout');
  });

  test.each([
    [['--colour', 'blue'], "Unknown option '--colour'"],
    [['--count', '0', '--keys', 'x'], '--count must be a whole number from 1 to 5000, not "0".'],
    [
      ['--gateway', 'nonsense'],
      '--gateway must be an address like http://host:port or https://host:port, not "nonsense".',
    ],
    [['--for', 'soon'], '--for must be a time like 90s, 10m or 1.5h, not "soon".'],
    [['--scenario', 'no-such-night'], '--scenario no-such-night is neither a file nor one of calm,'],
    [[], 'give --keys FILE, or --email and --password'],
    [['--keys', '/no/such/file'], '--keys /no/such/file cannot be read.'],
    [['--conformance', 'http://127.0.0.1:1'], '--device-id is needed'],
  ])('%j ends with code 2 and one sentence', async (args, sentence) => {
    const { code, out, err } = await sim(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(sentence);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('a gateway that is not there, or refuses the password, is code 3 with the reason', async () => {
    const nobody = await sim(['--gateway', 'http://127.0.0.1:9', '--email', 'a@b.c'], { SIM_PASSWORD: 'x' });
    expect(nobody.code).toBe(3);
    expect(nobody.err).toMatch(/^http:\/\/127\.0\.0\.1:9 cannot be reached: .+\.\n$/);
    const { url } = await aRegister();
    const refused = await sim(['--gateway', url, '--email', 'a@b.c'], { SIM_PASSWORD: 'wrong' });
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('Incorrect email or password');
  });

  test('what is missing is created, and saved keys are for their owner alone', async () => {
    const { url, calls } = await aRegister();
    const file = join(await aFolder(), 'keys.json');
    const args = ['--gateway', url, '--mqtt', 'mqtt://127.0.0.1:1', '--email', 'a@b.c', '--count', '3'];
    const { code } = await sim([...args, '--save-keys', file, '--for', '100ms'], { SIM_PASSWORD: 'right' });
    expect(code).toBe(0);
    expect(calls.filter((call) => call === 'POST /api/v1/control-points/')).toHaveLength(2);
    const saved = JSON.parse(await readFile(file, 'utf8'));
    expect(saved.map(({ device_id, key }: { device_id: string; key: string }) => [device_id, key])).toEqual([
      ['sim-0001', 'key-p1'],
      ['sim-0002', 'key-p2'],
      ['sim-0003', 'key-p3'],
    ]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  });

  test('a fleet from a key file runs until it is interrupted, and tells how it stands as JSON', async () => {
    const clock = createRealClock();
    const identity = { device_id: 'pond-1', mqtt_id: 'pond-1', key: 'k' };
    const side = await startGatewaySide({ clock, identity });
    onTestFinished(async () => {
      await side.stop();
      clock.stop();
    });
    const file = join(await aFolder(), 'keys.json');
    await writeFile(file, JSON.stringify([{ ...identity, transport: 'mqtt' }]));
    const args = [
      '--gateway',
      side.httpBase,
      '--mqtt',
      side.mqttUrl,
      '--keys',
      file,
      '--speed',
      '10',
      '--json',
    ];
    const { code, out } = await sim(args, {}, () => side.observed.some(({ kind }) => kind === 'heartbeat'));
    expect(code).toBe(0);
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      controllers: 1,
      connected: 1,
      connects: 1,
    });
    expect(side.observed.at(-1)).toMatchObject({ kind: 'session_end' });
  });

  test('--conformance prints TAP and ends with 1 when a check failed', { timeout: 180_000 }, async () => {
    const clock = createRealClock();
    const identity = { device_id: 'pond-1', mqtt_id: 'pond-1', key: 'k' };
    const side = await startGatewaySide({ clock, identity });
    onTestFinished(async () => {
      await side.stop();
      clock.stop();
    });
    const args = ['--conformance', side.httpBase, '--mqtt', side.mqttUrl, '--device-id', 'pond-1'];
    const { code, out } = await sim(args, { SIM_KEY: 'k' });
    expect(code).toBe(1);
    expect(out).toMatch(/^TAP version 13\nok 1 - mqtt\.answers \(clause 2\.3\)/);
    expect(out).toMatch(/^not ok \d+ - mqtt\.packet\.oversize/m);
  });

  test('--conformance ends by itself when the gateway takes connections and says nothing', {
    timeout: 180_000,
  }, async () => {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      silent.close();
      for (const socket of sockets) socket.destroy();
    });
    const { port } = silent.address() as AddressInfo; // listens on TCP
    const address = `127.0.0.1:${port}`;
    const args = ['--conformance', `http://${address}`, '--mqtt', `mqtt://${address}`, '--ntp-port', '0'];
    const startedMs = performance.now();
    const { code, out } = await sim([...args, '--device-id', 'pond-1', '--json'], { SIM_KEY: 'k' });
    // two waits of ten seconds; the rest is a busy machine
    expect(performance.now() - startedMs).toBeLessThan(50_000);
    expect(code).toBe(1);
    const report = JSON.parse(out) as { checks: { id: string; result: string; reason: string }[] };
    expect(report.checks.filter(({ result }) => result === 'fail')).toMatchObject([
      { id: 'mqtt.answers', reason: 'no CONNACK within 10 s' },
      { id: 'http.answers', reason: '/api/v1/devices/heartbeat: no answer (within 10 s)' },
    ]);
  });
});
