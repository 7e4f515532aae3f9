import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

// Somebody types in a form while somebody else changes the same thing: what was typed stays, and what changed is said.

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const change = async (path: string, body: object) => {
  const reply = await farm.app.call('PUT', path, { token: farm.owner.token, body });
  expect(reply.status).toBe(200);
};
const ask = async (path: string) =>
  (await farm.app.call('GET', path, { token: farm.owner.token })).body as Record<string, unknown>;
const told = (page: Page) => page.locator('[data-elsewhere]').first();

it('the settings of a control point: what was typed is there, what another person set is said, and only what was typed is saved', async () => {
  const path = `/control-points/${farm.farm.pointId}/settings`;
  const page = await farm.open(`/aeracao/${farm.farm.pointId}`);
  await page.getByRole('heading', { name: 'Ajustes' }).click();
  await page.getByLabel('Mínimo ligado').fill('90');
  await page.getByLabel('Liga com OD até').fill('3,5');

  await change(path, { min_on_s: 45, min_off_s: 30 });
  await told(page).waitFor();
  const said = await told(page).innerText();
  expect(said).toMatch(/Mínimo ligado: .* → 45/);
  expect(said).toMatch(/Mínimo desligado: .* → 30/);
  expect(await page.getByLabel('Mínimo ligado').inputValue()).toBe('90');
  expect(await page.getByLabel('Liga com OD até').inputValue()).toBe('3,5');
  // nobody typed there: it shows what is
  expect(await page.getByLabel('Mínimo desligado').inputValue()).toBe('30');

  await page.getByRole('button', { name: 'Salvar ajustes' }).click();
  await page.getByText('Ajustes salvos').waitFor();
  expect(await ask(path)).toMatchObject({ min_on_s: 90, min_off_s: 30, do_on: 3.5 });
  expect(await told(page).count()).toBe(0);
  // and from here on it follows again
  await change(path, { min_on_s: 20 });
  await expect.poll(() => page.getByLabel('Mínimo ligado').inputValue()).toBe('20');
});

it('a pond that somebody else changes while its form is open: the other fields stay as they were made, and the same field is asked about first', async () => {
  const [, id = ''] = farm.farm.pondIds;
  const page = await farm.open('/sistema/fazenda');
  await page.getByRole('button', { name: /V-02/ }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Área').fill('4.000');

  await change(`/ponds/${id}`, { size_m2: 2_500, pond_type: 'NURSERY' });
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await told(page).waitFor();
  expect(await told(page).innerText()).toMatch(/Área: 3\.?000 → 2\.?500/);
  expect(await dialog.getByLabel('Área').inputValue()).toBe('4.000');
  expect(await ask(`/ponds/${id}`)).toMatchObject({ size_m2: 2_500 });

  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await expect
    .poll(() => ask(`/ponds/${id}`))
    .toMatchObject({ size_m2: 4_000, pond_type: 'NURSERY', depth_m: 1.5 });
});

it('a measurement that two people correct at once is not overwritten without a word', async () => {
  const [pond = ''] = farm.farm.pondIds;
  const { id } = ((await ask(`/water-quality/pond/${pond}`)) as { measurements: { id: string }[] })
    .measurements[0] as { id: string };
  const page = await farm.open('/viveiros/V-01/historico');
  await page.getByRole('button', { name: /^Corrigir medição/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Salinidade').fill('24');
  await change(`/water-quality/${id}`, { salinity: 23, temperature: 29 });
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await told(page).waitFor();
  expect(await told(page).innerText()).toMatch(/Salinidade: 22 → 23/);
  expect(await ask(`/water-quality/${id}`)).toMatchObject({ salinity: 23 });

  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect
    .poll(() => ask(`/water-quality/${id}`))
    .toMatchObject({ salinity: 24, temperature: 29, dissolved_oxygen: 6.2 });
});
