import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastYearsCycle } from '#test/brazilian-workbook.ts';
import { type Console, startConsole } from '#test/console.ts';

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
});
