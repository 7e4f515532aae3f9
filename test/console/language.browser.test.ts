import { readdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740 };
const startOf = (page: Page) => page.locator('script[type=module]').getAttribute('src');

describe('the language of a station', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  it.each([
    ['es-MX', 'es', 'Ahora'],
    ['es', 'es', 'Ahora'],
    ['en', 'en', 'Now'],
    ['pt-BR', 'pt-BR', 'Agora'],
  ] as const)(
    'that speaks %s is %s from the first drawing on, and it loads no other',
    async (language, spoken, tab) => {
      const page = await farm.open('/nowhere', { language });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page.goto(`${farm.app.base}/viveiros/V-01`, { waitUntil: 'commit' });
      await page.getByRole('link', { name: tab, exact: true }).waitFor();
      expect(await page.getAttribute('html', 'lang')).toBe(spoken);
      const table = await page.locator('meta[name=starts]').getAttribute('content');
      const starts = JSON.parse(table ?? '{}') as Record<string, string[]>;
      expect(Object.keys(starts).sort()).toEqual(readdirSync('desktop/console/words').sort());
      const loaded = Object.entries(starts).filter(([, files]) => files.some((file) => asked.includes(file)));
      expect(loaded.map(([tag]) => tag)).toEqual([spoken]);
      expect(farm.refusedByPolicy).toEqual([]);
    },
  );

  it('is chosen before somebody signs in, and stays', async () => {
    const page = await farm.open('/', { width: 320, height: 640, as: null });
    await page.getByRole('button', { name: 'Español' }).click();
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('es');
    expect(await page.getByRole('button', { name: 'Español' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Entrar' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    const spanish = await startOf(page);
    await page.goto(`${farm.app.base}/bem-vindo`);
    expect(await startOf(page)).toBe(spanish);
    await page.getByRole('button', { name: 'English' }).click();
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('en');
    expect(await startOf(page)).not.toBe(spanish);
  });

  it('writes figures, days and money as its readers do', async () => {
    const page = await farm.open('/viveiros/V-01', { language: 'es' });
    await page.getByText('6,2').first().waitFor();
    await page.goto(`${farm.app.base}/lancar/despesa`);
    await page.getByText('US$').first().waitFor();
  });

  it('offers a farm the countries of its readers first', async () => {
    const newcomer = await farm.app.signUp();
    const page = await farm.open('/bem-vindo/fazenda', { language: 'es', as: newcomer });
    const place = page.getByLabel('Estado o país');
    await expect.poll(() => place.locator('option:checked').textContent()).toBe('Ecuador');
    await place.selectOption({ label: 'Perú' });
    await page.getByText('Lima').waitFor();
    await place.selectOption({ label: 'Ceará' });
    await page.getByText('Fortaleza').waitFor();
  });

  it('is changed without a loss of what was typed and not yet saved', async () => {
    const page = await farm.open('/lancar/agua', PHONE);
    const field = page.locator('input[inputmode=decimal]').first();
    await field.fill('5,4');
    await page.goto(`${farm.app.base}/sistema/preferencias`);
    await page.locator('select', { has: page.locator('option[value=es]') }).selectOption('es');
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('es');
    await page.getByRole('heading', { name: 'Preferencias' }).waitFor();
    await page.goto(`${farm.app.base}/lancar/agua`);
    await expect.poll(() => field.inputValue()).toBe('5,4');
  });

  it('cannot be changed while the gateway is away, which is said, and it is what the next start speaks', async () => {
    const page = await farm.open('/sistema/preferencias');
    const choice = page.locator('select', { has: page.locator('option[value=es]') });
    await choice.waitFor();
    await page.route('**/healthz', (route) => route.abort());
    await choice.selectOption('en');
    await page.getByText('o painel fala esta língua quando for aberto de novo').waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('pt-BR');
    await page.reload();
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('en');
  });
});
