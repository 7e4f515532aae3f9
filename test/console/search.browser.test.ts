import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// What somebody looks for by name is found from wherever they are.

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterAll(() => farm.close());

it('the last night of any pond is two presses and its code away, from every page of a phone', async () => {
  const page = await farm.open('/sistema/preferencias', { width: 360, height: 740, theme: 'dark' });
  let presses = 0;
  const search = page.locator('button.search');
  await search.click();
  presses += 1;
  await page.getByRole('dialog').getByRole('combobox').fill('v2');
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('option', { name: 'V-02 · última noite' }).click();
  presses += 1;
  expect(presses).toBeLessThanOrEqual(3);
  await page.waitForURL(/viveiros\/V-02\/agua\?periodo=24h/);
  await farm.closePages();
});

it('the people of the farm are found by the keyboard alone, by its owner', async () => {
  const page = await farm.open('/alarmes');
  await page.getByRole('heading', { name: 'Alarmes' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(farm.owner.user.name.slice(0, 12));
  await page.getByRole('option', { name: /pessoa/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/sistema\/usuarios/);
  await farm.closePages();
});

it('a setting, a note and a page of the guide are found, too', async () => {
  const { status } = await farm.app.call('POST', `/ponds/${farm.farm.pondIds[1]}/records`, {
    token: farm.owner.token,
    body: { kind: 'NOTE', text: 'Comporta emperrada do lado do canal' },
  });
  expect(status).toBe(201);
  const page = await farm.open('/alarmes');
  await page.getByRole('heading', { name: 'Alarmes' }).waitFor();
  const search = async (typed: string) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(typed);
  };
  await search('comporta emp');
  await page.getByRole('option', { name: /Comporta emperrada.*anotação · V-02/ }).click();
  await page.waitForURL(/viveiros\/V-02\/historico/);
  await search('moeda');
  await page.getByRole('option', { name: /Moeda ajuste/ }).click();
  await page.waitForURL(/sistema\/preferencias/);
  await search('trocar uma caixa');
  const opened = page.waitForEvent('popup');
  await page.getByRole('option', { name: /Trocar uma caixa morta ajuda/ }).click();
  expect((await opened).url()).toMatch(/\/docs\/guide\/pt-br\/replace-a-box\.html$/);
  await farm.closePages();
});

it('while the ponds are on their way nobody is told that there is none of that name', async () => {
  const page = await farm.open('/sistema/preferencias', { width: 360, height: 740, theme: 'dark' });
  const held: (() => void)[] = [];
  await page.route(/\/api\/v1\/ponds\/\?/, async (route) => {
    await new Promise<void>((go) => held.push(go));
    await route.continue();
  });
  await page.reload();
  await page.locator('button.search').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').fill('v-03');
  await dialog.locator('[aria-busy="true"]').waitFor();
  expect(await dialog.getByText('Nada com esse nome').count()).toBe(0);
  for (const go of held) go();
  await dialog.getByRole('option', { name: /V-03/ }).first().waitFor();
  await dialog.getByRole('combobox').fill('nenhum viveiro assim');
  await dialog.getByText('Nada com esse nome').waitFor();
  await farm.closePages();
});
