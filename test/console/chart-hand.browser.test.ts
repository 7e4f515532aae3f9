import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

const HOUR_MS = 3_600_000;
const READINGS = 40;

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  for (let ago = 1; ago <= READINGS; ago += 1)
    for (const [index, pond_id] of farm.farm.pondIds.entries())
      await made('/water-quality/', {
        pond_id,
        dissolved_oxygen: 5 + index / 2 + (ago % 12) / 10,
        temperature: 27 + (ago % 5),
        measurement_date: new Date(farm.app.clock.now() - ago * HOUR_MS).toISOString(),
      });
  await made(`/ponds/${farm.farm.pondIds[0]}/records`, {
    kind: 'TREATMENT',
    product: 'Probiótico',
    product_kind: 'PROBIOTIC',
    amount: 2,
    unit: 'kg',
    happened_at: new Date(farm.app.clock.now() - 5 * HOUR_MS).toISOString(),
  });
  await farm.app.call('POST', `/control-points/${farm.farm.pointId}/turn-on`, { token: farm.owner.token });
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

async function made(path: string, body: unknown): Promise<void> {
  const reply = await farm.app.call('POST', path, { token: farm.owner.token, body });
  if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
}

const chartOf = (page: Page, nth = 0): Locator => page.locator('figure').nth(nth);
const said = (chart: Locator) => chart.getByRole('slider').getAttribute('aria-valuetext');
const openWater = async (look = {}) => {
  const page = await farm.open('/viveiros/V-01/agua?periodo=24h', look);
  await page.locator('figure canvas').nth(1).waitFor();
  return page;
};

/** What happens in the middle of it comes between press and release. */
async function drawPart(page: Page, between: () => Promise<void> = async () => undefined): Promise<void> {
  const box = await chartOf(page).locator('.u-over').boundingBox();
  if (box === null) throw new Error('nothing is drawn');
  await page.mouse.move(box.x + box.width * 0.4, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 3 });
  await between();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 60, { steps: 3 });
  await page.mouse.up();
}

it('what comes while a hand holds the chart is drawn into it, and the hand keeps what it holds', async () => {
  const page = await openWater();
  await chartOf(page).locator('.chart-legend', { hasText: 'tratamento' }).waitFor();
  const over = await chartOf(page).locator('.u-over').elementHandle();
  const stays = () => over?.evaluate((element: { isConnected: boolean }) => element.isConnected);
  await drawPart(page, async () => {
    await made('/water-quality/', { pond_id: farm.farm.pondIds[0], dissolved_oxygen: 2.1, temperature: 29 });
    await chartOf(page).locator('.chart-legend', { hasText: 'alarme' }).waitFor();
  });
  expect(await stays()).toBe(true);
  await page.getByRole('button', { name: 'Período inteiro' }).first().waitFor();
  // so does whoever goes along the readings by keys
  await chartOf(page).getByRole('slider').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => said(chartOf(page))).toMatch(/média/);
  const pointed = await said(chartOf(page));
  const readings = async () => Number(await chartOf(page).getByRole('slider').getAttribute('aria-valuemax'));
  const before = await readings();
  await made(`/ponds/${farm.farm.pondIds[0]}/records`, {
    kind: 'TREATMENT',
    product: 'Melaço',
    product_kind: 'OTHER',
    amount: 5,
    unit: 'kg',
    happened_at: new Date(farm.app.clock.now() - 2 * HOUR_MS).toISOString(),
  });
  await made('/water-quality/', {
    pond_id: farm.farm.pondIds[0],
    dissolved_oxygen: 5.3,
    measurement_date: new Date(farm.app.clock.now() - 1.5 * HOUR_MS).toISOString(),
  });
  await expect.poll(readings).toBeGreaterThan(before);
  await expect.poll(() => said(chartOf(page))).toBe(pointed);
  expect(await stays()).toBe(true);
});

it('the part that a mouse draws in one chart is shown by all of the page, until the whole range is asked for', async () => {
  const page = await openWater();
  const whole = page.getByRole('button', { name: 'Período inteiro' });
  await drawPart(page);
  await expect.poll(() => whole.count()).toBeGreaterThan(1);
  await chartOf(page, 1).getByRole('slider').focus();
  await page.keyboard.press('Home');
  await expect.poll(() => said(chartOf(page, 1))).toMatch(/média/);
  await whole.first().click();
  await expect.poll(() => whole.count()).toBe(0);
});

it('arrows go from reading to reading and tell it in every chart, plus and minus zoom, and a wheel needs the chart or Ctrl', async () => {
  const page = await openWater();
  await chartOf(page).getByRole('slider').focus();
  await page.keyboard.press('End');
  await expect.poll(() => said(chartOf(page))).toMatch(/média \d,\d/);
  const newest = await said(chartOf(page));
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => said(chartOf(page))).not.toBe(newest);
  // the same instant in the other one
  const instant = (text: string | null) => text?.split(',')[0];
  await expect
    .poll(async () => instant(await said(chartOf(page, 1))))
    .toBe(instant(await said(chartOf(page))));
  await page.keyboard.press('+');
  const whole = page.getByRole('button', { name: 'Período inteiro' });
  await expect.poll(() => whole.count()).toBeGreaterThan(0);
  await page.keyboard.press('-');
  await expect.poll(() => whole.count()).toBe(0);

  await page.locator('h1').click();
  const over = chartOf(page).locator('.u-over');
  await over.hover();
  await page.mouse.wheel(0, -120);
  expect(await whole.count()).toBe(0);
  await over.hover();
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -120);
  await page.keyboard.up('Control');
  await expect.poll(() => whole.count()).toBeGreaterThan(0);
});

it('two fingers come nearer on a phone', async () => {
  const page = await openWater({ width: 360, height: 740 });
  const over = chartOf(page).locator('.u-over');
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  if (box === null) throw new Error('nothing is drawn');
  const fingers = await page.context().newCDPSession(page);
  const y = box.y + box.height / 2;
  const at = (share: number) => box.x + box.width * share;
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', shares: readonly number[]) =>
    fingers.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: shares.map((share, id) => ({ x: at(share), y, id })),
    });
  await touch('touchStart', [0.45, 0.55]);
  for (const step of [0.05, 0.1, 0.15, 0.2]) await touch('touchMove', [0.45 - step, 0.55 + step]);
  await touch('touchEnd', []);
  await page.getByRole('button', { name: 'Período inteiro' }).first().waitFor();
});

it('what happened stands below: treatments and orders are told beside alarms and meals', async () => {
  const page = await openWater();
  await chartOf(page).locator('.chart-legend', { hasText: 'tratamento' }).waitFor();
  await chartOf(page).locator('.chart-legend', { hasText: 'comandado: ligado' }).waitFor();
  const events = page.locator('[data-events]');
  // what comes to the charts above moves it under the mouse
  const opened = async () => {
    if ((await events.getAttribute('open')) === null) await events.locator('summary').click();
    return events.innerText();
  };
  await expect
    .poll(opened)
    .toMatch(/ordem de ligar[^]*tratamento: Probiótico|tratamento: Probiótico[^]*ordem de ligar/);
});

it('a chart is kept as a picture that is named by farm, pond and day', async () => {
  const page = await openWater();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: /Baixar Oxigênio dissolvido.* como imagem/ }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^Norte-V-01-Oxigenio-dissolvido-mg-L-\d{4}-\d\d-\d\d\.png$/);
  const bytes = readFileSync(await file.path());
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.readUInt32BE(16)).toBeGreaterThan(300);
});

it('three ponds stand in one chart, each told by name, and the address keeps which', async () => {
  const page = await farm.open('/viveiros/V-01/agua');
  await page.getByRole('link', { name: 'Comparar com outros' }).click();
  for (const cod of ['V-02', 'V-03']) await page.getByLabel(cod, { exact: true }).check();
  await page.getByLabel('Período').selectOption('24h');
  const chart = chartOf(page);
  await chart.locator('canvas').waitFor();
  await chart.getByRole('slider').focus();
  await page.keyboard.press('End');
  // the newest is one of the first pond alone
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => said(chart)).toMatch(/V-01 \d,\d[^]*V-02 \d,\d[^]*V-03 \d,\d/);
  expect(new URL(page.url()).searchParams.getAll('v')).toEqual(['V-01', 'V-02', 'V-03']);
  expect(await violationsOn(page)).toEqual([]);

  await page.getByRole('button', { name: 'Noites de um viveiro' }).click();
  await chart.locator('canvas').waitFor();
  await chart.locator('.chart-legend', { hasText: /Noite de \d\d\/\d\d para \d\d\/\d\d/ }).waitFor();
  await chart.getByRole('button', { name: 'Ver como tabela' }).click();
  await expect.poll(() => chart.locator('tbody tr').count()).toBe(16);

  await page.getByRole('button', { name: 'Lotes por dia de cultivo' }).click();
  await page.getByLabel('L-01').check();
  await chart.locator('canvas, tbody, .empty').first().waitFor();
});
