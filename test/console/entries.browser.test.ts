import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };
const ROUND = 12;

let farm: Console;
let ponds: { id: string; cod: string }[];
beforeAll(async () => {
  farm = await startConsole();
  ponds = [];
  for (let n = 1; n <= ROUND; n += 1) {
    const cod = `R-${String(n).padStart(2, '0')}`;
    const { body } = await farm.app.call('POST', '/ponds/', {
      token: farm.owner.token,
      body: { farm_id: farm.farm.id, cod, size_m2: 3_000, depth_m: 1.5, pond_type: 'FATTENING' },
    });
    ponds.push({ id: (body as { id: string }).id, cod });
  }
});
afterAll(() => farm.close());

const oxygenOf = async (pond: string) => {
  const { body } = await farm.app.call('GET', `/water-quality/pond/${pond}?limit=50`, {
    token: farm.owner.token,
  });
  return (body as { measurements: { dissolved_oxygen: number }[] }).measurements.map(
    ({ dissolved_oxygen }) => dissolved_oxygen,
  );
};

it('in English, a pond that is renamed keeps its area, and set points keep every decimal when another is changed', async () => {
  const call = (method: string, path: string, body?: unknown) =>
    farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) });
  const { pointId } = farm.farm;
  await call('PUT', `/control-points/${pointId}/settings`, { do_on: 3.25, do_off: 4.75, min_on_s: 1_200 });
  const page = await farm.open('/sistema/fazenda', { language: 'en' });
  await page.getByRole('button', { name: 'Change R-01' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Area').inputValue()).toBe('3000');
  await dialog.getByLabel('Code').fill('R-001');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.waitForSelector('tr:has-text("R-001")');
  expect((await call('GET', `/ponds/${ponds[0]?.id}`)).body).toMatchObject({ size_m2: 3_000, depth_m: 1.5 });
  await call('PUT', `/ponds/${ponds[0]?.id}`, { cod: 'R-01' });

  await page.goto(`${farm.app.base}/aeracao/${pointId}`);
  await page.getByRole('heading', { name: 'Settings' }).click();
  expect(await page.getByLabel('Turns on with DO up to').inputValue()).toBe('3.25');
  await page.getByLabel('Least time off').fill('90');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await page.waitForSelector('.toast:has-text("Settings saved")');
  expect((await call('GET', `/control-points/${pointId}/settings`)).body).toMatchObject({
    do_on: 3.25,
    do_off: 4.75,
    min_on_s: 1_200,
    min_off_s: 90,
  });
});

it('a round of twelve ponds without Wi-Fi outlives a reload and is saved whole, each pond once', async () => {
  const page = await farm.open(`/lancar/agua?pond=${ponds[0]?.cod}`, PHONE);
  await page.route('**/api/v1/water-quality/', (route) => route.abort());
  for (const [n, { cod }] of ponds.entries()) {
    await page.waitForSelector(`.step-pond:has-text("${cod}")`);
    await page.getByLabel(/Oxigênio/).fill(`5,${n}`);
    // at once: what tells of the last pond does not lie over the button that leads to the next
    await page.getByRole('button', { name: 'Próximo' }).click({ timeout: 5_000 });
  }
  await page.reload();
  await page.goto(`${farm.app.base}/lancar/fila`);
  await expect.poll(() => page.locator('[data-entry]').count()).toBe(ROUND);
  for (const { id } of ponds) expect(await oxygenOf(id)).toEqual([]);

  await page.unroute('**/api/v1/water-quality/');
  const typed = ponds.map((_, n) => [Number(`5.${n}`)]);
  await expect
    .poll(() => Promise.all(ponds.map(({ id }) => oxygenOf(id))), { timeout: 40_000 })
    .toEqual(typed);
  await expect.poll(() => page.locator('[data-entry="saved"]').count()).toBe(ROUND);
  expect(await Promise.all(ponds.map(({ id }) => oxygenOf(id)))).toEqual(typed);
});
