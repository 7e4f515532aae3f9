import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 640 };
type Measured = { measurements: { dissolved_oxygen: number | null; measurement_date: string }[] };

describe('a round', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  const readingsOf = async (pond: number, oxygen: number) => {
    const { body } = await farm.app.call('GET', `/water-quality/pond/${farm.farm.pondIds[pond]}`, {
      token: farm.owner.token,
    });
    return (body as Measured).measurements
      .filter(({ dissolved_oxygen }) => dissolved_oxygen === oxygen)
      .map(({ measurement_date }) => measurement_date);
  };
  const typeHour = async (page: Page, hour: string) => {
    await page.getByRole('button', { name: 'Foi em outra hora' }).click();
    await page.getByLabel('Hora', { exact: true }).fill(hour);
  };

  it('from the paper sheet is typed with the hour that stands on it, and the next one is of now again', async () => {
    const page = await farm.open('/lancar/agua');
    await page.waitForSelector('[data-cell="0-0"]');
    // a day that is over: no hour of it is still to come
    await typeHour(page, '03:10');
    const yesterday = new Date(farm.app.kernel.now() - 86_400_000 - 3 * 3_600_000).toISOString().slice(0, 10);
    await page.getByLabel('Dia').fill(yesterday);
    await page.locator('[data-cell="0-0"]').fill('6,8');
    await page.locator('[data-cell="1-0"]').fill('6,9');
    // what was chosen outlives the page
    await page.reload();
    await page.waitForSelector('[data-round-time="chosen"]');
    await page.getByRole('button', { name: /^Salvar ronda/ }).click();
    // 3 h 10 in Fortaleza
    const wanted = `${yesterday}T06:10:00.000Z`;
    await expect.poll(() => readingsOf(0, 6.8), { timeout: 60_000 }).toEqual([wanted]);
    await expect.poll(() => readingsOf(1, 6.9), { timeout: 60_000 }).toEqual([wanted]);

    await page.getByRole('button', { name: 'Agora', exact: true }).click();
    await page.locator('[data-cell="0-0"]').fill('6,7');
    await page.getByRole('button', { name: /^Salvar ronda/ }).click();
    await expect.poll(() => readingsOf(0, 6.7), { timeout: 60_000 }).toHaveLength(1);
    const [at] = await readingsOf(0, 6.7);
    expect(Math.abs(Date.parse(at ?? '') - farm.app.kernel.now())).toBeLessThan(10 * 60_000);
  });

  it('is not sent with an hour that nobody can read, or that is still to come', async () => {
    const page = await farm.open('/lancar/agua');
    await page.waitForSelector('[data-cell="0-0"]');
    await typeHour(page, '3h10');
    await page.locator('[data-cell="0-0"]').fill('6,1');
    const save = page.getByRole('button', { name: /^Salvar ronda/ });
    await page.getByText('Use o formato 18:00.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Hora', { exact: true }).fill('12:00');
    await page
      .getByLabel('Dia')
      .fill(new Date(farm.app.kernel.now() + 2 * 86_400_000).toISOString().slice(0, 10));
    await page.getByText('Essa hora ainda não chegou.').waitFor();
    await page.locator('[data-cell="0-0"]').press('Control+Enter');
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Agora', exact: true }).click();
    expect(await save.isEnabled()).toBe(true);
  });

  it('on a phone shows the next pond by its name, with its first field under the thumb', async () => {
    const page = await farm.open('/lancar/agua', PHONE);
    await typeHour(page, '06:00');
    for (const [now, next] of [
      ['V-01', 'V-02'],
      ['V-02', 'V-03'],
    ] as const) {
      await page.locator('.step-pond', { hasText: now }).waitFor();
      await page.getByLabel(/^Temperatura/).fill('29');
      await page.evaluate('scrollTo(0, document.body.scrollHeight)');
      await page.getByRole('button', { name: 'Próximo' }).click();
      const name = page.locator('.step-pond', { hasText: next });
      await name.waitFor();
      await expect
        .poll(() => page.evaluate('document.activeElement.closest(".step-field")?.textContent'))
        .toMatch(/^Oxig/);
      const header = (await page.locator('header.top').boundingBox()) ?? { y: 0, height: 0 };
      const seen = await name.boundingBox();
      expect(seen?.y).toBeGreaterThanOrEqual(header.y + header.height - 1);
      expect((seen?.y ?? 0) + (seen?.height ?? 0)).toBeLessThan(PHONE.height);
    }
  });
});
