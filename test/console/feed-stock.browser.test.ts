import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Feed that comes and is counted, as the person at the store writes it down on a phone, with and without a line.

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

const call = (method: string, path: string, body?: unknown) =>
  farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) });
const entries = async () => (await call('GET', `/farms/${farm.farm.id}/feed-stock/entries`)).body as Told[];
// the delivery may be of the same minute
const counted = async () => (await entries()).find(({ kind }) => kind === 'COUNT');

it('a delivery written down without a line arrives once, and stands in the stock with its lot', async () => {
  const page = await farm.open('/lancar/estoque/entrega', { ...PHONE, as: operator, isTimed: true });
  const save = page.getByRole('button', { name: 'Salvar' });
  await page.getByLabel('Produto', { exact: true }).fill('Ração 35');
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('Sacos', { exact: true }).fill('20');
  await page.getByText('500 kg').waitFor();
  await page.getByLabel('Lote', { exact: true }).fill('R-77');
  expect(await violationsOn(page)).toEqual([]);
  let isCut = true;
  await page.route('**/entries', (route) => (isCut ? route.abort() : route.fallback()));
  await save.click();
  await page.waitForSelector('.toast:has-text("Ração 35")');
  await page.clock.runFor(20_000);
  expect(await entries()).toEqual([]);
  isCut = false;
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return (await entries()).length;
    })
    .toBe(1);
  expect(await entries()).toMatchObject([
    {
      product: 'Ração 35',
      quantity_kg: 500,
      bags: 20,
      bag_kg: 25,
      lot: 'R-77',
      created_by: operator.user.id,
    },
  ]);
  await page.goto(`${farm.app.base}/lancar/estoque`);
  await page.locator('[data-stock-products] tr', { hasText: 'R-77' }).waitFor();
});

it('a count shows its difference to the books while it is typed, and is corrected where it stands', async () => {
  const page = await farm.open('/lancar/estoque/contagem', { ...PHONE, isTimed: true });
  await page.getByLabel('Produto', { exact: true }).fill('racao 35');
  await page.getByLabel('Contado').fill('480');
  await page.locator('[data-in-books]', { hasText: '−20 kg' }).waitFor();
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.waitForSelector('.toast:has-text("racao 35")');
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return counted();
    })
    .toMatchObject({ kind: 'COUNT', expected_kg: 500, difference_kg: -20 });
  await page.goto(`${farm.app.base}/lancar/estoque`);
  const row = page.locator('[data-stock-entries] tr', { hasText: 'Contagem' });
  await row.getByText('diferença de −20 kg').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await row.getByRole('button', { name: /^Corrigir/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Quantidade').fill('490');
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect.poll(async () => (await counted())?.['difference_kg']).toBe(-10);
});

it('whoever feeds of a lot that has expired reads so before saving', async () => {
  await call('POST', `/farms/${farm.farm.id}/feed-stock/entries`, {
    kind: 'DELIVERY',
    product: 'Ração velha',
    quantity_kg: 50,
    lot: 'V-1',
    expires_on: '2026-01-10',
  });
  const page = await farm.open('/lancar/racao', PHONE);
  const note = page.locator('[data-feed-expired]');
  await page.getByLabel('Ração', { exact: true }).fill('Ração 35');
  expect(await note.count()).toBe(0);
  await page.getByLabel('Ração', { exact: true }).fill('ração velha');
  await note.getByText('V-1').waitFor();
});
