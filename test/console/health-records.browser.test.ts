import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Signs of disease and a laboratory result as an operator writes them down on a phone, and corrects them in the story of the pond.

const PHONE = { width: 360, height: 740 };
type Told = Record<string, unknown>;

let farm: Console;
let operator: SignedUp;
beforeAll(async () => {
  farm = await startConsole();
  operator = await farm.app.signUp({ role: 'VIEWER' });
  await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, operator, 'OPERATOR');
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const records = async (kind: string) => {
  const path = `/ponds/${farm.farm.pondIds[0] ?? ''}/records?kind=${kind}`;
  return (await farm.app.call('GET', path, { token: farm.owner.token })).body as Told[];
};

it('signs are ticked at the pond, told as a suspicion, and corrected where they were forgotten', async () => {
  const page = await farm.open('/viveiros/V-01/historico', { ...PHONE, as: operator, isTimed: true });
  await page.getByRole('link', { name: 'Sinais de doença' }).click();
  const save = page.getByRole('button', { name: 'Salvar' });
  await save.waitFor();
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('Fezes brancas', { exact: true }).check();
  await page.getByLabel('Animais afetados').fill('12,5');
  await page.getByLabel('Doença suspeita').selectOption('EHP');
  expect(await violationsOn(page)).toEqual([]);
  await save.click();
  await page.waitForSelector('.toast:has-text("Fezes brancas")');
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return records('DISEASE');
    })
    .toMatchObject([{ signs: ['WHITE_FAECES'], affected_percent: 12.5, disease: 'EHP', severity: null }]);
  await page.goto(`${farm.app.base}/viveiros/V-01/historico`);
  const row = page.locator('[data-records] tr', { hasText: 'Fezes brancas' });
  await row.getByText('suspeita de EHP').waitFor();
  await row.getByRole('button', { name: /^Corrigir/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Letargia').check();
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect
    .poll(async () => (await records('DISEASE'))[0]?.['signs'])
    .toEqual(['LETHARGY', 'WHITE_FAECES']);
});

it('a sample is written down with what is looked for; until its result comes it is not known', async () => {
  const page = await farm.open('/lancar/sanidade/exame?pond=V-01', { ...PHONE, as: operator, isTimed: true });
  const save = page.getByRole('button', { name: 'Salvar' });
  await page.getByLabel('Laboratório').fill('Lab do Porto');
  await page.getByLabel('Amostra').selectOption('TISSUE');
  await page.getByLabel('Método').selectOption('PCR');
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('O que se procurou').selectOption('OTHER');
  // something else has a name
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('O que se procurou').selectOption('WSSV');
  expect(await save.isDisabled()).toBe(false);
  expect(await violationsOn(page)).toEqual([]);
  await save.click();
  await page.waitForSelector('.toast:has-text("Lab do Porto")');
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return records('LAB');
    })
    .toMatchObject([{ source: 'Lab do Porto', disease: 'WSSV', result: null, amount: null }]);
  await page.goto(`${farm.app.base}/viveiros/V-01/historico`);
  const row = page.locator('[data-records] tr', { hasText: 'Lab do Porto' });
  await row.getByText('resultado não conhecido ainda').waitFor();
  await row.getByRole('button', { name: /^Corrigir/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Resultado', { exact: true }).selectOption('NEGATIVE');
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect.poll(async () => (await records('LAB'))[0]?.['result']).toBe('NEGATIVE');
});
