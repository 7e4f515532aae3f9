import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { callHttp } from '#sim/fetch-firmware.ts';
import { launchChromium } from '#test/chromium.ts';
import { startServer } from './bench/start-server.ts';
import { buildConsole } from './build-console.mjs';
import { MAIN_FILE } from './built-program.ts';
import { type DemoFarm, demoFarm } from './demo/demo-farm.ts';
import { startLiveFleet } from './demo/live-fleet.ts';
import { OWNER } from './demo/make-farm.ts';
import { film, type Look, type Pages, pagesOf, readPng, writePng } from './screenshots/film.ts';

// The pictures of the README and of the guide, taken from the console over a demo farm made for them: run it again when a screen
// changed. With names (`wall-es round-es`) only those are taken.

const FOLDER = fileURLToPath(new URL('../docs/images/', import.meta.url));
const MOST_BYTES = 120_000;
/** The motors say how they run, and the one that sticks has its alarm. */
const LIVED_IN_MS = 45_000;

const ASKED = new Set(process.argv.slice(2));
const isAsked = (name: string) => ASKED.size === 0 || ASKED.has(name);

type Facts = { base: string; token: string };
type Wanted = { name: string; path: string; look: Look };
const named = z.object({ id: z.string(), cod: z.string(), control_point_id: z.string().nullable() });
const batch = z.object({ batch_code: z.string(), status: z.string(), start_date: z.string() });

process.exitCode = await main();

async function main(): Promise<number> {
  await buildConsole();
  const data = await mkdtemp(join(tmpdir(), 'farm-pictures-'));
  try {
    const farm = await demoFarm({ data, isReset: false, language: 'en' });
    return await photograph(data, farm);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function photograph(data: string, farm: DemoFarm): Promise<number> {
  const free = { 'http-port': '0', 'mqtt-port': '0', 'https-port': 'off', 'mqtts-port': 'off' };
  const flags = Object.entries({ data, host: '127.0.0.1', ...free });
  const gateway = await startServer({
    args: [MAIN_FILE, ...flags.flatMap(([name, value]) => [`--${name}`, value])],
  });
  const fleet = await startLiveFleet(farm, { httpBase: gateway.http, mqttUrl: gateway.mqtt });
  const browser = await launchChromium();
  try {
    const facts = { base: gateway.http, token: await signIn(gateway.http, farm.password ?? '') };
    await new Promise((resolve) => setTimeout(resolve, LIVED_IN_MS));
    const pages = pagesOf(browser, facts);
    await mkdir(FOLDER, { recursive: true });
    const sizes = await takeAll(pages, facts, farm);
    if (isAsked('film')) sizes.push(await takeFilm(pages, facts, farm));
    const large = sizes.filter(([name, bytes]) => bytes > MOST_BYTES && name !== 'film.png');
    for (const [name, bytes] of sizes)
      console.log(`${String(Math.round(bytes / 1_000)).padStart(5)} kB  ${name}`);
    return large.length === 0 ? 0 : 1;
  } finally {
    await browser.close();
    await fleet.stop();
    await gateway.stop();
  }
}

async function signIn(base: string, password: string): Promise<string> {
  const body = { email: OWNER.email, password, remember_me: true };
  const answer = await callHttp(base, '/api/v1/auth/login', { body });
  return z.object({ access_token: z.string() }).parse(answer.body).access_token;
}

/** Each in English, light and dark; two in the other languages of the guide. */
async function takeAll(pages: Pages, facts: Facts, farm: DemoFarm): Promise<[string, number][]> {
  const { body } = await callHttp(facts.base, `/api/v1/batches/?farm_id=${farm.farm_id}`, {
    bearer: facts.token,
  });
  // the oldest one has most to show
  const [oldest] = z
    .array(batch)
    .parse(body)
    .filter(({ status }) => status === 'ACTIVE')
    .toSorted((one, other) => one.start_date.localeCompare(other.start_date));
  const screens: readonly [string, string, Look['size']][] = [
    ['wall', '/', 'pc'],
    ['alarms', '/alarmes', 'pc'],
    ['pond', '/viveiros/V-01/agua', 'pc'],
    ['board', '/aeracao', 'pc'],
    ['batch', `/lotes/${encodeURIComponent(oldest?.batch_code ?? '')}`, 'pc'],
    ['round', '/lancar/agua?pond=V-03', 'phone'],
  ];
  const wanted = screens.flatMap(([name, path, size]) =>
    (['light', 'dark'] as const).map((theme): Wanted => {
      return { name: `${name}-${theme}`, path, look: { size, theme, language: 'en' } };
    }),
  );
  for (const [short, language] of [
    ['pt', 'pt-BR'],
    ['es', 'es'],
  ] as const) {
    const round = '/lancar/agua?pond=V-03';
    wanted.push({ name: `wall-${short}`, path: '/', look: { size: 'pc', theme: 'light', language } });
    wanted.push({ name: `round-${short}`, path: round, look: { size: 'phone', theme: 'dark', language } });
  }
  const sizes: [string, number][] = [];
  for (const each of wanted.filter(({ name }) => isAsked(name))) sizes.push(await take(pages, each));
  return sizes;
}

async function take(pages: Pages, { name, path, look }: Wanted): Promise<[string, number]> {
  const page = await pages.open(path, look);
  const file = writePng(readPng(await page.screenshot({ type: 'png' })));
  await writeFile(join(FOLDER, `${name}.png`), file);
  await pages.close();
  return [`${name}.png`, file.length];
}

/** On a farm that was calm until then: what stood before is answered. */
async function takeFilm(pages: Pages, facts: Facts, farm: DemoFarm): Promise<[string, number]> {
  const { base, token } = facts;
  const ask = (path: string, method: 'GET' | 'POST' = 'GET') =>
    callHttp(base, `/api/v1${path}`, { method, bearer: token });
  const standing = z.array(z.object({ id: z.string() })).parse((await ask('/alerts/?include=all')).body);
  for (const { id } of standing) await ask(`/alerts/${id}/acknowledge`, 'POST');
  const ponds = z.array(named).parse((await ask(`/ponds/?farm_id=${farm.farm_id}`)).body);
  const pond = ponds.find(({ cod }) => cod === 'V-03');
  if (pond?.control_point_id == null) throw new Error('the demo has no V-03 with a motor');
  await ask(`/control-points/${pond.control_point_id}/turn-off`, 'POST');
  // its controller has the order and says so
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  const file = await film(pages, { ...facts, pond, pointId: pond.control_point_id });
  await writeFile(join(FOLDER, 'film.png'), file);
  await pages.close();
  return ['film.png', file.length];
}
