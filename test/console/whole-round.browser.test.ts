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
