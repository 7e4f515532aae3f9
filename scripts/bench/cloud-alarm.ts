import type { Browser } from 'playwright-core';
import * as z from 'zod';
import { launchChromium } from '#test/chromium.ts';
import { buildConsole } from '../build-console.mjs';
import { figures, pageOf, quantileOf } from './console-input.ts';
import { type BenchOptions, type Finding, median } from './finding.ts';
import { type PairedFarm, startPairedFarm } from './paired-farm.ts';

const MOST_P95_MS = 10_000;
const ROUND_TRIP_MS = 200;

type Times = { toEyesMs: number[]; answeredMs: number[] };

/** From a measurement at the farm to the alarm on a wall that somebody looks at through the cloud. */
export async function cloudAlarm({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  await buildConsole();
  const count = isQuick ? 2 : 20;
  tell('a farm and its hosted instance');
  const farm = await startPairedFarm({ controlPoints: 2, ponds: count });
  const browser = await launchChromium();
  try {
    farm.link.set({ roundTripMs: ROUND_TRIP_MS });
    // what was fast a moment ago has gone its way
    await farm.untilLevel(30_000);
    tell(`${count} alarms of the farm, seen in the cloud`);
    return [alarmFinding(await timeAlarms(browser, farm, count))];
  } finally {
    await browser.close();
    await farm.stop();
  }
}

const ponds = z.array(z.object({ id: z.string(), cod: z.string() }));

async function timeAlarms(browser: Browser, farm: PairedFarm, count: number): Promise<Times> {
  const hosted = farm.cloud.processes[0]?.http ?? '';
  const { page } = await pageOf(browser, { token: farm.ownerToken });
  const times: Times = { toEyesMs: [], answeredMs: [] };
  const found = await farm.manager.get('/ponds/?limit=200', ponds);
  await page.goto(`${hosted}/`);
  await page.waitForSelector('.shell[data-link="live"]');
  await page.waitForSelector(`[data-pond="${found.at(-1)?.cod}"]`);
  for (const { id, cod } of found.slice(0, count)) {
    const startedAt = performance.now();
    await farm.manager.send('POST', '/water-quality/', { pond_id: id, dissolved_oxygen: 2.4 });
    times.answeredMs.push(performance.now() - startedAt);
    await page.waitForSelector(`[data-pond="${cod}"] .mark.p1`);
    times.toEyesMs.push(performance.now() - startedAt);
  }
  await page.context().close();
  return times;
}

function alarmFinding({ toEyesMs, answeredMs }: Times): Finding {
  const p95 = quantileOf(toEyesMs, 0.95);
  return {
    measure: `alarm of the farm to the eyes in the cloud, ${ROUND_TRIP_MS} ms there and back`,
    subject: figures('on the wall in the cloud', toEyesMs),
    baseline: figures('measurement answered at the farm', answeredMs),
    ratioOf: 'p50',
    ratio: median(toEyesMs) / median(answeredMs),
    cpuRatio: null,
    spread: null,
    must: `p95 ≤ ${MOST_P95_MS} ms`,
    isMet: p95 <= MOST_P95_MS,
    rounds: toEyesMs.length,
    notes: [`p95 ${p95.toFixed(0)} ms`],
  };
}
