import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  for (let n = 1; n <= 9; n += 1)
    await farm.app.call('POST', '/ponds/', {
      token: farm.owner.token,
      body: {
        farm_id: farm.farm.id,
        cod: `B-${String(n).padStart(2, '0')}`,
        size_m2: n === 5 ? null : 1_000 * (10 - n),
      },
    });
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const table = (page: Page) => page.getByRole('group', { name: 'Viveiros' });
const names = (page: Page) => table(page).getByRole('rowheader').allTextContents();

it('ponds are sorted by their area at a press, what nobody measured stands last, and the address keeps it', async () => {
  const page = await farm.open('/sistema/fazenda');
  const heads = table(page).getByRole('columnheader', { name: /Área/ });
  await table(page).getByRole('button', { name: /Área/ }).click();
  await expect.poll(() => heads.getAttribute('aria-sort')).toBe('ascending');
  const up = (await names(page)).filter((name) => name.startsWith('B-'));
  expect(up).toEqual(['B-09', 'B-08', 'B-07', 'B-06', 'B-04', 'B-03', 'B-02', 'B-01', 'B-05']);
  await table(page).getByRole('button', { name: /Área/ }).click();
  await expect.poll(() => heads.getAttribute('aria-sort')).toBe('descending');
  expect((await names(page)).at(-1)).toBe('B-05');

  await page.reload();
  await expect.poll(() => heads.getAttribute('aria-sort')).toBe('descending');
  await page.getByLabel('Procurar em Viveiros').fill('b-07');
  await expect.poll(() => names(page)).toEqual(['B-07']);
  await page.getByText('1 de 12').waitFor();
  expect(new URL(page.url()).search).toContain('busca-viveiros');
  // a third press is the order of before
  await page.getByLabel('Procurar em Viveiros').fill('');
  await table(page).getByRole('button', { name: /Área/ }).click();
  await expect.poll(() => heads.getAttribute('aria-sort')).toBe('none');
});

it('a phone, which shows no heads, has the order in a list', async () => {
  const page = await farm.open('/sistema/fazenda', { width: 360, height: 740 });
  const order = page.getByLabel('Ordem de Viveiros');
  await order.selectOption({ label: 'Código ↓' });
  await expect.poll(async () => (await names(page))[0]).toBe('V-03');
});

it('a person keeps a view by name: order and search come back with a press, on this farm, until it is deleted', async () => {
  const page = await farm.open('/sistema/fazenda');
  await table(page).getByRole('button', { name: /Área/ }).click();
  await page.getByLabel('Procurar em Viveiros').fill('b-0');
  await page.getByRole('button', { name: 'Guardar esta vista…' }).click();
  await page.getByLabel('Nome da vista').fill('Pequenos primeiro');
  await page.getByRole('button', { name: 'Guardar', exact: true }).click();
  await page.goto(`${farm.app.base}/sistema/fazenda`);
  const view = page.getByRole('button', { name: 'Pequenos primeiro', exact: true });
  await expect.poll(() => view.getAttribute('aria-pressed')).toBe('false');
  await view.click();
  await expect.poll(async () => (await names(page))[0]).toBe('B-09');
  await expect.poll(() => view.getAttribute('aria-pressed')).toBe('true');
  await page.getByRole('button', { name: 'Apagar a vista Pequenos primeiro' }).click();
  await expect.poll(() => view.count()).toBe(0);
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await view.waitFor();
});

it.each([
  ['/sistema/dispositivos', 'Dispositivos', 5],
  ['/viveiros/V-01/historico', 'Medições', 10],
  ['/aeracao/:point', 'Ordens', 5],
])('on %s every column can be sorted, and the address keeps it', async (path, label, columns) => {
  await farm.app.call('POST', `/control-points/${farm.farm.pointId}/turn-on`, { token: farm.owner.token });
  const page = await farm.open(path.replace(':point', farm.farm.pointId));
  const region = page.getByRole('group', { name: label });
  await expect.poll(() => region.locator('[aria-sort]').count()).toBe(columns);
  await region.locator('[aria-sort] button').first().click();
  await expect.poll(() => region.locator('[aria-sort]').first().getAttribute('aria-sort')).toBe('ascending');
  expect(new URL(page.url()).search).toMatch(/ordem-\w+=1/);
  expect(await violationsOn(page)).toEqual([]);
});

it('a filter of a page stands in its address, and comes back with it', async () => {
  const page = await farm.open('/notificacoes');
  await page.getByLabel('Assunto').selectOption('SYSTEM');
  await page.getByLabel('Só as não lidas').check();
  await page.reload();
  await expect.poll(() => page.getByLabel('Assunto').inputValue()).toBe('SYSTEM');
  expect(await page.getByLabel('Só as não lidas').isChecked()).toBe(true);
  await page.goto(`${farm.app.base}/tarefas/todas`);
  await page.getByLabel('Mostrar encerradas').check();
  await page.reload();
  await expect.poll(() => page.getByLabel('Mostrar encerradas').isChecked()).toBe(true);
  await page.goto(`${farm.app.base}/sistema/fazenda/calculos`);
  await page.getByRole('searchbox').first().fill('oxig');
  await page.reload();
  await expect.poll(() => page.getByRole('searchbox').first().inputValue()).toBe('oxig');
});
