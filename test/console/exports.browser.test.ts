import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinFarm } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';
import { sheetsIn } from '#test/read-export.ts';
import { filesInZip } from '#test/read-zip.ts';

describe('files of the farm', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterAll(() => farm.close());

  async function saved(page: Page, button: string): Promise<{ name: string; bytes: Uint8Array }> {
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: button }).click(),
    ]);
    return { name: file.suggestedFilename(), bytes: new Uint8Array(readFileSync(await file.path())) };
  }

  it('are saved on a phone as a workbook of one register, of all, and as an archive', async () => {
    const page = await farm.open('/relatorios/arquivos', { width: 360, height: 740 });
    const water = await saved(page, 'Baixar Excel (xlsx)');
    expect(water.name).toMatch(/^qualidade-da-agua_.*\.xlsx$/);
    expect(sheetsIn(water.bytes)[0]?.head.slice(0, 3)).toEqual(['Data', 'Hora', 'Temperatura (°C)']);
    expect((await saved(page, 'Baixar CSV')).name).toMatch(/\.csv$/);
    await page.getByLabel('O quê').selectOption('farm');
    const all = await saved(page, 'Baixar Excel (xlsx)');
    expect(sheetsIn(all.bytes).map(({ name }) => name)).toContain('Qualidade da água');
    const archive = await saved(page, 'Baixar o arquivo (zip)');
    expect(archive.name).toMatch(/\.zip$/);
    expect([...filesInZip(archive.bytes).keys()]).toContain('schema.json');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('come without the archive to who may not manage the farm', async () => {
    const technician = await farm.app.signUp();
    await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, technician, 'TECHNICIAN');
    const page = await farm.open('/relatorios/arquivos', { as: technician });
    await page.getByRole('button', { name: 'Baixar Excel (xlsx)' }).waitFor();
    expect(await page.getByRole('button', { name: 'Baixar o arquivo (zip)' }).count()).toBe(0);
  });
});
