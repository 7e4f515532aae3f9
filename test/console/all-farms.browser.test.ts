import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

it('an owner of two farms sees in one table where it burns, and opens that farm by its name', async () => {
  const call = async (path: string, body: unknown) =>
    (await farm.app.call('POST', path, { token: farm.owner.token, body })).body as { id: string };
  const south = await call('/farms/', { name: 'Sul', timezone: 'America/Fortaleza' });
  const pond = await call('/ponds/', { farm_id: south.id, cod: 'S-01', size_m2: 1_000 });
  await call('/batches/', {
    pond_id: pond.id,
    batch_code: 'S-L1',
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aracati',
    start_date: '2026-02-10',
    initial_count: 50_000,
    initial_avg_weight: 0.01,
    initial_density: 50,
  });
  await call('/water-quality/', {
    pond_id: pond.id,
    dissolved_oxygen: 1.9,
    measurement_date: new Date(farm.app.kernel.now() - 60_000).toISOString(),
  });
  const page = await farm.open('/fazendas');
  const row = page.getByRole('row', { name: /Sul/ });
  await row.getByText('1,9').waitFor();
  const text = await row.innerText();
  expect(text).toContain('S-01');
  expect(text).toContain('1 / 1');
  expect(await row.getByRole('img', { name: 'crítico' }).count()).toBe(1);
  // a controller that was never heard is not told as off
  expect(await page.getByRole('row', { name: /Norte/ }).innerText()).toMatch(/sem contato/);
  await row.getByRole('button', { name: 'Sul' }).click();
  await page.getByRole('heading', { name: 'Fazenda', exact: true }).waitFor();
  await page.getByText('S-01').first().waitFor();
  // the list of farms leads back to the table of all
  await page.getByLabel('Fazenda', { exact: true }).selectOption({ label: 'Todas as fazendas…' });
  await page.getByRole('heading', { name: 'Todas as fazendas' }).waitFor();
});
