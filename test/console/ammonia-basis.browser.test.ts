import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

it('a farm is asked once what its ammonia kit measures; an everyday total is doubted until then, and is told on both bases afterwards', async () => {
  const pondId = farm.farm.pondIds[0] ?? '';
  const page = await farm.open('/lancar/agua', { width: 1_280, height: 900 });
  await page.waitForSelector('[data-ammonia-question]');
  const cell = page.getByLabel('V-01 Amônia');
  await cell.fill('1,2');
  // as NH₃-N it would be 20 mg/L in all
  await page.waitForSelector('.doubt:has-text("1,20?")');
  expect(await violationsOn(page)).toEqual([]);

  await page.getByRole('button', { name: 'TAN (amônia total)' }).click();
  await page.waitForSelector('[data-ammonia-question]', { state: 'detached' });
  await page.waitForSelector('.doubt', { state: 'detached' });
  await page.waitForSelector('th:has-text("TAN")');
  expect(
    (await farm.app.call('GET', `/farms/${farm.farm.id}/science`, { token: farm.owner.token })).body,
  ).toMatchObject({ overrides: { water: { ammoniaBasis: 'TAN' } } });

  await farm.app.call('POST', '/water-quality/', {
    token: farm.owner.token,
    body: { pond_id: pondId, ammonia: 1.2, ph: 8, temperature: 28, salinity: 20 },
  });
  await page.goto(`${farm.app.base}/viveiros/V-01`);
  await expect.poll(() => page.innerText('main')).toMatch(/TAN = 0,07\smg\/L NH₃-N/);

  await page.goto(`${farm.app.base}/viveiros/V-01/agua`);
  await expect.poll(() => page.innerText('[data-ammonia-twin]')).toMatch(/TAN = 0,07\smg\/L NH₃-N/);
  await page.getByText('Amônia (mg/L TAN)').first().waitFor();

  await page.goto(`${farm.app.base}/sistema/fazenda`);
  await page.waitForSelector('[data-ammonia-basis] [aria-pressed=true]:has-text("TAN")');
  expect(await violationsOn(page)).toEqual([]);
});

it('while the limits of the farm are not known, a figure is called neither good nor alarming, and no bar shades a default', async () => {
  const page = await farm.open('/sistema', { width: 1_280, height: 900 });
  let answer = () => undefined as void;
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/farms/*/science', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${farm.app.base}/lancar/agua`);
  const cell = page.getByLabel('V-01 OD');
  await cell.fill('0,4');
  await page.waitForSelector('.cell-note:has-text("limites da fazenda ainda não recebidos")');
  answer();
  await page.waitForSelector('.cell-note:has-text("gera alarme")');
});
