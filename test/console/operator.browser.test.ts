import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { SCREENS } from '#test/console-screens.ts';

// The console of the person at the pond, on a phone: all that is needed there, nothing that would be refused.

const PHONE = { width: 360, height: 740 };

let farm: Console;
let operator: SignedUp;
beforeAll(async () => {
  farm = await startConsole();
  operator = await farm.app.signUp({ role: 'VIEWER' });
  await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, operator, 'OPERATOR');
  await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const asked = async <Body>(path: string, { token } = operator): Promise<Body> => {
  const { body } = await farm.app.call('GET', path, { token });
  return body as Body;
};
const made = async (path: string, sent: unknown): Promise<void> => {
  const { status } = await farm.app.call('POST', path, { token: farm.owner.token, body: sent });
  expect(status, path).toBe(201);
};
/** What is shown of it: `no button` says that it stands there when it must not. */
const offered = (page: Page, name: string | RegExp) =>
  page.getByRole('main').getByRole('button', { name }).or(page.getByRole('main').getByRole('link', { name }));

it('no screen asks for anything that an operator is refused', async () => {
  const page = await farm.open('/', { ...PHONE, as: operator });
  const refused: string[] = [];
  const screen = { is: '/' };
  page.on('response', (reply) => {
    if (reply.status() === 403) refused.push(`${screen.is}: ${reply.request().method()} ${reply.url()}`);
  });
  await page.waitForSelector('[data-pond="V-01"]');
  for (const path of SCREENS) {
    screen.is = path;
    await page.goto(`${farm.app.base}${path.replace('<point>', farm.farm.pointId)}`);
    await page.locator('main').first().waitFor();
    // what a screen asks is asked once it stands
    await expect.poll(() => page.locator('.skeleton, [aria-busy="true"]').count()).toBe(0);
  }
  // rights over the box are the box's to say, and the screens tell what it answers
  expect(refused.filter((one) => !/ GET \S+\/system\/(rights|backup)$/.test(one))).toEqual([]);
}, 480_000);

it('water and feed are written down at the pond, the price goes on from the last feeding, and a slip is taken back', async () => {
  const [pondId] = farm.farm.pondIds;
  const [batch] = await asked<{ id: string }[]>('/batches/');
  await made('/feeding/', {
    batch_id: batch?.id,
    feed_type: '35 %',
    quantity_kg: 4,
    cost_per_kg: 6.2,
    feed_date: new Date(farm.app.clock.now() - 7_200_000).toISOString(),
  });
  const page = await farm.open('/viveiros/V-01', { ...PHONE, as: operator });
  await offered(page, 'Lançar água').first().click();
  await page.getByLabel(/Oxigênio/).fill('5,1');
  await page
    .getByRole('button', { name: /Próximo|Concluir|Salvar/ })
    .first()
    .click();
  const oxygen = async () =>
    (
      await asked<{ measurements: { dissolved_oxygen: number; created_by: string | null }[] }>(
        `/water-quality/pond/${pondId}`,
      )
    ).measurements;
  await expect.poll(async () => (await oxygen())[0]?.dissolved_oxygen).toBe(5.1);
  expect((await oxygen())[0]?.created_by).toBe(operator.user.id);

  await page.goto(`${farm.app.base}/lancar/racao?batch=L-01`);
  await page.getByLabel(/Quantidade/).fill('2,5');
  expect(await page.getByLabel(/Custo/).count()).toBe(0);
  await page.getByRole('button', { name: 'Salvar' }).click();
  const fed = async () =>
    (
      await asked<{ feeding_records: { quantity_kg: number; cost_per_kg: number }[] }>(
        `/feeding/batch/${batch?.id}`,
      )
    ).feeding_records;
  await expect.poll(async () => (await fed())[0]).toMatchObject({ quantity_kg: 2.5, cost_per_kg: 6.2 });

  // what the owner measured is not his to correct, what he measured is
  await page.goto(`${farm.app.base}/viveiros/V-01/historico`);
  await page.waitForSelector('td.acts');
  const rows = page.locator('tbody tr');
  expect(
    await rows
      .filter({ hasText: '5,1' })
      .first()
      .getByRole('button', { name: /Corrigir/ })
      .count(),
  ).toBe(1);
  expect(
    await rows
      .filter({ hasText: '6,2' })
      .first()
      .getByRole('button', { name: /Corrigir/ })
      .count(),
  ).toBe(0);
});

it('switches a motor and answers an alarm, and is offered neither the settings nor to keep it from others', async () => {
  await made('/water-quality/', { pond_id: farm.farm.pondIds[1], dissolved_oxygen: 1.4 });
  const page = await farm.open(`/aeracao/${farm.farm.pointId}`, { ...PHONE, as: operator });
  await page.getByRole('button', { name: 'Ligar CP-01' }).click();
  await expect
    .poll(
      async () =>
        (await asked<{ target_status: string }>(`/control-points/${farm.farm.pointId}`)).target_status,
    )
    .toBe('ON');
  for (const name of [/Bloquear/, /Novo horário|Acrescentar/, /Salvar/])
    expect([String(name), await offered(page, name).count()]).toEqual([String(name), 0]);
  await page.goto(`${farm.app.base}/alarmes`);
  const alarm = page.locator('.alarm-row', { hasText: 'V-02' });
  await alarm.getByRole('button', { name: 'Reconhecer' }).waitFor();
  for (const name of ['Silenciar', 'Adiar'])
    expect([name, await alarm.getByRole('button', { name }).count()]).toEqual([name, 0]);
  // a list that has just changed takes no press yet
  await expect
    .poll(async () => {
      await alarm
        .getByRole('button', { name: 'Reconhecer' })
        .click({ timeout: 2_000 })
        .catch(() => undefined);
      const all = await asked<{ acknowledged_by: string | null }[]>('/alerts/?include=all');
      return all.some(({ acknowledged_by }) => acknowledged_by === operator.user.id);
    })
    .toBe(true);
});

it('sees no money and no way to registers, and the owner invites by the role’s name', async () => {
  const page = await farm.open('/lancar', { ...PHONE, as: operator });
  await page.locator('main a[href="/lancar/mortalidade"]').waitFor();
  expect(await page.locator('main a[href="/lancar/despesa"]').count()).toBe(0);
  await page.goto(`${farm.app.base}/lancar/despesa`);
  await page.getByText('Seu acesso não permite').waitFor();
  expect(await page.getByLabel('Valor').count()).toBe(0);
  await page.goto(`${farm.app.base}/lotes/L-01`);
  await offered(page, 'Lançar ração').first().waitFor();
  for (const href of ['/transferencias', '/despesca'])
    expect(await page.locator(`main a[href*="${href}"]`).count()).toBe(0);
  expect(await page.locator('main').innerText()).not.toMatch(/R\$/);
  await page.goto(`${farm.app.base}/sistema`);
  await page.locator('main a[href="/sistema/preferencias"]').waitFor();
  for (const part of ['dispositivos', 'firmware', 'bancada'])
    expect(await page.locator(`main a[href="/sistema/${part}"]`).count()).toBe(0);
  await page.goto(`${farm.app.base}/sistema/usuarios`);

  const owners = await farm.open('/sistema/usuarios', PHONE);
  await owners.getByLabel('Papel', { exact: true }).selectOption({ label: 'Operador' });
  await owners.getByText('não vê dinheiro, não muda cadastros').waitFor();
  await owners.getByLabel(`Papel de ${operator.user.name}`).waitFor();
  expect(await owners.getByLabel(`Papel de ${operator.user.name}`).inputValue()).toBe('OPERATOR');
});
