import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { joinFarm, type SignedUp } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Tasks that a farm sets itself: set by the owner, ticked by an operator on a phone.

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

const call = async (method: string, path: string, sent?: unknown) =>
  (await farm.app.call(method, path, { token: farm.owner.token, body: sent })).body;
const tasks = async () => (await call('GET', `/farms/${farm.farm.id}/tasks`)) as Told[];
const marks = async () => (await call('GET', `/farms/${farm.farm.id}/task-marks`)) as Told[];

it('the owner sets a task of every second day with a checklist and an hour, and ends it', async () => {
  const page = await farm.open('/tarefas/nova', { width: 1440, height: 900 });
  await page.getByLabel('O que fazer').fill('Limpar filtros');
  await page.getByLabel('Repete').selectOption('DAYS');
  await page.getByLabel('Dias de uma vez à outra').fill('2');
  await page.getByLabel('Hora do lembrete').fill('07:30');
  await page.getByLabel('Lista de itens').fill('Entrada\n\nSaída\n');
  expect(await violationsOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Salvar' }).click();
  await page.locator('[data-all-tasks] [data-task]', { hasText: 'a cada 2 dias' }).waitFor();
  expect(await tasks()).toMatchObject([
    {
      text: 'Limpar filtros',
      repeat: 'DAYS',
      every_days: 2,
      remind_at: '07:30',
      items: ['Entrada', 'Saída'],
    },
  ]);
  expect(await violationsOn(page)).toEqual([]);
});

it('an operator ticks it on a phone, items first; it waits for the line and is told as done once it is there', async () => {
  const page = await farm.open('/tarefas', { ...PHONE, as: operator, isTimed: true });
  const task = page.locator('[data-own-tasks] [data-task]', { hasText: 'Limpar filtros' });
  await task.getByLabel('Entrada').check();
  const done = task.getByRole('button', { name: /^✓ Feito/ });
  // under a thumb with wet hands
  expect((await done.boundingBox())?.height).toBeGreaterThanOrEqual(48);
  expect(await violationsOn(page)).toEqual([]);
  await done.click();
  await task.getByText('guardado neste aparelho').waitFor();
  expect(await marks()).toEqual([]);
  await expect
    .poll(async () => {
      await page.clock.runFor(6_000);
      return marks();
    })
    .toMatchObject([
      { text: 'Limpar filtros', state: 'DONE', ticked: ['Entrada'], done_by: operator.user.id },
    ]);
  await task.getByText('1 de 2 itens').waitFor();
  await task.getByRole('button', { name: /^Desfazer/ }).click();
  await task.getByRole('button', { name: /^✓ Feito/ }).waitFor();
});

it('a reminder opens its task, from the list and by the address of its push, and one that is not of today is told as that', async () => {
  const asked = await call('POST', `/farms/${farm.farm.id}/tasks`, {
    text: 'Medir a transparência',
    repeat: 'DAYS',
    every_days: 1,
    remind_at: '00:00',
    first_day: '2026-01-01',
  });
  farm.app.clock.advance(24 * 3_600_000);
  await farm.app.ticks.find(({ name }) => name === 'reminders of tasks')?.run();
  const page = await farm.open('/notificacoes', { ...PHONE, as: operator });
  await page.getByRole('button', { name: 'Abrir: Tarefa: Medir a transparência' }).first().click();
  const id = String((asked as Told)['id']);
  await page.waitForURL(`**/tarefas?tarefa=${id}`);
  const card = page.locator(`[data-own-tasks] [data-task="${id}"]`);
  await expect.poll(() => card.evaluate((element) => element.matches(':focus'))).toBe(true);
  expect(await page.locator('[data-own-tasks] [data-task]').first().getAttribute('data-task')).toBe(id);
  expect(await violationsOn(page)).toEqual([]);
  await page.goto(`${farm.app.base}/tarefas?tarefa=${farm.farm.id}&farm=${farm.farm.id}`);
  await page.getByText('Essa tarefa não está para hoje').waitFor();
});

it('without an answer nobody reads that there is nothing to do', async () => {
  const page = await farm.open('/tarefas', { ...PHONE, as: operator });
  await page.route('**/tasks/due*', () => undefined);
  await page.reload();
  await page.locator('[data-own-tasks] [aria-busy="true"]').waitFor();
  expect(await page.getByText('Nenhuma tarefa da fazenda').count()).toBe(0);
  expect(await page.getByText('Nada atrasado e nada').count()).toBe(0);
});
