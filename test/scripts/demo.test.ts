import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { fastFolder } from '#test/fast-folder.ts';
import { aPartOf } from '#test/turn.ts';
import { childFile } from '../../scripts/built-program.ts';
import { makeFarm } from '../../scripts/demo/make-farm.ts';
import { openPastGateway } from '../../scripts/demo/past-fleet.ts';
import { liveThrough } from '../../scripts/demo/week.ts';

const folder = mkdtempSync(join(tmpdir(), 'farm-demo-'));
const weeks = mkdtempSync(join(fastFolder(), 'farm-week-'));
afterAll(() => {
  for (const each of [folder, weeks]) rmSync(each, { recursive: true, force: true });
});

describe('the demo as a person starts it', () => {
  const data = join(folder, 'demo-data');
  let first: Demo;

  beforeAll(async () => {
    first = await startDemo(['--data', data]);
  });
  afterAll(() => first.end());

  test('it says when it is ready and where to look', async () => {
    expect(first.said()).toMatch(/ready in [\d.]+ s/);
    const [, console_ = ''] = /^Open in a browser: +(http:\/\/127\.0\.0\.1:\d+\/)$/m.exec(first.said()) ?? [];
    // the console's address comes before all else, and a page answers there
    expect(first.said().trimStart().indexOf('Open in a browser')).toBe(0);
    expect((await fetch(console_)).headers.get('content-type')).toContain('text/html');
    expect(first.said()).toMatch(/broker +mqtt:\/\/127\.0\.0\.1:\d+/);
  });

  test('every line that reads the farm as its owner answers', async () => {
    const token = await login(first);
    const urls = [...first.said().matchAll(/curl -s -H "Authorization: Bearer \$TOKEN" '([^']+)'/g)];
    const statuses = await Promise.all(
      urls.map(async ([, url = '']) => (await fetch(url, as(token))).status),
    );

    expect(statuses).toEqual(Array(8).fill(200));
  });

  test('the farm has 20 ponds, 8 control points, a silent controller and unread notifications', async () => {
    const token = await login(first);
    const list = async (path: string) =>
      z.array(z.object({ id: z.string() })).parse(await read(first, path, token)).length;
    const unread = z
      .object({ unread_count: z.number() })
      .parse(await read(first, '/notifications/unread/count', token));

    expect(await list('/ponds/')).toBe(20);
    expect(await list('/control-points/')).toBe(8);
    expect(await list('/alerts/?type=DEVICE_OFFLINE')).toBe(1);
    expect(await list('/alerts/?status=RESOLVED&include=all')).toBeGreaterThan(3);
    expect(unread.unread_count).toBeGreaterThan(0);
  });

  test('shrimp grow in most ponds, and every batch has been weighed, fed and measured', async () => {
    const token = await login(first);
    const { ponds, summary } = z
      .object({
        ponds: z.array(
          z.object({
            active_batch: z.object({ days_active: z.number(), average_weight_g: z.number() }).nullable(),
            water_quality: z.object({ dissolved_oxygen: z.number().nullable() }).nullable(),
          }),
        ),
        summary: z.object({ active_ponds: z.number(), total_biomass_kg: z.number() }),
      })
      .parse(await read(first, '/ponds/summary-cards', token));
    const grown = ponds.filter(({ active_batch }) => (active_batch?.days_active ?? 0) > 30);

    expect(summary.active_ponds).toBeGreaterThanOrEqual(10);
    expect(summary.total_biomass_kg).toBeGreaterThan(3_000);
    expect(grown.length).toBeGreaterThan(4);
    expect(grown.every(({ active_batch }) => (active_batch?.average_weight_g ?? 0) > 0.3)).toBe(true);
    expect(ponds.filter(({ water_quality }) => water_quality !== null).length).toBeGreaterThanOrEqual(10);
  });

  test('at any hour every pond in use has an oxygen that counts', async () => {
    const token = await login(first);
    const latest = async () =>
      z
        .array(z.object({ dissolved_oxygen: z.number().nullable(), measurement_date: z.string() }))
        .parse(await read(first, `/water-quality/latest`, token))
        .filter(
          ({ dissolved_oxygen, measurement_date }) =>
            dissolved_oxygen !== null && Date.now() - Date.parse(measurement_date) < 15 * 60_000,
        ).length;
    await expect.poll(latest).toBeGreaterThanOrEqual(10);
  });

  test('its database is told apart from what else may lie in a folder', async () => {
    const other = mkdtempSync(join(folder, 'other-'));
    writeFileSync(join(other, 'dear.txt'), 'mine');
    const refused = await startDemo(['--data', other, '--reset']);

    expect(await refused.exitCode).toBe(2);
    expect(refused.said()).toContain('holds something else than');
    expect(readFileSync(join(other, 'dear.txt'), 'utf8')).toBe('mine');
  });

  test('Ctrl-C ends it; the next time it is the same farm, and ends by itself after its time', async () => {
    const pointIds = /control-points\/[\w-]+/.exec(first.said())?.[0];
    expect(await first.end()).toBe(0);
    const second = await startDemo(['--data', data, '--for', '1s']);

    expect(await second.exitCode).toBe(0);
    expect(second.said()).toContain(pointIds);
    expect(second.said()).toContain('as shown when the farm was made');
  });
});

test('with --hosted the farm is paired, is seen from afar, and its line can be cut and healed', async () => {
  const demo = await startDemo(['--data', join(folder, 'hosted-demo'), '--hosted', '--for', '120s']);
  const [, url = '', body = ''] =
    /CLOUD=\$\(curl -s (\S+) -H 'Content-Type: application\/json' -d '([^']+)'/.exec(demo.said()) ?? [];
  const headers = { 'content-type': 'application/json' };
  const session = await (await fetch(url, { method: 'POST', headers, body })).json();
  const { access_token } = z.object({ access_token: z.string() }).parse(session);
  const reads = [...demo.said().matchAll(/curl -s -H "Authorization: Bearer \$CLOUD" '([^']+)'/g)];
  const statuses = await Promise.all(
    reads.map(async ([, path = '']) => (await fetch(path, as(access_token))).status),
  );

  expect(statuses).toEqual([200, 200, 200]);
  demo.type('cut');
  await expect.poll(demo.said).toContain('cut: breaks the line');
  demo.type('heal');
  await expect.poll(demo.said).toContain('heal: whole and fast again');
  expect(await demo.end()).toBe(0);
}, 360_000);

// the story is told in times of day: it must hold whenever the demo is started
const ENDS = ['03:10', '12:30', '21:20'];
test.each(aPartOf(ENDS, ENDS.length))('the week comes true when it ends at %s UTC', async (time) => {
  const endMs = Date.parse(`2026-11-19T${time}:00Z`);
  const gateway = await openPastGateway(mkdtempSync(join(weeks, 'week-')), endMs - 7 * 86_400_000);
  const farm = await makeFarm(gateway.base, 'camarao-123');
  await liveThrough({ gateway, farm, endMs, language: 'en' });
  const active = await farm.owner.get(
    '/alerts/?include=all',
    z.array(z.object({ type: z.string(), triggered_at: z.string() })),
  );
  const photosOf = (path: string) =>
    farm.owner.get(`${path}/photos`, z.array(z.object({ note: z.string(), is_here: z.boolean() })));
  const ofPoint = await photosOf(`/control-points/${farm.controlPointIds.get('CP-02')}`);
  const places = await farm.owner.get('/ponds/', z.array(z.object({ id: z.string(), cod: z.string() })));
  const ofPond = await photosOf(`/ponds/${places.find(({ cod }) => cod === 'V-11')?.id}`);
  await gateway.close();

  expect([...ofPoint, ...ofPond]).toEqual([
    { note: 'Rope in the paddles of V-02', is_here: true },
    { note: 'Half of the feed left on the tray of V-11', is_here: true },
  ]);
  expect(active.map(({ type }) => type)).toEqual(['DEVICE_OFFLINE']);
});

type Demo = {
  said: () => string;
  type: (word: string) => void;
  exitCode: Promise<number | null>;
  end: () => Promise<number | null>;
};

/** Resolves when it is ready, or has ended. */
async function startDemo(args: readonly string[]): Promise<Demo> {
  const child: ChildProcess = spawn(process.execPath, [childFile('scripts/demo.ts'), ...args]);
  let said = '';
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes('ready in')) resolve();
      });
    }
  });
  await Promise.race([ready, exitCode]);
  return {
    said: () => said,
    type: (word) => void child.stdin?.write(`${word}\n`),
    exitCode,
    end() {
      child.kill('SIGINT');
      return exitCode;
    },
  };
}

async function login(demo: Demo): Promise<string> {
  const [, url = '', body = ''] =
    /TOKEN=\$\(curl -s (\S+) -H 'Content-Type: application\/json' -d '([^']+)'/.exec(demo.said()) ?? [];
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body });
  return z.object({ access_token: z.string() }).parse(await response.json()).access_token;
}

const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

async function read(demo: Demo, path: string, token: string): Promise<unknown> {
  const base = /interface +(http:\/\/[\d.:]+\/api\/v1)/.exec(demo.said())?.[1];
  return (await fetch(`${base}${path}`, as(token))).json();
}
