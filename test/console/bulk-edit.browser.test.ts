import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const ask = async (path: string) => (await farm.app.call('GET', path, { token: farm.owner.token })).body;
const typesNow = async () => {
  const ponds = (await ask(`/ponds/?farm_id=${farm.farm.id}`)) as { cod: string; pond_type: string }[];
  return ponds.map(({ cod, pond_type }) => `${cod} ${pond_type}`).toSorted();
};
const begin = async (page: Page) => {
  await page.getByRole('button', { name: 'Mudar os escolhidos…' }).click();
  return page.getByRole('dialog');
};

it('two ponds of three become nurseries: from and to are shown first, the one that failed is named with its reason and tried again, and all of it can be taken back', async () => {
  const page = await farm.open('/sistema/fazenda');
  await page.getByLabel('Escolher todos os mostrados').check();
  await page.getByLabel('Escolher V-03').uncheck();
  await page.getByText('2 escolhidos').first().waitFor();
  const dialog = await begin(page);
  await dialog.getByLabel('Uso').selectOption('NURSERY');
  await expect.poll(() => dialog.locator('tbody tr').allInnerTexts()).toHaveLength(2);
  expect(await dialog.locator('tbody tr').first().innerText()).toMatch(/V-01\s+Engorda\s+Berçário/);
  expect(await violationsOn(page)).toEqual([]);
  expect(await typesNow()).toEqual(['V-01 FATTENING', 'V-02 FATTENING', 'V-03 FATTENING']);

  await page.route(`**/ponds/${farm.farm.pondIds[1]}`, (route) =>
    route.request().method() === 'PUT' ? route.abort() : route.continue(),
  );
  await dialog.getByRole('button', { name: 'Mudar 2' }).click();
  await dialog.getByText('1 mudado · 1 não mudou').waitFor();
  expect(await dialog.locator('[data-outcome="failed"]').innerText()).toMatch(
    /V-02[^]*O gateway não respondeu/,
  );
  expect(await typesNow()).toEqual(['V-01 NURSERY', 'V-02 FATTENING', 'V-03 FATTENING']);

  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await dialog.getByRole('button', { name: 'Tentar de novo os que faltam' }).click();
  await dialog.getByText('2 mudados').waitFor();
  expect(await typesNow()).toEqual(['V-01 NURSERY', 'V-02 NURSERY', 'V-03 FATTENING']);

  await dialog.getByRole('button', { name: 'Desfazer' }).click();
  await dialog.getByText('2 voltaram ao que eram').waitFor();
  expect(await typesNow()).toEqual(['V-01 FATTENING', 'V-02 FATTENING', 'V-03 FATTENING']);
});

it('the schedules of one control point are given to the others, and taken away again', async () => {
  const made = await farm.app.call('POST', `/control-points/${farm.farm.pointId}/schedules`, {
    token: farm.owner.token,
    body: {
      action: 'ON',
      start_time: '2026-03-01T22:00:00.000Z',
      end_time: '2026-03-02T08:00:00.000Z',
      repeat_pattern: 'DAILY',
    },
  });
  expect(made.status).toBe(201);
  const page = await farm.open('/sistema/dispositivos');
  await page.getByLabel('Escolher todos os mostrados').check();
  const dialog = await begin(page);
  await dialog.getByLabel('O que mudar').selectOption('schedules');
  // the one that gives them has them already
  await expect.poll(() => dialog.locator('tbody tr').count()).toBe(2);
  await dialog.getByRole('button', { name: 'Mudar 2' }).click();
  await dialog.getByText('2 mudados').waitFor();
  const own = async () =>
    ((await ask(`/control-points/${farm.farm.silentPointId}/schedules`)) as unknown[]).length;
  expect(await own()).toBe(1);
  await dialog.getByRole('button', { name: 'Desfazer' }).click();
  await dialog.getByText('2 voltaram ao que eram').waitFor();
  expect(await own()).toBe(0);
});
