// How many files of the gateway an act enters: the program runs from its sources in this process, V8 counts which functions are
// called during the act, and those of as long a time without it are taken off. `npm run house -- --walks` prints it.
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import mqtt from 'mqtt';
import { serve } from '#app/serve.ts';
import { readConfig } from '#runtime/config.ts';
import { quietWorld } from './bench/in-process.ts';

type Json = Record<string, unknown>;

const LISTENED_MS = 5_000;
const IDLE_MS = 20_000;
const SOURCES = `${pathToFileURL('gateway').href}/`;
const LOGIN = { email: 'walks@farm.example', password: 'lagoa-do-norte-7', remember_me: true };

const folder = mkdtempSync(join(tmpdir(), 'walks-'));
const options = `--data ${folder} --host 127.0.0.1 --local-plan ENTERPRISE --http-port 0 --mqtt-port 0 --ntp-port 0 --https-port off
  --mqtts-port off --discovery-port off`;
const gateway = await serve(readConfig(options.split(/\s+/), {}), quietWorld());
try {
  await measureAll();
} finally {
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function call(method: string, path: string, body?: unknown, token?: string): Promise<Json> {
  const response = await fetch(`${gateway.http}/api/v1${path}`, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Json;
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}

/** A farm with a stocked pond, its control point, and the controller connected over MQTT. */
async function makeFarm() {
  await call('POST', '/auth/register', { ...LOGIN, name: 'Ana', role: 'OWNER' });
  const token = String((await call('POST', '/auth/login', LOGIN))['access_token']);
  const post = (path: string, body: unknown = {}) => call('POST', path, body, token);
  const farm = await post('/farms/', { name: 'Norte', timezone: 'America/Fortaleza' });
  const point = await post('/control-points/', {
    farm_id: farm['id'],
    cod: 'CP-1',
    device_id: 'aer-1',
    target_status: 'OFF',
  });
  const pond = await post('/ponds/', {
    farm_id: farm['id'],
    cod: 'V-1',
    pond_type: 'FATTENING',
    size_m2: 900,
    depth_m: 1.2,
    aerator_count: 1,
    control_point_id: point['id'],
  });
  await post('/batches/', {
    batch_code: 'L-1',
    pond_id: pond['id'],
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Larval',
    start_date: new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10),
    initial_count: 50_000,
    initial_avg_weight: 1,
    initial_density: 55,
  });
  const { key } = await post(`/control-points/${String(point['id'])}/device-key`);
  const id = String(point['mqtt_id']);
  const controller = await mqtt.connectAsync(gateway.mqtt ?? '', {
    clientId: id,
    username: id,
    password: String(key),
  });
  const report = (current_status: string) =>
    controller.publishAsync(`sf/v1/d/${id}/hb`, JSON.stringify({ current_status, power_ok: true }), {
      qos: 1,
    });
  await report('OFF');
  return { token, pond: String(pond['id']), point: String(point['id']), post, report, controller };
}

async function measureAll(): Promise<void> {
  const { token, pond, point, post, report, controller } = await makeFarm();
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  /** Functions of the gateway that were called since the last look, by file. */
  const called = async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return result
      .filter(({ url }) => url.startsWith(SOURCES))
      .flatMap(({ url, functions }) =>
        functions
          .filter(({ ranges: [range] }) => (range?.count ?? 0) > 0)
          .map(({ functionName, ranges: [range] }) => ({
            file: url.slice(SOURCES.length),
            function: `${url} ${functionName} ${range?.startOffset}`,
          })),
      );
  };
  await pause(3_000);
  await called();
  await pause(IDLE_MS);
  const idle = new Set((await called()).map((one) => one.function));
  const walk = async (
    name: string,
    most: number | null,
    act: () => Promise<unknown>,
    afterMs = LISTENED_MS,
  ) => {
    await called();
    await act();
    await pause(afterMs);
    const files = new Set((await called()).filter((one) => !idle.has(one.function)).map(({ file }) => file));
    const folders = new Set([...files].map((file) => file.slice(0, file.lastIndexOf('/'))));
    const goal = most === null ? '' : `  (wanted: at most ${most})`;
    console.log(
      `${name.padEnd(40)} ${String(files.size).padStart(4)} files in ${folders.size} folders${goal}`,
    );
    if (process.argv.includes('--files')) for (const file of [...files].toSorted()) console.log(`  ${file}`);
  };
  await walk('GET one pond', null, () => call('GET', `/ponds/${pond}`, undefined, token), 500);
  await walk('heartbeat over MQTT that changes', 25, () => report('ON'));
  const water = {
    pond_id: pond,
    dissolved_oxygen: 1.2,
    temperature: 28,
    measurement_date: new Date().toISOString(),
  };
  await walk('POST /water-quality/ with an alert', 45, () => post('/water-quality/', water));
  const start_time = new Date(Date.now() + 12_000).toISOString();
  await post(`/control-points/${point}/schedules`, { action: 'OFF', start_time });
  await pause(8_000);
  await walk('a schedule fires, no internet', 25, () => pause(6_000), 1_000);
  session.disconnect();
  await controller.endAsync();
}
