import type { Page } from 'playwright-core';
import * as z from 'zod';
import { measurement } from '#contract/resources/water-quality.ts';
import { insert } from '#core/changes.ts';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { type ConsoleFarm, figures, pageOf, startConsoleFarm } from './console-input.ts';
import { type BenchOptions, type Finding, median } from './finding.ts';
import { composeHere } from './in-process.ts';

const MOST_MS = 150;
/** What a finger may wait for. */
const MOST_BLOCK_MS = 50;
/** As slow as a cheap phone. */
const SLOWER = 6;
const DAYS = 30;
const EVERY_MS = 30_000;
const DAY_MS = 86_400_000;
const ROWS_A_COMMIT = 2_000;
const CHARTS = 6;
const MOST_POINTS = 2_000;

/** When the oxygen was there, when it was on the screen, and what held the page up after that. */
const WATCH = `{
  const blocks = [];
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) blocks.push({ startTime, duration });
  }).observe({ type: 'longtask', buffered: true });
  const look = new MutationObserver(() => {
    if (document.querySelector('.chart canvas') === null) return;
    look.disconnect();
    requestAnimationFrame(() => setTimeout(() => {
      const drawnAt = performance.now();
      const told = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/dissolved_oxygen'));
      window.drawing = { drawnAt, ms: drawnAt - Math.min(...told.map(({ responseEnd }) => responseEnd)), blocks };
    }));
  });
  look.observe(document, { childList: true, subtree: true });
}`;

/** Two frames and a moment on, everything has been noted. */
const TOLD = `new Promise((tell) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => tell({
  ms: window.drawing.ms,
  isOxygen: document.querySelector('.chart canvas') === document.querySelector('figure canvas'),
  blockMs: Math.max(0, ...window.drawing.blocks
    .filter(({ startTime }) => startTime > window.drawing.drawnAt)
    .map(({ duration }) => duration)),
}), 300))))`;
const drawing = z.object({ ms: z.number(), isOxygen: z.boolean(), blockMs: z.number() });

const told = z.object({
  trend_data: z.object({ readings: z.array(z.unknown()).min(DAYS).max(MOST_POINTS) }),
});

/** How long a month of a probe takes from its figures to its drawing, on a cheap phone. */
export async function consoleChart({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const rounds = isQuick ? 1 : 9;
  const readings = (DAYS * DAY_MS) / EVERY_MS;
  tell(`${readings} readings of a probe`);
  const farm = await startConsoleFarm({ ponds: 1, points: 1, and: addReadings });
  const browser = await launchChromium();
  try {
    const { page } = await pageOf(browser, farm, SLOWER);
    await page.addInitScript(WATCH);
    const times: number[] = [];
    const blocks: number[] = [];
    const points = await pointsToldTo(page, farm);
    for (let round = 1; round <= rounds; round += 1) {
      tell(`a month of water, ${round} of ${rounds}`);
      const { ms, blockMs } = await timeDrawing(page, farm);
      times.push(ms);
      blocks.push(blockMs);
    }
    return [
      {
        measure: `a chart of ${DAYS} days at ${EVERY_MS / 1_000} s, from its figures to its drawing, ${SLOWER} times slower`,
        subject: figures('uPlot', times),
        baseline: figures('allowed', [MOST_MS]),
        ratioOf: 'p50',
        ratio: median(times) / MOST_MS,
        cpuRatio: null,
        spread: [Math.min(...times) / MOST_MS, Math.max(...times) / MOST_MS],
        must: `≤ ${MOST_MS} ms`,
        isMet: median(times) <= MOST_MS,
        rounds,
        notes: [`${readings} readings, told by the gateway in ${points} points`],
      },
      {
        measure: `the other ${CHARTS - 1} charts: the longest that one holds the page up`,
        subject: figures('uPlot', blocks),
        baseline: figures('allowed', [MOST_BLOCK_MS]),
        ratioOf: 'p50',
        ratio: median(blocks) / MOST_BLOCK_MS,
        cpuRatio: null,
        spread: [Math.min(...blocks) / MOST_BLOCK_MS, Math.max(...blocks) / MOST_BLOCK_MS],
        must: `≤ ${MOST_BLOCK_MS} ms`,
        isMet: median(blocks) <= MOST_BLOCK_MS,
        rounds,
        notes: ['0: nothing held it up for 50 ms'],
      },
    ];
  } finally {
    await browser.close();
    await farm.stop();
  }
}

async function timeDrawing(
  page: Page,
  { base, ponds: [pond] }: ConsoleFarm,
): Promise<z.infer<typeof drawing>> {
  await page.goto(`${base}/viveiros/${pond?.cod}/agua`);
  await page
    .locator('.chart canvas')
    .nth(CHARTS - 1)
    .waitFor();
  const drawn = drawing.parse(await page.evaluate(TOLD));
  if (!drawn.isOxygen) throw new Error('another chart was drawn before the oxygen');
  return drawn;
}

/** How many points the oxygen is drawn of; the page is warm after that, as it is for who comes every day. */
async function pointsToldTo(page: Page, farm: ConsoleFarm): Promise<number> {
  const answer = page.waitForResponse((response) => response.url().includes('/dissolved_oxygen'));
  await timeDrawing(page, farm);
  const { trend_data } = told.parse(await (await answer).json());
  return trend_data.readings.length;
}

/** Straight into the database: a day goes up and down, and every parameter of the page is measured. */
async function addReadings(data: string, [pond]: ConsoleFarm['ponds']): Promise<void> {
  const { kernel, database, delivery } = await composeHere(data);
  const now = kernel.now();
  const rows = Array.from({ length: (DAYS * DAY_MS) / EVERY_MS }, (_, n) => {
    const at = now - n * EVERY_MS;
    const tide = Math.sin((at / DAY_MS) * 2 * Math.PI);
    const ripple = (n % 17) / 40;
    const instant = new Date(at).toISOString();
    return insert(measurement, {
      id: kernel.newId(),
      pond_id: pond?.id ?? '',
      measurement_date: instant,
      temperature: 28 + tide + ripple,
      dissolved_oxygen: 5.5 + 2 * tide + ripple,
      ph: 7.8 + tide / 4 + ripple / 10,
      salinity: 20 + ripple,
      alkalinity: null,
      ammonia: 0.05 + ripple / 20,
      nitrite: 0.1 + ripple / 10,
      nitrate: null,
      transparency: null,
      notes: null,
      source: 'probe',
      created_by: null,
      clock_quality: 'trusted',
      created_at: instant,
      updated_at: null,
    });
  });
  for (let from = 0; from < rows.length; from += ROWS_A_COMMIT)
    await kernel.commit({ changes: rows.slice(from, from + ROWS_A_COMMIT), actor: null });
  await delivery.stop(Promise.resolve());
  await database.close();
}
