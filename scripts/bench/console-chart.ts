import type { Page } from 'playwright-core';
import * as z from 'zod';
import { callHttp } from '#sim/http-call.ts';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { type ConsoleFarm, startConsoleFarm } from './console-farm.ts';
import { figures, pageOf } from './console-page.ts';
import { type BenchOptions, type Finding, median } from './finding.ts';

const MOST_MS = 150;
/** As slow as a cheap phone. */
const SLOWER = 6;
const DAYS = 30;
const DAY_MS = 86_400_000;

const AFTER_FRAMES =
  '(tell) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => tell(window.drawnMs), 50)))';

/** When the figures were there and when the first drawing of them was on the screen. */
const WATCH = `{
  const look = new MutationObserver(() => {
    if (document.querySelector('.chart canvas') === null) return;
    look.disconnect();
    requestAnimationFrame(() => setTimeout(() => {
      const told = performance.getEntriesByType('resource').filter(({ name }) => name.includes('/trend/'));
      const parts = performance.getEntriesByType('resource').filter(({ name }) => name.includes('draw-chart'));
      const from = Math.max(Math.min(...told.map(({ responseEnd }) => responseEnd)), ...parts.map(({ responseEnd }) => responseEnd));
      window.drawnMs = performance.now() - from;
    }));
  });
  look.observe(document, { childList: true, subtree: true });
}`;

/** How long a month of water takes from its figures to its drawing, on a cheap phone. */
export async function consoleChart({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const rounds = isQuick ? 1 : 9;
  const farm = await startConsoleFarm({ ponds: 1, points: 1 });
  const browser = await launchChromium();
  try {
    await measureAMonth(farm);
    const { page } = await pageOf(browser, farm, SLOWER);
    await page.addInitScript(WATCH);
    const times: number[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      tell(`a month of water, ${round} of ${rounds}`);
      times.push(await timeDrawing(page, farm));
    }
    return [
      {
        measure: `a chart of ${DAYS} days, from its figures to its drawing, ${SLOWER} times slower`,
        subject: figures('uPlot', times),
        baseline: figures('allowed', [MOST_MS]),
        ratioOf: 'p50',
        ratio: median(times) / MOST_MS,
        cpuRatio: null,
        spread: [Math.min(...times) / MOST_MS, Math.max(...times) / MOST_MS],
        must: `≤ ${MOST_MS} ms`,
        isMet: median(times) <= MOST_MS,
        rounds,
        notes: ['the gateway sends a figure a day, whatever the probes measured'],
      },
    ];
  } finally {
    await browser.close();
    await farm.stop();
  }
}

async function timeDrawing(page: Page, { base, ponds: [pond] }: ConsoleFarm): Promise<number> {
  await page.goto(`${base}/viveiros/${pond?.cod}/agua`);
  await page.waitForSelector('.chart canvas');
  // two frames on it has been drawn, and the page has noted when
  return z.number().parse(await page.evaluate(`new Promise(${AFTER_FRAMES})`));
}

async function measureAMonth({ base, token, ponds: [pond] }: ConsoleFarm): Promise<void> {
  for (let day = 1; day < DAYS; day += 1) {
    const measurement_date = new Date(Date.now() - day * DAY_MS).toISOString();
    const water = { dissolved_oxygen: 5 + (day % 7) / 5, temperature: 28, ph: 7.8, salinity: 20 };
    const body = { pond_id: pond?.id, measurement_date, ...water };
    const { status } = await callHttp(base, '/api/v1/water-quality/', { body, bearer: token });
    if (status !== 201) throw new Error(`a measurement was answered ${status}`);
  }
}
