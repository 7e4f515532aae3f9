import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinFarm } from '#test/app.ts';
import { lastYearsCycle } from '#test/brazilian-workbook.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

describe('a spreadsheet of last year', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterAll(() => farm.close());

  const choose = (page: Page, name: string, buffer: Uint8Array | string, mimeType = XLSX) =>
    page.getByLabel('Planilha').setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });
  const bring = (page: Page) => page.getByRole('button', { name: /^Importar \d/ });

  it('is brought to the growth chart of its batch in at most 8 presses', async () => {
    const page = await farm.open('/relatorios/arquivos', { width: 360, height: 740 });
    let presses = 0;
    const press = async (name: RegExp | string, role: 'button' | 'link' = 'button') => {
      presses += 1;
      await page.getByRole(role, { name }).click();
    };
    await press(/Trazer planilha/, 'link');
    presses += 2;
    await choose(page, 'ciclo-2025.xlsx', lastYearsCycle());
    await bring(page).waitFor();
    // what is proposed: the sheet, what it holds, where its titles end
    expect(await page.getByLabel('O que são as linhas').inputValue()).toBe('batches');
    expect(await page.getByLabel('Aba').inputValue()).toBe('Povoamento');
    expect(await page.innerText('[data-reading]')).toContain('títulos na linha 3');
    expect(await page.innerText('[data-bring]')).toMatch(/1 linha nova · 1 de totais/);
    await press('Importar 1 linha');
    await press(/Próxima aba: Biometria/);
    await press('Importar 9 linhas');
    await press('Ver o crescimento de L-2025-01', 'link');
    await page.waitForURL(/\/lotes\/L-2025-01$/);
    await expect.poll(() => page.innerText('main')).toMatch(/13,2/);
    expect(presses).toBeLessThanOrEqual(8);
  });

  const WATER = [
    'Viveiro;Data;OD;Temp',
    'V-01;13/02/2025;4,1;28',
    'V-09;14/02/2025;4,2;28',
    'V-02;30/02/2025;4,3;28',
    'V-02;15/02/2025;45;28',
    'Total;;;',
  ].join('\n');
  const waterOf = async (pondId: string | undefined) => {
    const { body } = await farm.app.call('GET', `/water-quality/pond/${pondId}`, { token: farm.owner.token });
    return (body as { measurements: { dissolved_oxygen: number }[] }).measurements.map(
      ({ dissolved_oxygen }) => dissolved_oxygen,
    );
  };
  const checked = (page: Page) => page.locator('.note.pending').waitFor({ state: 'detached' });

  it('with wrong rows comes in without them, and is undone as a whole, on a phone', async () => {
    const page = await farm.open('/importar', { width: 360, height: 740 });
    await choose(page, 'agua.csv', WATER, 'text/csv');
    const wrong = page.locator('[data-rows="errors"]');
    await wrong.waitFor();
    expect(await wrong.innerText()).toMatch(/Linha 3 · Viveiro: não há viveiro "V-09"/);
    expect(await wrong.innerText()).toMatch(/Linha 4 · Data: "30\/02\/2025"/);
    expect(await page.innerText('[data-rows="warnings"]')).toContain('Linha 5');
    expect(await bring(page).isDisabled()).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deixar fora as 2 linhas com erro' }).click();
    await expect.poll(() => page.innerText('[data-bring]')).toContain('2 deixadas fora por você');
    await page.getByRole('button', { name: 'Deixar fora a linha 5' }).click();
    await page.getByRole('button', { name: 'Importar 1 linha' }).click();
    await page.locator('[data-done]').waitFor();
    expect(await waterOf(farm.farm.pondIds[0])).toContain(4.1);
    expect(await waterOf(farm.farm.pondIds[1])).toEqual([]);
    const record = page.locator('[data-import]').filter({ hasText: 'agua.csv' });
    expect(await record.innerText()).toMatch(/Água.*\n+1 linha entrou/s);
    expect(await violationsOn(page)).toEqual([]);
    await record.getByRole('button', { name: 'Desfazer a importação' }).click();
    await page.locator('dialog').getByRole('button', { name: 'Desfazer a importação' }).click();
    await expect.poll(() => record.innerText()).toContain('Desfeita: 1 linha saiu.');
    expect(await waterOf(farm.farm.pondIds[0])).not.toContain(4.1);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('is dropped on the screen, wherever it falls, and takes the place of the one before', async () => {
    const page = await farm.open('/importar', { width: 360, height: 740 });
    const drop = async (name: string, text: string) => {
      const held = `new File([${JSON.stringify(text)}], ${JSON.stringify(name)})`;
      const files = await page.evaluateHandle(
        `(() => { const moved = new DataTransfer(); moved.items.add(${held}); return moved; })()`,
      );
      await page.getByRole('heading', { level: 1 }).dispatchEvent('drop', { dataTransfer: files });
    };
    await drop('foto.jpg', '\u0000\u0001');
    await page.getByText('foto.jpg').waitFor();
    await drop('agua.csv', 'viveiro;data;od\nV-02;20/02/2025;4,7');
    await bring(page).click();
    await page.locator('[data-done]').waitFor();
    expect(await waterOf(farm.farm.pondIds[1])).toEqual([4.7]);
  });

  it('is corrected where the file does not tell, and the next of its form needs no word, by keys alone', async () => {
    const page = await farm.open('/importar', { theme: 'dark', language: 'en' });
    const sheet = (days: readonly string[]) =>
      ['pond;date;sonda A', ...days.map((day, n) => `V-03;${day};${n + 5}.1`)].join('\n');
    const file = async (name: string, days: readonly string[]) => {
      await page.getByLabel('Spreadsheet').setInputFiles({
        name,
        mimeType: 'text/csv',
        buffer: Buffer.from(sheet(days)),
      });
      await page.getByLabel('What the rows are').waitFor();
    };
    await file('january.csv', ['01/02/2025', '02/03/2025']);
    await page.getByText('The headings do not tell what the rows are').waitFor();
    await page.getByLabel('What the rows are').focus();
    await page.keyboard.type('Water');
    await page.getByRole('button', { name: 'Correct columns' }).press('Enter');
    await page.getByLabel('Is: sonda A').focus();
    await page.keyboard.type('Dissolved');
    await page.getByRole('button', { name: 'day/month' }).press('Enter');
    await checked(page);
    expect(await violationsOn(page)).toEqual([]);
    expect(await page.locator('main').innerText()).toMatch(/01\/02\/2025/);
    await page.getByRole('button', { name: 'Import 2 rows' }).press('Enter');
    await page.locator('[data-done]').waitFor();
    expect(await waterOf(farm.farm.pondIds[2])).toEqual([6.1, 5.1]);
    await file('february.csv', ['03/04/2025', '04/05/2025', '05/06/2025']);
    await page.getByLabel('What the rows are').selectOption('measurements');
    await page.getByRole('button', { name: 'Import 3 rows' }).press('Enter');
    await page.locator('[data-done]').waitFor();
    expect(await waterOf(farm.farm.pondIds[2])).toHaveLength(5);
  });

  it('shows how far it is while it comes in, is called off there, and what came is taken back', async () => {
    const rows = 12_000;
    const at = (n: number) => new Date(Date.UTC(2024, 0, 1) + n * 1_800_000).toISOString();
    const lines = Array.from({ length: rows }, (_, n) =>
      [`V-02`, at(n).slice(0, 10), at(n).slice(11, 16), `${4 + (n % 30) / 10}`.replace('.', ',')].join(';'),
    );
    const page = await farm.open('/importar');
    await choose(page, 'sonda.csv', ['Viveiro;Data;Hora;OD', ...lines].join('\n'), 'text/csv');
    await bring(page).waitFor({ timeout: 120_000 });
    await bring(page).click({ timeout: 120_000 });
    const record = page.locator('[data-import]').filter({ hasText: 'sonda.csv' });
    const progress = record.getByRole('progressbar');
    await progress.waitFor({ timeout: 60_000 });
    await page.locator('[data-import="IMPORTING"] progress[value]').waitFor({ timeout: 120_000 });
    expect(await record.innerText()).toMatch(/de 12\.000/);
    expect(await violationsOn(page)).toEqual([]);
    const listed = async () => {
      const path = `/imports/?farm_id=${farm.farm.id}`;
      const { body } = await farm.app.call('GET', path, { token: farm.owner.token });
      return (
        body as unknown as { file_name: string; state: string; imported: number; undone: number }[]
      ).find(({ file_name }) => file_name === 'sonda.csv');
    };
    await record.getByRole('button', { name: 'Cancelar' }).click();
    // the import looks once in a second of the gateway's clock, which stands in tests
    const stateNow = async () => {
      farm.app.clock.advance(1_500);
      return (await listed())?.state;
    };
    await expect.poll(stateNow, { timeout: 60_000 }).toBe('CANCELLED');
    await page
      .locator('[data-import="CANCELLED"]')
      .filter({ hasText: 'sonda.csv' })
      .waitFor({ timeout: 60_000 });
    expect(await progress.count()).toBe(0);
    expect(await record.innerText()).toContain('Cancelada.');
    const came = (await listed())?.imported ?? 0;
    expect(came).toBeLessThan(rows);
    if (came === 0) return;
    await record.getByRole('button', { name: 'Desfazer a importação' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Desfazer a importação' }).click();
    await page
      .locator('[data-import="UNDONE"]')
      .filter({ hasText: 'sonda.csv' })
      .waitFor({ timeout: 120_000 });
    expect(await listed()).toMatchObject({ state: 'UNDONE', undone: came });
  });

  it('is brought by who manages the farm alone', async () => {
    const technician = await farm.app.signUp();
    await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, technician, 'TECHNICIAN');
    const page = await farm.open('/relatorios/arquivos', { as: technician });
    await page.getByRole('heading', { name: 'Baixar planilha' }).waitFor();
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    expect(await page.getByRole('link', { name: /Trazer planilha/ }).count()).toBe(0);
    await page.goto(`${farm.app.base}/importar`);
    await page.getByText('Quem administra a fazenda traz planilhas.').waitFor();
    expect(await page.getByLabel('Planilha').count()).toBe(0);
  });
});
