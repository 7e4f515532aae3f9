import { rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import * as z from 'zod';
import { callHttp } from '#sim/fetch-firmware.ts';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { asPerson } from '../demo/interface.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import { provisionFolder } from './provision.ts';

// Pages of the console, as people have them open.

/** A page of somebody who is signed in, on a machine so many times slower. */
export async function pageOf(
  browser: Browser,
  { token }: { token: string },
  slower = 1,
): Promise<{ page: Page; devtools: CDPSession }> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const session = JSON.stringify({ token, expiresAt: Date.now() + 86_400_000, remembered: true });
  await context.addInitScript(`try { localStorage.setItem('session', ${JSON.stringify(session)}) } catch {}`);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  if (slower > 1) await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  return { page, devtools };
}

/** Times of a page, in milliseconds. */
export function figures(name: string, times: readonly number[]): Figures {
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: median(times),
    p99Ms: quantileOf(times, 0.99),
    rssMb: null,
  };
}

export const quantileOf = (times: readonly number[], share: number): number =>
  quantile(
    times.toSorted((a, b) => a - b),
    share,
  );

const BATCH = {
  species: 'Litopenaeus vannamei',
  lineage: 'SPF',
  larva_origin: 'Aracati',
  initial_count: 60_000,
  initial_avg_weight: 0.01,
  initial_density: 20,
} as const;
const DAY_MS = 86_400_000;

const made = z.object({ id: z.string() });

export type ConsoleFarm = {
  base: string;
  token: string;
  ponds: readonly { id: string; cod: string }[];
  stop: () => Promise<void>;
};

/**
 * A gateway with a farm in production: ponds with animals, aeration and fresh water.
 */
export async function startConsoleFarm(size: {
  ponds: number;
  points: number;
  /** What lies straight in the database before the gateway starts. */
  and?: (data: string, ponds: ConsoleFarm['ponds']) => Promise<void>;
}): Promise<ConsoleFarm> {
  const data = await newDataFolder();
  const ponds: { id: string; cod: string }[] = [];
  const { token } = await provisionFolder(data, { count: 1, prefix: 'paint' }, async (base, owner) => {
    const person = asPerson(base, owner.token);
    const [farm_id] = owner.farms;
    const points: string[] = [];
    for (let n = 1; n <= size.points; n += 1) {
      const point = { farm_id, cod: `CP-${n}`, device_id: `wall-${n}`, target_status: 'OFF' };
      points.push((await person.post('/control-points/', point, made)).id);
      const report = { device_id: point.device_id, current_status: 'OFF', consumption: 0 };
      await person.send('POST', '/devices/heartbeat', report);
    }
    const start_date = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
    for (let n = 1; n <= size.ponds; n += 1) {
      const pond = { farm_id, cod: `V${n}`, control_point_id: points[n % points.length] };
      const { id } = await person.post('/ponds/', pond, made);
      await person.send('POST', '/batches/', { ...BATCH, pond_id: id, batch_code: `L${n}`, start_date });
      const water = { pond_id: id, dissolved_oxygen: 6.2, temperature: 28.5, ph: 7.9 };
      await person.send('POST', '/water-quality/', water);
      ponds.push({ id, cod: pond.cod });
    }
  });
  await size.and?.(data, ponds);
  const gateway = await startGatewayOn(data);
  return {
    base: gateway.http,
    token,
    ponds,
    async stop() {
      await gateway.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

const MOST_MS = { key: 200, pending: 100 } as const;
/** As slow as a cheap phone. */
const SLOWER = 6;
const KEY_EVERY_MS = 250;
/** Oxygen, temperature and pH of a pond at once: three alarms. */
const ALL_BAD = { dissolved_oxygen: 2.1, temperature: 36, ph: 6.1 };

/** Calls back when the next frame has been drawn. */
const AFTER_PAINT = '((then) => requestAnimationFrame(() => setTimeout(then)))';

const waits = z.array(z.object({ delay: z.number(), painted: z.number() }));

/** How long a key and a press wait: keys while two hundred alarms come, and the switch of a motor. */
export async function consoleInput({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const size = isQuick
    ? { ponds: 4, points: 3, probeDays: 1, floodMs: 1_500 }
    : { ponds: 67, points: 21, probeDays: 1, floodMs: 10_000 };
  const farm = await startConsoleFarm(size);
  const browser = await launchChromium();
  try {
    const half = Math.ceil(size.points / 2);
    tell(`${size.points} motors are switched, half of them with the machine ${SLOWER} times slower`);
    const pressed = await timePresses(browser, farm, { from: 1, to: half, slower: 1 });
    const onPhone = await timePresses(browser, farm, { from: half + 1, to: size.points, slower: SLOWER });
    const plain = await timePlainPresses(browser, half);
    tell(`${size.ponds * 3} alarms in ${size.floodMs / 1_000} s`);
    const { quiet, flood } = await timeKeys(browser, farm, size.floodMs);
    return [pendingFinding({ pressed, onPhone, plain }), floodFinding(flood, quiet, size.ponds * 3)];
  } finally {
    await browser.close();
    await farm.stop();
  }
}

/** From the finger's lifting to the first frame after the order stands there as under way. */
async function timePresses(
  browser: Browser,
  farm: ConsoleFarm,
  { from, to, slower }: { from: number; to: number; slower: number },
): Promise<number[]> {
  const { page } = await pageOf(browser, farm, slower);
  await page.addInitScript(watchFor('[data-point] [data-state="turning-on"]'));
  await page.goto(`${farm.base}/aeracao`);
  await page.waitForSelector('.shell[data-link="live"]');
  const times: number[] = [];
  for (let n = from; n <= to; n += 1)
    times.push(await timePress(page, `[data-point="CP-${n}"] [data-control] button`));
  await page.context().close();
  return times;
}

/** The same press on a page without any program but a list and a word that changes. */
async function timePlainPresses(browser: Browser, points: number): Promise<number[]> {
  const { page } = await pageOf(browser, { token: '' });
  const row = '<li><p>CP-1</p><button onclick="this.dataset.state=\'turning-on\'">Ligar</button></li>';
  await page.setContent(`<!doctype html><meta charset="utf-8"><ul>${row.repeat(points)}</ul>`);
  await page.evaluate(watchFor('li [data-state="turning-on"]'));
  const times: number[] = [];
  for (let n = 1; n <= points; n += 1) times.push(await timePress(page, `li:nth-child(${n}) button`));
  await page.context().close();
  return times;
}

async function timePress(page: Page, button: string): Promise<number> {
  await page.evaluate('window.tookMs = undefined');
  await page.click(button);
  await page.waitForFunction('window.tookMs !== undefined');
  return z.number().parse(await page.evaluate('window.tookMs'));
}

/** Tells how long after a press one more element of this kind was drawn. */
const watchFor = (shown: string) => `{
  const count = () => document.querySelectorAll(${JSON.stringify(shown)}).length;
  let pressedAt;
  let before = 0;
  addEventListener('click', (event) => {
    pressedAt = event.timeStamp;
    before = count();
  }, true);
  new MutationObserver(() => {
    if (pressedAt === undefined || count() <= before) return;
    const from = pressedAt;
    pressedAt = undefined;
    ${AFTER_PAINT}(() => { window.tookMs = performance.now() - from; });
  }).observe(document, { subtree: true, childList: true, attributes: true });
}`;

async function timeKeys(browser: Browser, farm: ConsoleFarm, floodMs: number) {
  const { page } = await pageOf(browser, farm);
  await page.setViewportSize({ width: 1366, height: 768 });
  await page.goto(`${farm.base}/alarmes`);
  await page.waitForSelector('.shell[data-link="live"]');
  await page.evaluate(`{
    window.waits = [];
    addEventListener('keydown', ({ timeStamp }) => {
      const delay = performance.now() - timeStamp;
      ${AFTER_PAINT}(() => window.waits.push({ delay, painted: performance.now() - timeStamp }));
    }, true);
  }`);
  const quiet = await pressedFor(page, floodMs);
  const raising = raise(farm, floodMs);
  const flood = await pressedFor(page, floodMs);
  await raising;
  await page.context().close();
  return { quiet, flood };
}

async function pressedFor(page: Page, forMs: number): Promise<z.infer<typeof waits>> {
  await page.evaluate('window.waits.length = 0');
  for (let passed = 0; passed < forMs; passed += KEY_EVERY_MS) {
    await page.keyboard.press('Tab');
    await pause(KEY_EVERY_MS);
  }
  return waits.parse(await page.evaluate('window.waits'));
}

/** All ponds go bad, one after the other, over this time. */
async function raise({ base, token, ponds }: ConsoleFarm, overMs: number): Promise<void> {
  await Promise.all(
    ponds.map(async ({ id }, index) => {
      await pause((overMs * index) / ponds.length);
      const body = { pond_id: id, ...ALL_BAD };
      const { status } = await callHttp(base, '/api/v1/water-quality/', { body, bearer: token });
      if (status !== 201) throw new Error(`a measurement was answered ${status}`);
    }),
  );
}

const SHARED = { cpuRatio: null, spread: null } as const;

function pendingFinding({
  pressed,
  onPhone,
  plain,
}: {
  pressed: readonly number[];
  onPhone: readonly number[];
  plain: readonly number[];
}): Finding {
  return {
    ...SHARED,
    measure: 'an order is drawn as under way',
    subject: figures('after the press', pressed),
    baseline: figures('a word that changes on a plain page', plain),
    ratioOf: 'p50',
    ratio: median(pressed) / median(plain),
    must: `p50 ≤ ${MOST_MS.pending} ms`,
    isMet: median(pressed) <= MOST_MS.pending,
    rounds: pressed.length,
    notes: [
      `p95 ${quantileOf(pressed, 0.95).toFixed(0)} ms`,
      `CPU ${SLOWER} times slower: p50 ${median(onPhone).toFixed(0)} ms, p95 ${quantileOf(onPhone, 0.95).toFixed(0)} ms`,
    ],
  };
}

function floodFinding(flood: z.infer<typeof waits>, quiet: z.infer<typeof waits>, alarms: number): Finding {
  const delays = flood.map(({ delay }) => delay);
  const p95 = quantileOf(delays, 0.95);
  const quietP95 = quantileOf(
    quiet.map(({ delay }) => delay),
    0.95,
  );
  const painted = quantileOf(
    flood.map((wait) => wait.painted),
    0.95,
  );
  return {
    ...SHARED,
    measure: `a key waits while ${alarms} alarms come`,
    subject: figures('during the flood', delays),
    baseline: figures(
      'before it',
      quiet.map(({ delay }) => delay),
    ),
    ratioOf: 'p95',
    ratio: p95 / quietP95,
    must: `p95 ≤ ${MOST_MS.key} ms`,
    isMet: p95 <= MOST_MS.key,
    rounds: delays.length,
    notes: [`p95 ${p95.toFixed(0)} ms, until it is drawn ${painted.toFixed(0)} ms`],
  };
}
