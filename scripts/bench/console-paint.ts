import type { Browser, Page } from 'playwright-core';
import { callHttp } from '#sim/http-call.ts';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { type BenchOptions, type Figures, type Finding, inTurn, median } from './finding.ts';
import { startBenchGateway } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import { addPonds, provision } from './provision.ts';

const MOST_MS = { alarm: 2_000, wall: 3_500, card: 16 } as const;
/** As slow as a cheap phone. */
const SLOWER = 6;
/** The same cards without any program: what the browser itself needs for so much. */
const plainWall = (ponds: number) =>
  `<!doctype html><meta charset="utf-8"><style>li{display:inline-block;width:210px;height:190px;border:1px solid}</style><ul>${'<li data-pond="x"><h2>V-01</h2><p>6,4 mg/L</p><p>29,1 °C</p><p>pH 7,9</p><p>11,8 g · 2.340 kg</p></li>'.repeat(ponds)}</ul>`;

type Farm = { base: string; token: string; ponds: { id: string; cod: string }[] };

/** How long people wait for the screens: an alarm to the eyes, a wall of sixty ponds, one card of it. */
export async function consolePaint({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const size = isQuick ? { ponds: 6, rounds: 1, alarms: 3 } : { ponds: 60, rounds: 9, alarms: 20 };
  const gateway = await startBenchGateway();
  const browser = await launchChromium();
  try {
    const owner = await provision(gateway.http, { count: 8, prefix: 'paint' });
    const [farmId = ''] = owner.farms;
    await addPonds(gateway.http, { token: owner.token, farmId, count: size.ponds });
    const { body } = await callHttp(gateway.http, `/api/v1/ponds/?farm_id=${farmId}&limit=200`, {
      bearer: owner.token,
    });
    const farm = { base: gateway.http, token: owner.token, ponds: body as Farm['ponds'] };
    tell(`a wall of ${size.ponds} ponds, the machine ${SLOWER} times slower, ${size.rounds} rounds`);
    const walls = await inTurn(
      size.rounds,
      () => timeWall(browser, farm),
      () => timePlainWall(browser, size.ponds),
    );
    tell(`${size.alarms} alarms`);
    const alarms = await timeAlarms(browser, farm, size.alarms);
    return [wallFinding(walls, size.ponds), ...alarmFindings(alarms, size.ponds)];
  } finally {
    await browser.close();
    await gateway.stop();
  }
}

async function pageOf(browser: Browser, { token }: { token: string }, slower = 1): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const session = JSON.stringify({ token, expiresAt: Date.now() + 86_400_000, remembered: true });
  await context.addInitScript(`try { localStorage.setItem('session', ${JSON.stringify(session)}) } catch {}`);
  const page = await context.newPage();
  if (slower > 1) {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  }
  return page;
}

async function timeWall(browser: Browser, farm: Farm): Promise<number> {
  const page = await pageOf(browser, farm, SLOWER);
  const startedAt = performance.now();
  await page.goto(`${farm.base}/`, { waitUntil: 'commit' });
  await page.waitForSelector(`.wall > li:nth-child(${farm.ponds.length}) [data-pond]`);
  await page.waitForSelector('.shell[data-link="live"]');
  const took = performance.now() - startedAt;
  await page.context().close();
  return took;
}

async function timePlainWall(browser: Browser, ponds: number): Promise<number> {
  const page = await pageOf(browser, { token: '' }, SLOWER);
  const startedAt = performance.now();
  await page.setContent(plainWall(ponds), { waitUntil: 'commit' });
  await page.waitForSelector(`ul > li:nth-child(${ponds})`);
  const took = performance.now() - startedAt;
  await page.context().close();
  return took;
}

type Alarms = { toEyesMs: number[]; answeredMs: number[]; cardMs: number[] };

/** From the measurement's answer to the strip on the screen; and how long the page worked until a card was drawn. */
async function timeAlarms(browser: Browser, farm: Farm, count: number): Promise<Alarms> {
  const page = await pageOf(browser, farm);
  await page.goto(`${farm.base}/`);
  await page.waitForSelector('.shell[data-link="live"]');
  await page.waitForSelector('[data-pond]');
  const times: Alarms = { toEyesMs: [], answeredMs: [], cardMs: [] };
  for (let n = 0; n < count; n += 1) {
    const pond = farm.ponds[n % farm.ponds.length];
    if (pond === undefined) break;
    await page.evaluate(TASKS_BEGIN);
    const startedAt = performance.now();
    const body = { pond_id: pond.id, dissolved_oxygen: 2.4 };
    await callHttp(farm.base, '/api/v1/water-quality/', { body, bearer: farm.token });
    times.answeredMs.push(performance.now() - startedAt);
    await page.waitForSelector(`[data-pond="${pond.cod}"] .mark.p1`);
    times.toEyesMs.push(performance.now() - startedAt);
    times.cardMs.push(await page.evaluate<number>(TASKS_END));
  }
  await page.context().close();
  return times;
}

/** How late a frame comes, at worst, while the page does what it must. */
const TASKS_BEGIN = `{
  window.frames = [];
  window.watching = true;
  let before = performance.now();
  const next = (now) => {
    window.frames.push(now - before);
    before = now;
    if (window.watching) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}`;
const TASKS_END = `(() => { window.watching = false; return Math.max(...window.frames.slice(1), 0); })()`;

function wallFinding(
  { subject, baseline }: { subject: number[]; baseline: number[] },
  ponds: number,
): Finding {
  return {
    measure: `wall of ${ponds} ponds, usable, CPU ${SLOWER} times slower`,
    subject: figures('console', subject),
    baseline: figures('the same cards as plain HTML', baseline),
    ratioOf: 'p50',
    ratio: median(subject) / median(baseline),
    cpuRatio: null,
    spread: null,
    must: `p50 ≤ ${MOST_MS.wall} ms`,
    isMet: median(subject) <= MOST_MS.wall,
    rounds: subject.length,
  };
}

function alarmFindings({ toEyesMs, answeredMs, cardMs }: Alarms, ponds: number): Finding[] {
  const p95 = quantile(
    toEyesMs.toSorted((a, b) => a - b),
    0.95,
  );
  const shared = { ratioOf: 'p50', cpuRatio: null, spread: null, rounds: toEyesMs.length } as const;
  // a frame of the screen comes every 16.7 ms: later than two of them is what an eye may notice
  const worst = median(cardMs) - 1_000 / 60;
  return [
    {
      ...shared,
      measure: 'alarm to the eyes',
      subject: figures('on the wall', toEyesMs),
      baseline: figures('measurement answered', answeredMs),
      ratio: median(toEyesMs) / median(answeredMs),
      must: `p95 ≤ ${MOST_MS.alarm} ms`,
      isMet: p95 <= MOST_MS.alarm,
      notes: [`p95 ${p95.toFixed(0)} ms`],
    },
    {
      ...shared,
      measure: `one card of ${ponds}, longest frame while it is drawn anew`,
      subject: figures('frame', cardMs),
      baseline: figures('a frame of the screen', [1_000 / 60]),
      ratio: median(cardMs) / (1_000 / 60),
      must: `≤ ${MOST_MS.card} ms late`,
      isMet: worst <= MOST_MS.card,
    },
  ];
}

function figures(name: string, times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: median(times),
    p99Ms: quantile(sorted, 0.99),
    rssMb: null,
  };
}
