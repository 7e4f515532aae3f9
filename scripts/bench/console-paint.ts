import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { callHttp } from '#sim/fetch-firmware.ts';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { type ConsoleFarm, figures, pageOf, quantileOf, startConsoleFarm } from './console-input.ts';
import { type BenchOptions, type Figures, type Finding, inTurn, median } from './finding.ts';

const MOST_MS = { alarm: 2_000, wall: 3_500, card: 16 } as const;
const MOST_IDLE = 0.03;
/** Changes of the page that one heartbeat may make. */
const MOST_CHANGES = 60;
/** What a heartbeat changes is drawn within it, and the next one comes after it. */
const DRAWN_WITHIN_MS = 2_000;
/** As slow as a cheap phone. */
const SLOWER = 6;
/** The same cards without any program: what the browser itself needs for so much. */
const plainWall = (ponds: number) =>
  `<!doctype html><meta charset="utf-8"><style>li{display:inline-block;width:210px;height:190px;border:1px solid}</style><ul>${'<li data-pond="x"><h2>V-01</h2><p>6,4 mg/L</p><p>29,1 °C</p><p>pH 7,9</p><p>11,8 g · 2.340 kg</p></li>'.repeat(ponds)}</ul>`;

/** How long people wait for the screens: an alarm to the eyes, a wall of sixty ponds, one card of it, and what it costs while nothing happens. */
export async function consolePaint({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const size = isQuick
    ? { ponds: 6, points: 2, rounds: 1, alarms: 3, idleMs: 2_000 }
    : { ponds: 60, points: 20, rounds: 9, alarms: 20, idleMs: 20_000 };
  const farm = await startConsoleFarm(size);
  const browser = await launchChromium();
  try {
    tell(`a wall of ${size.ponds} ponds, the machine ${SLOWER} times slower, ${size.rounds} rounds`);
    const walls = await inTurn(
      size.rounds,
      () => timeWall(browser, farm),
      () => timePlainWall(browser, size.ponds),
    );
    tell(`the wall by itself for ${size.idleMs / 1_000} s`);
    const idle = await watchIdle(browser, farm, size.idleMs);
    tell(`${size.points} heartbeats`);
    const changes = await countChanges(browser, farm, size.points);
    tell(`${size.alarms} alarms`);
    const alarms = await timeAlarms(browser, farm, size.alarms);
    return [
      wallFinding(walls, size.ponds),
      idleFinding(idle, size),
      changesFinding(changes, size),
      ...alarmFindings(alarms, size.ponds),
    ];
  } finally {
    await browser.close();
    await farm.stop();
  }
}

async function timeWall(browser: Browser, farm: ConsoleFarm): Promise<number> {
  const { page } = await pageOf(browser, farm, SLOWER);
  const startedAt = performance.now();
  await page.goto(`${farm.base}/`, { waitUntil: 'commit' });
  await page.waitForSelector(`.wall > li:nth-child(${farm.ponds.length}) [data-pond]`);
  await page.waitForSelector('.shell[data-link="live"]');
  const took = performance.now() - startedAt;
  await page.context().close();
  return took;
}

async function timePlainWall(browser: Browser, ponds: number): Promise<number> {
  const { page } = await pageOf(browser, { token: '' }, SLOWER);
  const startedAt = performance.now();
  await page.setContent(plainWall(ponds), { waitUntil: 'commit' });
  await page.waitForSelector(`ul > li:nth-child(${ponds})`);
  const took = performance.now() - startedAt;
  await page.context().close();
  return took;
}

type Idle = { workedMs: number; passedMs: number };

/** How long the page works while nobody touches it and nothing happens on the farm. */
async function watchIdle(browser: Browser, farm: ConsoleFarm, forMs: number): Promise<Idle> {
  const { page, devtools } = await pageOf(browser, farm);
  await page.goto(`${farm.base}/`);
  await page.waitForSelector(`[data-pond="${farm.ponds.at(-1)?.cod}"] .pond-oxygen[data-fresh=fresh]`);
  await devtools.send('Performance.enable');
  const workedS = async () =>
    (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')
      ?.value ?? Number.NaN;
  // what the opening left to do is done by then
  await pause(forMs / 4);
  const [before, startedAt] = [await workedS(), performance.now()];
  await pause(forMs);
  const idle = {
    workedMs: ((await workedS()) - before) * 1_000,
    passedMs: performance.now() - startedAt,
  };
  await page.context().close();
  return idle;
}

/** How many changes of the page each heartbeat of a motor that draws another power makes on the wall. */
async function countChanges(browser: Browser, farm: ConsoleFarm, points: number): Promise<number[]> {
  const { page } = await pageOf(browser, farm);
  await page.goto(`${farm.base}/`);
  await page.waitForSelector('.shell[data-link="live"]');
  await page.waitForSelector(`[data-pond="${farm.ponds.at(-1)?.cod}"]`);
  await page.evaluate(`{
    window.changes = 0;
    new MutationObserver((records) => { window.changes += records.length; })
      .observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  }`);
  const counts: number[] = [];
  for (let n = 1; n <= points; n += 1) {
    await pause(DRAWN_WITHIN_MS);
    await page.evaluate('window.changes = 0');
    const body = { device_id: `wall-${n}`, current_status: 'ON', consumption: 3 + n / 10 };
    await callHttp(farm.base, '/api/v1/devices/heartbeat', { body, bearer: farm.token });
    await pause(DRAWN_WITHIN_MS);
    counts.push(await page.evaluate<number>('window.changes'));
  }
  await page.context().close();
  return counts;
}

type Alarms = { toEyesMs: number[]; answeredMs: number[]; cardMs: number[] };

/** From the measurement's answer to the strip on the screen; and how long the page worked until a card was drawn. */
async function timeAlarms(browser: Browser, farm: ConsoleFarm, count: number): Promise<Alarms> {
  const { page } = await pageOf(browser, farm);
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
  const p95 = quantileOf(toEyesMs, 0.95);
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

function idleFinding(
  { workedMs, passedMs }: Idle,
  { ponds, points }: { ponds: number; points: number },
): Finding {
  const share = workedMs / passedMs;
  const counted = (ms: number): Figures => ({
    ...figures('', []),
    p50Ms: null,
    p99Ms: null,
    counted: `${((100 * ms) / passedMs).toFixed(2)} %`,
  });
  return {
    measure: `wall of ${ponds} ponds and ${points} control points that nobody touches`,
    subject: { ...counted(workedMs), name: 'the page works' },
    baseline: { ...counted(passedMs), name: 'time that passed' },
    ratioOf: 'CPU',
    ratio: share,
    cpuRatio: null,
    spread: null,
    must: `≤ ${MOST_IDLE * 100} %`,
    isMet: share <= MOST_IDLE,
    rounds: 1,
  };
}

function changesFinding(counts: readonly number[], { ponds }: { ponds: number }): Finding {
  const counted = (name: string, count: number): Figures => ({
    ...figures(name, []),
    p50Ms: null,
    p99Ms: null,
    counted: `${count}`,
  });
  const most = Math.max(...counts);
  return {
    measure: `one heartbeat on a wall of ${ponds} ponds`,
    subject: counted('changes of the page, at most', most),
    baseline: counted('may be', MOST_CHANGES),
    ratioOf: 'CPU',
    ratio: most / MOST_CHANGES,
    cpuRatio: null,
    spread: null,
    must: `≤ ${MOST_CHANGES}`,
    isMet: most <= MOST_CHANGES,
    rounds: counts.length,
    notes: [`p50 ${median(counts)}`],
  };
}
