import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';
import { aProbeWrote } from '#test/probe-month.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
/** More than a screen can tell apart. */
const MOST_POINTS = 2_000;
const PARAMETERS = 6;
/** What was measured once in V-01. */
const OF_V01 = 4;
/** Days ago between which the probe was silent. */
const SILENT = { from: 18, until: 15 };
/** One reading of the month, at noon ten days ago; all the others are above four. */
const LOWEST = 0.6;

type Trend = {
  trend_data: {
    data_points: { date: string; avg: number; min: number }[];
    readings: { at: string; avg: number; min: number }[];
  };
};

let farm: Console;
let lowestAt: number;
beforeAll(async () => {
  farm = await startConsole();
  for (let day = 1; day < DAYS; day += 1) {
    for (const dissolved_oxygen of [4 + day / 10, 6 + day / 10]) {
      const measurement_date = new Date(farm.app.clock.now() - day * DAY_MS).toISOString();
      const body = { pond_id: farm.farm.pondIds[1], dissolved_oxygen, measurement_date };
      const { status } = await farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body });
      if (status !== 201) throw new Error(`a measurement was answered ${status}`);
    }
  }
  lowestAt = Math.floor(farm.app.clock.now() / DAY_MS - 10) * DAY_MS + DAY_MS / 2;
  const last = farm.app.clock.now();
  const isSilent = (at: number) => at > last - SILENT.from * DAY_MS && at < last - SILENT.until * DAY_MS;
  await aProbeWrote(farm.app, {
    pondId: farm.farm.pondIds[2] ?? '',
    days: DAYS,
    oxygenAt: (at, tide) => (isSilent(at) ? null : at === lowestAt ? LOWEST : 6 + tide),
  });
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

it('a station without a language of its own, as a kiosk is, draws them too', async () => {
  const page = await farm.open('/viveiros/V-02/agua', {
    script: "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })",
  });
  await page.locator('figure canvas').first().waitFor();
});

it('a month of water is a drawing of few points, and its days are a table for who does not see it', async () => {
  const page = await farm.open('/viveiros/V-02/agua');
  const told = await oxygenToldTo(page);
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  const points = told.trend_data.data_points;
  expect(points.length).toBeGreaterThan(DAYS - 3);
  expect(told.trend_data.readings.length).toBeLessThan(MOST_POINTS);

  await chart.getByRole('button', { name: 'Ver como tabela' }).click();
  const rows = chart.locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(points.length);
  const shown = (await rows.allInnerTexts()).join('\n');
  for (const { avg } of points) expect(shown).toContain(avg.toFixed(1).replace('.', ','));
});

it('a month of a probe at 30 s is drawn of at most 2,000 points, and one reading of no oxygen is still seen', async () => {
  const page = await farm.open('/viveiros/V-03/agua');
  const { readings } = (await oxygenToldTo(page)).trend_data;
  expect(readings.length).toBeGreaterThan(1_000);
  expect(readings.length).toBeLessThanOrEqual(MOST_POINTS);
  expect(Math.min(...readings.map(({ min }) => min))).toBe(LOWEST);
  // drowned in any average
  expect(Math.min(...readings.map(({ avg }) => avg))).toBeGreaterThan(4);

  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  const { from: first, to: last } = await axisOf(page);
  const share = (lowestAt - first) / (last - first);
  // a drop reaches down to where no other reading is
  await expect.poll(() => inkBelow(page, share)).toBeGreaterThan(10);
  expect(await inkBelow(page, share + 0.05)).toBe(0);

  // nobody measured while it was silent, and no line says so
  const shareOf = (daysAgo: number) => (farm.app.clock.now() - daysAgo * DAY_MS - first) / (last - first);
  expect(await lineAt(page, shareOf((SILENT.from + SILENT.until) / 2))).toBe(0);
  expect(await lineAt(page, shareOf(SILENT.from + 2))).toBeGreaterThan(0);
  expect(await lineAt(page, shareOf(SILENT.until - 2))).toBeGreaterThan(0);

  await chart.getByRole('button', { name: 'Ver como tabela' }).click();
  await expect.poll(() => chart.locator('tbody').innerText()).toContain('0,6');
});

it('a day that somebody zooms to out of the month shows its minutes, told while they come, and keeps the zoom', async () => {
  const page = await farm.open('/viveiros/V-03/agua');
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  const { from, to } = await axisOf(page);
  const finer: { start: number; end: number; told: Trend }[] = [];
  const held: (() => void)[] = [];
  await page.route(/dissolved_oxygen.*start_date/, async (route) => {
    await new Promise<void>((go) => held.push(go));
    const asked = new URL(route.request().url()).searchParams;
    const reply = await route.fetch();
    const [start, end] = ['start_date', 'end_date'].map((name) => Date.parse(asked.get(name) ?? ''));
    finer.push({ start: start ?? 0, end: end ?? 0, told: (await reply.json()) as Trend });
    await route.fulfill({ response: reply });
  });
  // the day of the one reading without oxygen
  const over = await chart.locator('.u-over').boundingBox();
  if (over === null) throw new Error('nothing is drawn');
  const placeOf = (at: number) => over.x + (over.width * (at - from)) / (to - from);
  await page.mouse.move(placeOf(lowestAt - DAY_MS / 2), over.y + 60);
  await page.mouse.down();
  await page.mouse.move(placeOf(lowestAt + DAY_MS / 2), over.y + 60, { steps: 4 });
  await page.mouse.up();
  await chart.locator('[data-finer="coming"]').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  for (const go of held) go();
  await chart.locator('[data-finer]').waitFor({ state: 'detached' });
  const [day] = finer;
  if (day === undefined) throw new Error('no finer readings were asked for');
  expect(day.start).toBeLessThanOrEqual(lowestAt - DAY_MS / 2 + 1_800_000);
  const minutes = day.told.trend_data.readings.map(({ at }) => Date.parse(at));
  expect(minutes.filter((at) => Math.abs(at - lowestAt) <= DAY_MS / 2).length).toBeGreaterThan(1_400);
  // from key to key it is a minute now
  await chart.getByRole('slider').focus();
  await page.keyboard.press('End');
  const told = () => chart.getByRole('slider').getAttribute('aria-valuetext');
  await expect.poll(told).toMatch(/média/);
  const minuteOf = (text: string | null) => Number(/:(\d\d)/.exec(text ?? '')?.[1]);
  const newest = minuteOf(await told());
  await page.keyboard.press('ArrowLeft');
  await expect.poll(async () => (60 + newest - minuteOf(await told())) % 60).toBe(1);
  await chart.getByRole('button', { name: 'Período inteiro' }).waitFor();
  // a small step aside needs nothing, and the whole asks for nothing more
  await page.keyboard.press('Shift+ArrowLeft');
  await chart.getByRole('button', { name: 'Período inteiro' }).click();
  await expect.poll(() => chart.getByRole('button', { name: 'Período inteiro' }).count()).toBe(0);
});

it('finer readings that do not come are told, and the line of the month stays', async () => {
  const page = await farm.open('/viveiros/V-03/agua');
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  await page.route(/dissolved_oxygen.*start_date/, (route) =>
    route.fulfill({ status: 422, contentType: 'application/json', body: '{"detail":"no"}' }),
  );
  await chart.getByRole('button', { name: /^Ampliar/ }).click();
  await chart.locator('[data-finer="failed"]').waitFor();
  expect(await lineAt(page, 0.1)).toBeGreaterThan(0);
});

it('what the farm has set as limits stands across the drawing by name, where it is set, and in the picture', async () => {
  const { app, owner } = farm;
  const set = (limit: number) =>
    app.call('PUT', `/farms/${farm.farm.id}/science`, {
      token: owner.token,
      body: { water: { alerts: { LOW_OXYGEN: { limit } } } },
    });
  expect((await set(4.5)).status).toBe(200);
  const page = await farm.open('/viveiros/V-02/agua');
  const chart = page.locator('figure').first();
  await chart.locator('canvas').waitFor();
  const legend = chart.locator('.chart-legend');
  await expect
    .poll(() => legend.innerText())
    .toMatch(/OD baixo 4,5[^]*OD baixo · crítico 3,0[^]*OD letal 2,0/);
  // three lines from end to end, though no reading came near the lowest
  await expect.poll(() => linesAcross(page)).toBe(3);
  const saved = page.waitForEvent('download');
  await chart.getByRole('button', { name: /como imagem/ }).click();
  expect((await saved).suggestedFilename()).toMatch(/png$/);
  expect((await set(4)).status).toBe(200);
});

it('on a phone every parameter is drawn by the time one has scrolled to it', async () => {
  const page = await farm.open('/viveiros/V-03/agua', { width: 360, height: 740 });
  const charts = page.locator('figure');
  await charts.first().locator('canvas').waitFor();
  await expect.poll(() => charts.count()).toBe(PARAMETERS);
  for (let nth = 0; nth < PARAMETERS; nth += 1) {
    await charts.nth(nth).scrollIntoViewIfNeeded();
    await charts.nth(nth).locator('canvas').waitFor();
  }
  expect(await page.locator('figure canvas').count()).toBe(PARAMETERS);
});

it('where the drawing does not come the figures stand there instead, for every parameter, and it can be asked for again', async () => {
  const page = await farm.open('/');
  await page.route(/draw-chart.*\.js/, (route) => route.abort());
  await page.goto(`${farm.app.base}/viveiros/V-01/agua`);
  const charts = page.locator('figure');
  await expect.poll(() => page.locator('figure tbody').count()).toBe(OF_V01);
  await expect.poll(() => charts.first().innerText()).toContain('os números estão aqui');
  expect(await page.locator('figure canvas').count()).toBe(0);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await charts.first().getByRole('button', { name: 'Tentar de novo' }).click();
  await charts.first().locator('canvas').waitFor();
});

it('who wants the table before the drawing is there does not hold up the other parameters', async () => {
  const page = await farm.open('/');
  await page.route(/draw-chart.*\.js/, () => undefined);
  await page.goto(`${farm.app.base}/viveiros/V-01/agua`);
  await page.getByRole('button', { name: 'Ver como tabela' }).click();
  await expect.poll(() => page.locator('figure').count()).toBe(OF_V01);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

it('the last 24 hours are told reading by reading, with what happened meanwhile, and all parameters show the instant under the pointer', async () => {
  const { app, owner } = farm;
  const [pond_id] = farm.farm.pondIds;
  const hoursAgo = (hours: number) => new Date(app.clock.now() - hours * 3_600_000).toISOString();
  const batches = (await app.call('GET', `/batches/?farm_id=${farm.farm.id}`, { token: owner.token }))
    .body as {
    id: string;
  }[];
  const entries = [
    [
      '/water-quality/',
      { pond_id, dissolved_oxygen: 5.1, temperature: 27.5, measurement_date: hoursAgo(30) },
    ],
    [
      '/water-quality/',
      { pond_id, dissolved_oxygen: 2.2, temperature: 27.9, measurement_date: hoursAgo(20) },
    ],
    ['/water-quality/', { pond_id, dissolved_oxygen: 5.8, temperature: 28.9, measurement_date: hoursAgo(8) }],
    [
      '/feeding/',
      {
        batch_id: batches[0]?.id,
        feed_type: '35 %',
        quantity_kg: 3.5,
        cost_per_kg: 6,
        feed_date: hoursAgo(5),
      },
    ],
  ] as const;
  for (const [path, body] of entries) {
    const { status } = await app.call('POST', path, { token: owner.token, body });
    if (status !== 201) throw new Error(`${path} was answered ${status}`);
  }
  const page = await farm.open('/');
  // over a slow line the meals come last: until then nobody says how many there were of anything
  const meals: (() => void)[] = [];
  await page.route(/\/feeding\/batch\//, async (route) => {
    await new Promise<void>((go) => meals.push(go));
    await route.continue();
  });
  await page.goto(`${app.base}/viveiros/V-01/agua?periodo=24h`);
  await page.locator('figure canvas').nth(1).waitFor();
  await expect.poll(() => meals.length).toBeGreaterThan(0);
  await page.locator('figure').first().locator('.chart-legend', { hasText: 'alarme' }).waitFor();
  expect(await page.locator('[data-events]').count()).toBe(0);
  for (const go of meals) go();
  await page.locator('[data-events]').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  // what swims there has a cycle, what is empty has a season
  await page.getByRole('button', { name: 'Ciclo', exact: true }).click();
  await expect.poll(() => page.url()).toContain('periodo=ciclo');
  const began = Date.parse('2026-02-01T03:00:00.000Z');
  await expect.poll(async () => (await axisOf(page)).from).toBe(began);
  await page.getByRole('button', { name: '24 horas' }).click();
  const spanOf = async () => {
    const { from, to } = await axisOf(page);
    return to - from;
  };
  await expect.poll(spanOf).toBe(DAY_MS);
  const oxygen = page.locator('figure').first();
  await oxygen.locator('.chart-legend', { hasText: 'alarme' }).waitFor();
  await oxygen.locator('.chart-legend', { hasText: 'trato' }).waitFor();

  // at one instant, all of them
  const at = (Date.parse(hoursAgo(8)) - (await axisOf(page)).from) / DAY_MS;
  await page.locator('figure canvas').nth(1).waitFor();
  const told = async () => {
    const box = await oxygen.locator('.u-over').boundingBox();
    if (box === null) throw new Error('nothing is drawn');
    // a drawing that has just come does not know of a pointer that stands still
    for (const higher of [1, 0])
      await page.mouse.move(box.x + at * box.width, box.y + box.height / 2 - higher);
    return `${await oxygen.innerText()} ${await page.locator('figure').nth(1).innerText()}`;
  };
  await expect.poll(told).toMatch(/média 5,8[^]*média 28,9/);

  const events = page.locator('[data-events]');
  await expect.poll(() => events.innerText()).toBe('No período: 1 alarme, 1 trato');
  await events.click();
  await expect.poll(() => events.innerText()).toMatch(/trato: 3,50.kg[^]*OD baixo 2,2 \(limite 4,0\)/);
  await oxygen.getByRole('button', { name: 'Ver como tabela' }).click();
  // what is older than a day is not among them
  await expect.poll(() => oxygen.locator('tbody tr').count()).toBe(3);
  await page.goto(`${app.base}/viveiros/V-02/agua`);
  await page.getByRole('button', { name: '90 dias' }).waitFor();
});

/** Where the axis of all charts begins and ends. */
const axisOf = (page: Page) =>
  page.evaluate<{ from: number; to: number }>(
    `(({ from, to }) => ({ from: Number(from), to: Number(to) }))(document.querySelector('.charts').dataset)`,
  );

/** What the page was told of the oxygen when it was opened anew. */
async function oxygenToldTo(page: Page): Promise<Trend> {
  const answer = page.waitForResponse((response) => /\/trend\/.*dissolved_oxygen/.test(response.url()));
  await page.reload();
  // the shape is the contract's
  return (await (await answer).json()) as Trend;
}

/** Rows of the drawing at that share of its width, in its lower half, where something is that is not beside it. */
const inkBelow = (page: Page, share: number): Promise<number> =>
  page.evaluate<number>(`{
    const canvas = document.querySelector('figure canvas');
    const box = document.querySelector('figure .u-over').getBoundingClientRect();
    const from = canvas.getBoundingClientRect();
    const scale = canvas.width / from.width;
    const centre = Math.round((box.left - from.left + ${share} * box.width) * scale);
    const height = Math.round((box.height * scale) / 2);
    const top = Math.round((box.top - from.top) * scale + height);
    const shadeAt = (x) => {
      const { data } = canvas.getContext('2d').getImageData(x, top, 1, height);
      return Array.from({ length: height }, (_, y) => data[4 * y] + data[4 * y + 3]);
    };
    const beside = shadeAt(centre - 7);
    Math.max(...[-3, -2, -1, 0, 1, 2, 3].map(
      (off) => shadeAt(centre + off).filter((shade, y) => Math.abs(shade - beside[y]) > 60).length,
    ));
  }`);

/** Pixels of the colour of a line in the drawing at that share of its width. */
const lineAt = (page: Page, share: number): Promise<number> =>
  page.evaluate<number>(`{
    const canvas = document.querySelector('figure canvas');
    const box = document.querySelector('figure .u-over').getBoundingClientRect();
    const from = canvas.getBoundingClientRect();
    const scale = canvas.width / from.width;
    const x = Math.round((box.left - from.left + ${share} * box.width) * scale);
    const { data } = canvas.getContext('2d').getImageData(x, Math.round((box.top - from.top) * scale), 1, Math.round(box.height * scale));
    Array.from({ length: data.length / 4 }, (_, y) => y)
      .filter((y) => data[4 * y + 3] > 200 && data[4 * y] + data[4 * y + 1] + data[4 * y + 2] < 240).length;
  }`);

/** Lines of the drawing that go straight from its left edge to its right one. */
const linesAcross = (page: Page): Promise<number> =>
  page.evaluate<number>(`{
    const canvas = document.querySelector('figure canvas');
    const box = document.querySelector('figure .u-over').getBoundingClientRect();
    const from = canvas.getBoundingClientRect();
    const scale = canvas.width / from.width;
    const top = Math.round((box.top - from.top) * scale);
    const height = Math.round(box.height * scale);
    const shadesAt = (share) => {
      const { data } = canvas.getContext('2d').getImageData(Math.round((box.left - from.left + share * box.width) * scale), top, 1, height);
      return Array.from({ length: height }, (_, y) => data[4 * y + 3] > 150 && data[4 * y] + data[4 * y + 1] + data[4 * y + 2] < 420);
    };
    const columns = [0.4, 0.47, 0.55, 0.63, 0.71, 0.8, 0.93].map(shadesAt);
    const straight = Array.from({ length: height }, (_, y) => columns.every((column) => column[y]));
    straight.filter((isLine, y) => isLine && !straight[y - 1]).length;
  }`);
