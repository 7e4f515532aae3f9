import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

/** The ten seconds in which an entry can be taken back, and a little. */
const UNTIL_SENT_MS = 10_500;

const BEFORE = {
  batch_code: 'V-02-2511',
  species: 'Litopenaeus vannamei',
  lineage: 'SPF',
  larva_origin: 'Aracati',
  start_date: '2025-11-03',
  initial_count: 60_000,
  initial_avg_weight: 0.01,
  initial_density: 20,
};

describe('a crop', () => {
  let farm: Console;
  let page: Page;
  beforeAll(async () => {
    farm = await startConsole();
    const { token } = farm.owner;
    const { body } = await farm.app.call('POST', '/batches/', {
      token,
      body: { ...BEFORE, pond_id: farm.farm.pondIds[1] },
    });
    await farm.app.call('POST', `/batches/${(body as { id: string }).id}/finish`, {
      token,
      body: { actual_harvest_date: '2026-02-18T02:30:00Z', final_weight_kg: 480 },
    });
    page = await farm.open('/', { isTimed: true });
  });
  afterAll(() => farm.close());

  const ask = async <Answer>(path: string): Promise<Answer> =>
    (await farm.app.call('GET', path, { token: farm.owner.token })).body as Answer;
  const go = async (path: string) => {
    await page.goto(`${farm.app.base}${path}`);
    await page.waitForSelector('main h1');
  };
  async function saved(path: string, button = 'Salvar'): Promise<void> {
    const reply = page.waitForResponse(
      (answer) => answer.url().includes(path) && answer.request().method() === 'POST',
    );
    await page.getByRole('button', { name: button }).click();
    await page.waitForSelector('.toast');
    await page.clock.fastForward(UNTIL_SENT_MS);
    expect((await reply).ok()).toBe(true);
  }

  it('of which nobody recorded a cost has none in its money, nor a profit or a margin, and says what is missing', async () => {
    await go('/lotes/V-02-2511');
    const money = page.locator('section.card', {
      has: page.getByRole('heading', { name: 'Custos e resultado' }),
    });
    await money.getByText('Sem registro: ração, despesas').waitFor();
    await money.getByLabel('Preço de venda por kg').fill('25');
    await money.getByText('Margem').waitFor();
    const figures = await money.locator('dl.facts dd').allInnerTexts();
    expect(figures.length).toBeGreaterThan(4);
    expect(new Set(figures)).toEqual(new Set(['—']));
  });

  it('is stocked, weighed, fed and harvested on the screens, and its money is right in the end', async () => {
    const onWall = (cod: string) => page.locator(`[data-pond="${cod}"]`);
    await go('/');
    // harvested at half past eleven in the night of 17 February there, on the 18th in UTC
    await expect.poll(() => onWall('V-02').innerText()).toContain('Vazio há 13 dias');
    await expect.poll(() => onWall('V-03').innerText()).toMatch(/Vazio\n/);
    await onWall('V-03').getByRole('link', { name: 'Povoar V-03' }).click();
    await page.waitForURL(/\/lotes\/novo/);
    await page.getByLabel('Camarões povoados').fill('60.000');
    await page.getByLabel('Peso médio').fill('0,01');
    await page.getByLabel('Dia do povoamento').fill('2026-01-05');
    await page.getByRole('button', { name: 'Conferir' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Povoar' }).click();
    await page.waitForURL(/\/lotes\/V-03-2601$/);

    await go('/lancar/biometria?batch=V-03-2601');
    await page.getByLabel('Camarões na amostra').fill('80');
    await page.getByLabel('Peso da amostra').fill('720');
    expect(await page.innerText('.note[role="status"]')).toContain('9,00');
    await saved('/biometries/');

    await go('/lancar/racao?batch=V-03-2601');
    await page.getByLabel('Quantidade').fill('18,5');
    await page.getByLabel('Ração', { exact: true }).fill('Peletizada 35 %');
    await page.getByLabel('Custo por kg').fill('6,20');
    await saved('/feeding/');

    await go('/lancar/mortalidade?batch=V-03-2601');
    await page.getByLabel('Quanto dos vivos morreu').fill('10');
    await page.getByLabel('O que aconteceu').fill('mortos na bandeja');
    await saved('/adjust-survival', 'Acertar sobrevivência');

    // 18,5 kg of feed for the 412 kg that were gained
    await go('/');
    await expect.poll(() => onWall('V-03').innerText()).toMatch(/9,0.g.· 413.kg.· 77.%.· FCA.0,04/);

    // what a higher price would mean is asked as the slider is drawn, and says how old the weighing is that it rests on
    await go('/lotes/V-03-2601');
    await page.getByText('Ver os 4 acontecimentos').click();
    await expect
      .poll(() => page.innerText('.life-list'))
      .toMatch(/Mortalidade: −5\.100 \(10,0.%\), mortos na bandeja/);
    await page.getByLabel('Preço de venda por kg').fill('25');
    await page.getByText('Quando despescar').waitFor();
    const askedFor = page.waitForRequest((request) => request.url().includes('market_price_per_kg=25.5'));
    await page.getByLabel('E se o preço for outro?').press('ArrowRight');
    await askedFor;
    expect(await page.getByLabel('Preço de venda por kg').inputValue()).toBe('25,5');
    await expect.poll(() => page.innerText('main')).toMatch(/baseado em biometria de hoje/);

    await go('/lotes/V-03-2601/despesca');
    await page.getByLabel('Total: encerra o lote').check();
    await page.getByLabel('Peso despescado').fill('455');
    await page.getByLabel('Preço de venda por kg').fill('31,50');
    expect(await page.innerText('main')).toMatch(/14\.332,50/);
    const end = page.getByRole('button', { name: 'Encerrar o lote' });
    expect(await end.isDisabled()).toBe(true);
    await page.getByLabel('Digite V-03-2601 para encerrar').fill('v-03-2601');
    await end.click();
    await page.waitForURL(/\/lotes\/V-03-2601$/);
    await page.waitForSelector('main :text("Despescado")');

    await go('/');
    await expect.poll(() => onWall('V-03').innerText()).toContain('Vazio hoje');

    const batches = await ask<{ id: string; batch_code: string; status: string }[]>(
      `/batches/?farm_id=${farm.farm.id}&status=FINISHED`,
    );
    const batch = batches.find(({ batch_code }) => batch_code === 'V-03-2601');
    expect(batch).toMatchObject({ status: 'FINISHED' });
    const fed = await ask<{ feeding_records: { quantity_kg: number; cost_per_kg: number }[] }>(
      `/feeding/batch/${batch?.id}`,
    );
    expect(fed.feeding_records).toMatchObject([{ quantity_kg: 18.5, cost_per_kg: 6.2 }]);
    const weighed = await ask<{ biometries: { average_weight_g: number }[] }>(
      `/biometries/batch/${batch?.id}`,
    );
    expect(weighed.biometries[0]).toMatchObject({ average_weight_g: 9 });
  });
});
