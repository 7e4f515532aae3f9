import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';
import { SCREENS } from '#test/console-screens.ts';

// Whoever has several tabs open, or looks for a page among those visited, finds it by its title.

const PRODUCT = 'Camarão';

describe('the title of a page', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  const titleOf = async (page: Page, path: string): Promise<string> => {
    // the title of the page before is not taken for that of this one
    await page.evaluate(`document.title = ''; history.pushState(null, '', ${JSON.stringify(path)})`);
    const isShown = () =>
      page.evaluate(
        `document.querySelector('[aria-busy=true]') === null &&
          document.title.includes(document.querySelector('h1')?.textContent.trim() ?? '?')`,
      );
    await expect.poll(isShown, { message: path }).toBe(true);
    return page.title();
  };

  it.each(['pt-BR', 'en', 'es'] as const)('is its own for every address, in %s', async (language) => {
    // none of those below: each of them is come to
    const page = await farm.open('/lancar/troca', { language });
    await page.waitForSelector('h1');
    const addressesOf = new Map<string, string[]>();
    for (const path of SCREENS) {
      const title = await titleOf(page, path.replace('<point>', farm.farm.pointId));
      expect(title, path).toContain(` · ${PRODUCT}`);
      addressesOf.set(title, [...(addressesOf.get(title) ?? []), path]);
    }
    expect([...addressesOf].filter(([, paths]) => paths.length > 1)).toEqual([]);
  });

  it('names the part of the page that is shown, in the language of the reader', async () => {
    const page = await farm.open('/', { language: 'es' });
    await page.waitForSelector('[data-pond="V-01"]');
    expect(await titleOf(page, '/viveiros/V-01/agua')).toBe(`Agua · V-01 · ${PRODUCT}`);
    expect(await titleOf(page, '/relatorios/comparar?o=tabela')).toMatch(
      /^Lotes en tabla · Comparar · Reportes · /,
    );
    // chosen on the page, without another address below it
    await page.locator('[data-parts] button[aria-pressed=false]').last().click();
    await expect.poll(() => page.title()).toMatch(/^Noches de una piscina · Comparar · /);
  });

  it('stands also where nobody is signed in', async () => {
    const page = await farm.open('/esqueci-a-senha', { as: null, language: 'en' });
    await page.waitForSelector('h1');
    await expect.poll(() => page.title()).toBe(`${await page.innerText('h1')} · ${PRODUCT}`);
  });
});
