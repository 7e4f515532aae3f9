import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';
import { effortOf } from '#test/page-effort.ts';
import { aProbeWrote } from '#test/probe-month.ts';

// A month of a probe at 30 s, 86,400 readings, compared with others and moved under the hand.

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS = 30;
/** Of a screen that draws sixty times a second. */
const FRAME_MS = 1_000 / 60;

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  const [, one = '', other = ''] = farm.farm.pondIds;
  await aProbeWrote(farm.app, { pondId: one, days: DAYS, oxygenAt: (_, tide) => 6 + tide });
  await aProbeWrote(farm.app, { pondId: other, days: 8, oxygenAt: (_, tide) => 5 + tide });
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

type Asked = { pond: string; ms: number; readings: number; pauseMs: number };

/** Questions for a part of the time, as they are answered. */
async function finerOf(page: Page): Promise<Asked[]> {
  const asked: Asked[] = [];
  await page.route(/dissolved_oxygen\?.*start_date/, async (route) => {
    const url = new URL(route.request().url());
    const [from, to] = ['start_date', 'end_date'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
    const reply = await route.fetch();
    const told = (await reply.json()) as { trend_data: { readings: { at: string }[] } };
    const instants = told.trend_data.readings.map(({ at }) => Date.parse(at));
    asked.push({
      pond: url.pathname.split('/').at(-2) ?? '',
      ms: (to ?? 0) - (from ?? 0),
      readings: instants.length,
      pauseMs: (instants[1] ?? 0) - (instants[0] ?? 0),
    });
    await route.fulfill({ response: reply });
  });
  return asked;
}

const said = (chart: Locator) => chart.getByRole('slider').getAttribute('aria-valuetext');
const nearer = (chart: Locator) => chart.getByRole('button', { name: /^Ampliar/ }).click();

it('ponds that are compared show their minutes to whoever comes near, each its own', async () => {
  const page = await farm.open('/relatorios/comparar?o=viveiros&v=V-02&v=V-03&t=30d');
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  const asked = await finerOf(page);
  // from thirty days to less than one, at its end: each key comes nearer by a half
  await chart.getByRole('slider').focus();
  await page.keyboard.press('End');
  for (let step = 0; step < 9; step += 1) await page.keyboard.press('+');
  await expect
    .poll(() => asked.some(({ pond, pauseMs }) => pond === farm.farm.pondIds[1] && pauseMs === MINUTE_MS))
    .toBe(true);
  await expect
    .poll(() => asked.some(({ pond, pauseMs }) => pond === farm.farm.pondIds[2] && pauseMs === MINUTE_MS))
    .toBe(true);
  expect(Math.max(...asked.map(({ readings }) => readings))).toBeLessThanOrEqual(2_000);
  await chart.locator('[data-finer]').waitFor({ state: 'detached' });
  const minuteOf = (text: string | null) => Number(/:(\d\d)/.exec(text ?? '')?.[1]);
  await page.keyboard.press('End');
  await expect.poll(() => said(chart)).toMatch(/V-02 \d,\d/);
  const newest = minuteOf(await said(chart));
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (60 + newest - minuteOf(await said(chart))) % 60).toBe(1);
  expect(await violationsOn(page)).toEqual([]);
  // the whole asks for nothing more
  const before = asked.length;
  await chart.getByRole('button', { name: 'Período inteiro' }).click();
  await expect.poll(() => chart.getByRole('button', { name: 'Período inteiro' }).count()).toBe(0);
  expect(asked.length).toBe(before);
});

it('nights over one another show their minutes, asked for night by night', async () => {
  const page = await farm.open('/relatorios/comparar?o=noites&v=V-03');
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  const asked = await finerOf(page);
  await nearer(chart);
  await nearer(chart);
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(4);
  await chart.locator('[data-finer]').waitFor({ state: 'detached' });
  for (const { ms, pauseMs } of asked.filter(({ readings }) => readings > 1)) {
    expect(ms).toBeLessThan(DAY_MS / 2);
    expect(pauseMs).toBe(MINUTE_MS);
  }
});

it('finer readings of one of the ponds that do not come are told, and both lines stay', async () => {
  const page = await farm.open('/relatorios/comparar?o=viveiros&v=V-02&v=V-03&t=7d');
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  await page.route(new RegExp(`${farm.farm.pondIds[2]}/dissolved_oxygen\\?.*start_date`), (route) =>
    route.fulfill({ status: 422, contentType: 'application/json', body: '{"detail":"no"}' }),
  );
  await nearer(chart);
  await chart.locator('[data-finer="failed"]').waitFor();
  await chart.getByRole('slider').focus();
  await page.keyboard.press('End');
  await expect.poll(() => said(chart)).toMatch(/V-02 \d,\d[^]*V-03 \d,\d/);
});

it('a month at 30 s follows the hand at sixty frames a second: a frame costs less processor than it lasts', async () => {
  const page = await farm.open('/viveiros/V-02/agua', { width: 1366, height: 768 });
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  await page.locator('figure canvas').nth(5).waitFor();
  const box = await chart.locator('.u-over').boundingBox();
  if (box === null) throw new Error('nothing is drawn');
  const spent = await effortOf(page);
  /** Moves of the wheel, one in each frame that the browser draws. */
  const moved = (frames: number, deltaX: number, deltaY: number) =>
    page.evaluate(`new Promise((done) => {
      const over = document.querySelector('figure .u-over');
      let left = ${frames};
      const step = () => {
        if (left === 0) return done();
        left -= 1;
        over.dispatchEvent(new WheelEvent('wheel', {
          deltaX: ${deltaX}, deltaY: ${deltaY}, ctrlKey: true, bubbles: true, cancelable: true,
          clientX: ${box.x + box.width / 2}, clientY: ${box.y + box.height / 2},
        }));
        requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    })`);
  const FRAMES = 60;
  await moved(5, 0, -10);
  const start = await spent();
  await moved(FRAMES, 0, -10);
  // it did come nearer, in all of the page
  expect(await page.getByRole('button', { name: 'Período inteiro' }).count()).toBeGreaterThan(1);
  await moved(FRAMES, 0, 10);
  const each = ((await spent()) - start) / (2 * FRAMES);
  expect(each, 'ms of the processor a frame').toBeLessThan(FRAME_MS);
});

it('a month at 30 s is drawn within the effort that a phone six times slower has for it', async () => {
  const page = await farm.open('/viveiros/V-02/agua', { width: 360, height: 740 });
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  await page.locator('figure canvas').nth(5).waitFor();
  const spent = await effortOf(page);
  const drawnIn: number[] = [];
  const press = (name: string, wanted: string) =>
    page.evaluate(`new Promise((done) => {
      const chart = document.querySelector('figure');
      [...chart.querySelectorAll('button')].find((one) => one.textContent === '${name}').click();
      const look = () => chart.querySelector('${wanted}') === null ? setTimeout(look, 5) : requestAnimationFrame(() => setTimeout(done));
      look();
    })`);
  for (let n = 0; n < 9; n += 1) {
    await press('Ver como tabela', 'tbody');
    const start = await spent();
    await press('Ver como gráfico', 'canvas');
    drawnIn.push((await spent()) - start);
  }
  // whatever else the machine does only adds to it
  const ms = Math.min(...drawnIn);
  // from the press to the frame that shows it: 150 ms at a sixth of the speed
  expect(ms, 'ms of the processor').toBeLessThan(150 / 6);
});
