import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// A batch that was stocked with a nought too many is put right where it is seen.

const PHONE = { width: 360, height: 740 };

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

type Told = Record<string, unknown>;
const call = async (method: string, path: string, body?: unknown) =>
  (await farm.app.call(method, path, { token: farm.owner.token, ...(body === undefined ? {} : { body }) }))
    .body as Told;
async function theBatch(): Promise<Told> {
  const [listed] = (await call('GET', '/batches/')) as unknown as Told[];
  return call('GET', `/batches/${String(listed?.['id'])}`);
}

it('who corrects the count is told what follows before it is saved, and may take it back', async () => {
  const before = await theBatch();
  const count = Number(before['initial_count']);
  const page = await farm.open('/lotes/L-01', PHONE);
  await page.getByRole('button', { name: 'Corrigir o lote' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Camarões povoados').fill(String(count * 10));
  await dialog.getByRole('button', { name: 'Conferir' }).click();
  await dialog.getByText('como se tivesse sido povoado assim desde o começo').waitFor();
  expect(await violationsOn(page)).toEqual([]);
  // nothing was saved by asking
  expect(await theBatch()).toEqual(before);
  await dialog.getByRole('button', { name: 'Voltar e mudar' }).click();
  expect(await dialog.getByLabel('Camarões povoados').inputValue()).toBe(String(count * 10));
  await dialog.getByRole('button', { name: 'Conferir' }).click();
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await expect.poll(async () => (await theBatch())['initial_count']).toBe(count * 10);
  const area = (await call('GET', `/ponds/${String(before['pond_id'])}`))['size_m2'];
  expect((await theBatch())['initial_density']).toBeCloseTo((count * 10) / Number(area), 0);
  await page.getByRole('button', { name: 'Desfazer' }).click();
  await expect.poll(async () => (await theBatch())['initial_count']).toBe(count);
  expect(await theBatch()).toMatchObject({
    initial_density: before['initial_density'],
    current_population: before['current_population'],
  });
});

it('a start that leaves a record before it is refused with that record', async () => {
  const { id, start_date } = await theBatch();
  const page = await farm.open('/lotes/L-01', PHONE);
  await call('POST', '/feeding/', {
    batch_id: id,
    feed_type: '35 % PB',
    quantity_kg: 1,
    cost_per_kg: 5,
    feed_date: `${String(start_date)}T15:00:00Z`,
  });
  await page.getByRole('button', { name: 'Corrigir o lote' }).click();
  const dialog = page.getByRole('dialog');
  const day = new Date(Date.parse(`${String(start_date)}T12:00:00Z`) + 86_400_000);
  const [year, month, date] = day.toISOString().slice(0, 10).split('-');
  const field = dialog.getByLabel('Dia do povoamento');
  await field.fill(
    (await field.getAttribute('type')) === 'date' ? `${year}-${month}-${date}` : `${date}/${month}/${year}`,
  );
  await dialog.getByRole('button', { name: 'Conferir' }).click();
  await dialog.getByRole('button', { name: 'Salvar correção' }).click();
  await dialog.getByText('antes desse povoamento').first().waitFor();
  expect((await theBatch())['start_date']).toBe(start_date);
});
