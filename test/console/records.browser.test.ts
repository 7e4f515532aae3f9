import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Treatments, water exchanges and notes as a person at the pond writes them down, on a phone, with and without a line.

const PHONE = { width: 360, height: 740 };
type Told = Record<string, unknown>;

let farm: Console;
let operator: SignedUp;
let pondId: string;
beforeAll(async () => {
  farm = await startConsole();
  operator = await farm.app.signUp({ role: 'VIEWER' });
  await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, operator, 'OPERATOR');
  pondId = farm.farm.pondIds[0] ?? '';
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const call = (method: string, path: string, body?: unknown) =>
  farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) });
const records = async () => (await call('GET', `/ponds/${pondId}/records`)).body as Told[];

it('a treatment written down without a line arrives once, stands in the story of its pond, and is corrected there', async () => {
  const page = await farm.open('/viveiros/V-01/historico', { ...PHONE, as: operator, isTimed: true });
  await page.getByRole('link', { name: 'Tratamento' }).click();
  await page.getByLabel('Produto', { exact: true }).fill('Oxitetraciclina');
  await page.getByLabel('Tipo de produto').selectOption('MEDICATION');
  await page.getByLabel('Dose').fill('2,5');
  const save = page.getByRole('button', { name: 'Salvar' });
  // a period that nobody said is not none
  expect(await save.isDisabled()).toBe(true);
  await page.getByLabel('Não sei a carência').check();
  expect(await save.isDisabled()).toBe(false);
  await page.getByLabel('Não sei a carência').uncheck();
  await page.getByLabel('Carência em dias').fill('28');
  await page.getByLabel('Motivo').fill('Vibriose');
  expect(await violationsOn(page)).toEqual([]);
  let isCut = true;
  await page.route('**/records', (route) => (isCut ? route.abort() : route.fallback()));
  await save.click();
  await page.waitForSelector('.toast:has-text("Oxitetraciclina")');
  await page.clock.runFor(20_000);
  expect(await records()).toEqual([]);
  isCut = false;
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return (await records()).length;
    })
    .toBe(1);
  await page.clock.runFor(30_000);
  expect(await records()).toMatchObject([
    {
      product: 'Oxitetraciclina',
      amount: 2.5,
      unit: 'kg',
      withdrawal_days: 28,
      created_by: operator.user.id,
    },
  ]);
  await page.goto(`${farm.app.base}/viveiros/V-01/historico`);
  const row = page.locator('[data-records] tr', { hasText: 'Oxitetraciclina' });
  await row.getByText('carência 28 dias').waitFor();
  await row.getByRole('button', { name: /^Corrigir/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Quanto').fill('3');
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect.poll(async () => (await records())[0]?.['amount']).toBe(3);
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await expect.poll(async () => (await records())[0]?.['amount']).toBe(2.5);
});

it('whoever harvests inside a withdrawal period is asked before anything is saved', async () => {
  const page = await farm.open('/lotes/L-01/despesca', PHONE);
  await page.locator('[data-withdrawal]', { hasText: 'Oxitetraciclina' }).first().waitFor();
  await page
    .getByLabel(/Quantidade|Camarões/)
    .first()
    .fill('100');
  await page.getByLabel(/^Peso/).first().fill('1');
  const save = page.locator('.save button').first();
  await expect.poll(() => save.isDisabled()).toBe(true);
  await page.getByLabel('Despescar mesmo assim').first().check();
  await expect.poll(() => save.isDisabled()).toBe(false);
});

it('a harvest of a past day is asked about by the withdrawal period that ran then', async () => {
  const given = await call('POST', `/ponds/${pondId}/records`, {
    kind: 'TREATMENT',
    product: 'Florfenicol',
    product_kind: 'MEDICATION',
    amount: 1,
    unit: 'kg',
    withdrawal_days: 5,
    happened_at: '2026-02-08T12:00:00.000Z',
  });
  expect(given.status).toBe(201);
  const page = await farm.open('/lotes/L-01/despesca', PHONE);
  const form = page.locator('section.card', { has: page.getByLabel('Dia') }).first();
  const florfenicol = form.locator('[data-withdrawal]', { hasText: 'Florfenicol' });
  await form.getByLabel('Dia').fill('2026-02-10');
  await florfenicol.waitFor();
  // the fifth day ends at noon of the 13th: the 14th is the first that is free at any hour
  const lookUp = async (day: string) => {
    const answered = page.waitForResponse(`**/withdrawal?day=${day}`);
    await form.getByLabel('Dia').fill(day);
    await answered;
    // while it is looked up nothing is shown of the day before
    await form.getByText('Vendo as carências daquele dia').waitFor({ state: 'detached' });
    return florfenicol.count();
  };
  expect([await lookUp('2026-02-13'), await lookUp('2026-02-14')]).toEqual([1, 0]);
  // where the gateway cannot be asked, nobody takes it for free
  await page.route('**/withdrawal?*', (route) => route.abort());
  await form.getByLabel('Dia').fill('2026-02-11');
  await form.getByText('não dá para ver se havia carência').waitFor({ timeout: 60_000 });
  expect(await form.getByLabel('Despescar mesmo assim').isChecked()).toBe(false);
});

it('a water exchange beyond half of the pond is asked, and a note stands at a control point', async () => {
  const page = await farm.open('/lancar/troca?pond=V-01', { ...PHONE, isTimed: true });
  await page.getByLabel('Quanto').fill('80');
  await page.getByText('É cerca de 80').waitFor();
  await page.getByLabel('De onde veio a água').fill('Rio');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.waitForSelector('.toast');
  await page.goto(`${farm.app.base}/lancar/anotacao?ponto=CP-01`);
  await page.getByLabel('Anotação').fill('Contator novo');
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.waitForSelector('.toast:has-text("Contator novo")');
  const notes = async () =>
    (await call('GET', `/control-points/${farm.farm.pointId}/records`)).body as Told[];
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      // both may be of the same minute
      const kinds = new Set((await records()).map(({ kind }) => kind));
      return [(await notes()).map(({ text }) => text), kinds];
    })
    .toEqual([['Contator novo'], new Set(['TREATMENT', 'WATER_EXCHANGE'])]);
  await page.goto(`${farm.app.base}/aeracao/${farm.farm.pointId}`);
  await page.locator('[data-records]').getByText('Contator novo').waitFor();
});
