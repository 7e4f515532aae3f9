import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

// Batches side by side, as an owner looks at them after a year: two that were harvested, and one that swims.

const PHONE = { width: 390, height: 844 };
const PC = { width: 1440, height: 900 };
const PATH = '/relatorios/comparar?o=tabela';

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
  await harvested('A-01', { days: 60, kg: 900, price: 20, spent: 9_000 });
  await harvested('A-02', { days: 80, kg: 1_200, price: 22, spent: 9_600 });
  // nobody told a price, nor what it cost
  await harvested('A-03', { days: 70, kg: 1_000, price: null, spent: null });
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

async function made(path: string, body: object): Promise<string> {
  const { status, body: told } = await farm.app.call('POST', path, { token: farm.owner.token, body });
  if (status >= 300) throw new Error(`${path}: ${JSON.stringify(told)}`);
  return (told as { id: string }).id;
}

async function harvested(
  code: string,
  of: { days: number; kg: number; price: number | null; spent: number | null },
): Promise<void> {
  const ago = (days: number) => new Date(farm.app.clock.now() - days * 86_400_000).toISOString();
  const pond_id = await made('/ponds/', { farm_id: farm.farm.id, cod: `P-${code}`, size_m2: 5_000 });
  const batch_id = await made('/batches/', {
    pond_id,
    batch_code: code,
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aqua',
    start_date: ago(of.days + 10).slice(0, 10),
    initial_count: 100_000,
    initial_avg_weight: 0.01,
    initial_density: 20,
    estimated_survival_rate: 90,
  });
  await made('/biometries/', {
    batch_id,
    measurement_date: ago(12),
    sample_size: 100,
    total_weight_g: of.days * 20,
  });
  if (of.spent !== null) {
    const expense = { category: 'LABOR', description: 'Mão de obra', expense_date: ago(20) };
    await made('/feeding/', {
      batch_id,
      quantity_kg: of.kg * 1.3,
      cost_per_kg: 1,
      feed_type: '35 %',
      feed_date: ago(20),
    });
    await made('/financial/expenses', { batch_id, ...expense, amount: of.spent - of.kg * 1.3 });
  }
  await made(`/batches/${batch_id}/finish`, {
    actual_harvest_date: ago(10),
    final_weight_kg: of.kg,
    final_count: 80_000,
    ...(of.price === null ? {} : { price_per_kg: of.price }),
  });
}

const table = (page: Page) => page.getByRole('group', { name: 'Comparação de lotes' });
const cell = (page: Page, code: string, name: string) =>
  table(page).locator(`tr:has(th:has-text("${code}")) td[data-label="${name}"]`);
const names = (page: Page) => table(page).getByRole('rowheader').allTextContents();

it('a table has every batch, marks best and worst in words, and says what nobody knows', async () => {
  const page = await farm.open(PATH, PC);
  await table(page).waitFor();
  expect((await names(page)).toSorted()).toEqual(['A-01', 'A-02', 'A-03', 'L-01']);
  expect(await cell(page, 'A-01', 'kg/ha').textContent()).toContain('1.800');
  expect(await cell(page, 'A-02', 'kg/ha').textContent()).toMatch(/2\.400.*melhor/);
  expect(await cell(page, 'A-01', 'kg/ha').textContent()).toMatch(/pior/);
  expect(await cell(page, 'A-02', 'Custo por kg').textContent()).toMatch(/8,00.*melhor/);
  expect(await cell(page, 'A-01', 'Margem').textContent()).toMatch(/50,0.*pior/);
  for (const name of ['Custo por kg', 'Receita por kg', 'Margem', 'FCA', 'Ração (kg)'])
    expect(await cell(page, 'A-03', name).textContent()).toBe('sem dado');
  expect(await cell(page, 'A-03', 'Sem registro').textContent()).toContain('ração, despesas');
  // one that swims has no yield to be held against a harvest
  expect(await cell(page, 'L-01', 'kg/ha').textContent()).not.toMatch(/melhor|pior/);
  await cell(page, 'L-01', 'Estado').getByText('em produção').waitFor();
  expect(await violationsOn(page)).toEqual([]);
});

it('order, state and chosen batches stand in the address, and the file is the table as it stands', async () => {
  const page = await farm.open(PATH, PC);
  await page.getByLabel('Estado').selectOption({ label: 'Despescados' });
  await expect.poll(() => table(page).getByText('L-01').count()).toBe(0);
  await page.getByText('Só alguns lotes').click();
  await page.getByRole('checkbox', { name: 'A-01' }).check();
  await page.getByRole('checkbox', { name: 'A-02' }).check();
  await table(page).getByRole('button', { name: 'Custo por kg' }).click();
  await expect.poll(() => names(page)).toEqual(['A-02', 'A-01']);
  const { search } = new URL(page.url());
  for (const part of ['o=tabela', 's=despescados', 'v=A-01', 'v=A-02', 'ordem-lotes='])
    expect(search).toContain(part);
  await page.reload();
  await expect.poll(() => names(page)).toEqual(['A-02', 'A-01']);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Baixar CSV' }).click(),
  ]);
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split(/\r?\n/);
  expect(lines.slice(1).map((line) => line.split(';')[0])).toEqual(['A-02', 'A-01']);
  await table(page).getByRole('link', { name: 'A-02' }).click();
  await page.getByRole('heading', { name: 'A-02' }).waitFor();
});

it('a phone shows each batch as a card', async () => {
  const page = await farm.open(PATH, PHONE);
  await table(page).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
  await page.getByLabel('Ordem de Comparação de lotes').selectOption({ label: 'Margem ↓' });
  await expect.poll(async () => (await names(page))[0]).toBe('A-02');
  expect(await violationsOn(page)).toEqual([]);
});

it('paper has the farm, the day by the gateway, and the names of the columns', async () => {
  const page = await farm.open(PATH, PC);
  await table(page).waitFor();
  await page.emulateMedia({ media: 'print' });
  await page.getByText('Norte · números de 02/03/2026').waitFor();
  // written by the style sheet: browsers do not repeat a button on the next sheet
  const heads = await page.evaluate<string[]>(
    `[...document.querySelectorAll('th')].filter((cell) => cell.checkVisibility()).map((cell) => getComputedStyle(cell, '::before').content)`,
  );
  expect(heads).toEqual(expect.arrayContaining(['"Lote"', '"kg/ha"', '"Margem"']));
  expect(await page.getByRole('button', { name: 'Imprimir' }).isVisible()).toBe(false);
});

it('all farms of an owner stand in one table, and a batch of another farm opens there', async () => {
  const farm_id = await made('/farms/', { name: 'Sul' });
  const pond_id = await made('/ponds/', { farm_id, cod: 'S-01', size_m2: 1_000 });
  await made('/batches/', {
    pond_id,
    batch_code: 'S-2026',
    species: 'Litopenaeus vannamei',
    lineage: 'SPF',
    larva_origin: 'Aqua',
    start_date: '2026-02-20',
    initial_count: 20_000,
    initial_avg_weight: 0.01,
    initial_density: 20,
    estimated_survival_rate: 90,
  });
  const page = await farm.open(PATH, PC);
  await page.getByLabel('Fazendas').selectOption({ label: 'Todas as fazendas' });
  await cell(page, 'S-2026', 'Viveiros').getByText('Sul · S-01').waitFor();
  expect(new URL(page.url()).search).toContain('f=todas');
  expect(await violationsOn(page)).toEqual([]);
  await table(page).getByRole('link', { name: 'S-2026' }).click();
  await page.getByRole('heading', { name: 'S-2026' }).waitFor();
});
