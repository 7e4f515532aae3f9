import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Lots of a harvest, as whoever loads the truck writes them down on a phone, with and without a line, and the way back.

const PHONE = { width: 360, height: 740 };
type Told = Record<string, unknown>;

let farm: Console;
let batch: Told;
beforeAll(async () => {
  farm = await startConsole();
  const list = (await call('GET', `/batches/?farm_id=${farm.farm.id}&status=ACTIVE`)).body as Told[];
  batch = list[0] ?? {};
  await call('POST', `/batches/${batch['id']}/harvests`, {
    quantity: 10_000,
    weight_kg: 120,
    price_per_kg: 20,
  });
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const call = (method: string, path: string, body?: unknown) =>
  farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) });
const lots = async () => (await call('GET', `/batches/${batch['id']}/harvest-lots`)).body as Told[];
const page = () => `/lotes/${encodeURIComponent(String(batch['batch_code']))}`;

it('a lot written down without a line arrives once, with its classes and the code that was proposed', async () => {
  const shown = await farm.open(`${page()}/despesca/lote`, { ...PHONE, isTimed: true });
  const save = shown.getByRole('button', { name: 'Salvar' });
  const first = shown.locator('[data-lot-entry]');
  await first.getByLabel('Peso', { exact: true }).fill('100');
  await shown.getByRole('button', { name: 'Mais uma classe' }).click();
  const line = shown.getByRole('group', { name: 'Classe 1' });
  await line.getByLabel('De (peças/kg)').fill('80');
  await line.getByLabel('Até (peças/kg)').fill('100');
  await line.getByLabel('Peso').fill('100,5');
  await line.getByLabel('Preço por kg').fill('24');
  await shown.getByText('As classes passam do peso do lote.').waitFor();
  expect(await save.getAttribute('aria-disabled')).toBe('true');
  await line.getByLabel('Peso').fill('95,5');
  await shown.getByLabel('Comprador', { exact: true }).fill('Porto');
  expect(await violationsOn(shown)).toEqual([]);
  let isCut = true;
  await shown.route('**/harvest-lots', (route) => (isCut ? route.abort() : route.fallback()));
  await save.click();
  await shown.waitForSelector('.toast:has-text("100 kg")');
  await shown.clock.runFor(20_000);
  expect(await lots()).toEqual([]);
  isCut = false;
  await expect
    .poll(async () => {
      await shown.clock.runFor(6_000);
      return (await lots()).length;
    })
    .toBe(1);
  expect(await lots()).toMatchObject([
    {
      weight_kg: 100,
      buyer: 'Porto',
      classes: [{ pieces_min: 80, pieces_max: 100, weight_kg: 95.5, price_per_kg: 24 }],
      revenue: 2_292,
    },
  ]);
});

it('the lot stands at its batch, is corrected there, and leads back to the hatchery', async () => {
  const [lot] = await lots();
  const shown = await farm.open(page(), { width: 1366, height: 900 });
  const row = shown.locator('[data-lots] tr', { hasText: String(lot?.['lot_code']) });
  await row.getByText('80/100: 95,5 kg').waitFor();
  expect(await violationsOn(shown)).toEqual([]);
  await row.getByRole('button', { name: /^Corrigir/ }).click();
  const dialog = shown.getByRole('dialog');
  await dialog.getByLabel('Comprador', { exact: true }).fill('Litoral');
  await dialog.getByRole('button', { name: 'Salvar' }).click();
  await row.getByText('Litoral').waitFor();
  await row.getByRole('link', { name: /^Rastrear/ }).click();
  const trace = shown.locator('[data-trace]');
  await trace.getByText('Litoral').waitFor();
  await trace.getByText('Origem das larvas').waitFor();
  expect(await violationsOn(shown)).toEqual([]);
});

it('a recall asks for a lot of a product and shows which lots had it', async () => {
  const [lot] = await lots();
  const pond = String(batch['pond_id']);
  await call('POST', `/ponds/${pond}/records`, {
    kind: 'TREATMENT',
    product: 'Probiótico',
    product_kind: 'PROBIOTIC',
    product_lot: 'P-9',
    amount: 1,
    unit: 'L',
    withdrawal_days: 0,
    happened_at: new Date(Date.parse(String(lot?.['harvested_at'])) - 60_000).toISOString(),
  });
  const shown = await farm.open('/relatorios/rastreio', PHONE);
  await shown.getByLabel('Lote da ração ou do produto').fill('p-9');
  await shown.getByRole('button', { name: 'Procurar', exact: true }).click();
  await shown.getByRole('link', { name: String(lot?.['lot_code']) }).waitFor();
  await shown.locator('[data-recall]').getByText('Registrado', { exact: false }).first().waitFor();
  expect(await violationsOn(shown)).toEqual([]);
});
