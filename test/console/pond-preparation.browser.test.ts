import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// What was done to a pond between two cycles, as it is written down on a phone and told in the story of the pond.

const PHONE = { width: 360, height: 740 };

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterAll(() => farm.close());

it('a drying without a last day goes on, and gets one when it is over', async () => {
  const page = await farm.open('/lancar/sanidade/preparo?pond=V-02', { ...PHONE, isTimed: true });
  const save = page.getByRole('button', { name: 'Salvar' });
  await save.waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('O que se fez').selectOption('DRYING');
  expect(await violationsOn(page)).toEqual([]);
  await save.click();
  await page.waitForSelector('.toast:has-text("Secagem")');
  const kept = async () => {
    await page.clock.runFor(6_000);
    const path = `/ponds/${farm.farm.pondIds[1] ?? ''}/records?kind=PREPARATION`;
    return (await farm.app.call('GET', path, { token: farm.owner.token })).body;
  };
  await expect.poll(kept).toMatchObject([{ step: 'DRYING', ended_on: null, amount: null }]);
  await page.goto(`${farm.app.base}/viveiros/V-02/historico`);
  const row = page.locator('[data-records] tr', { hasText: 'sem último dia' });
  await row.getByRole('button', { name: /^Corrigir/ }).waitFor();
});
