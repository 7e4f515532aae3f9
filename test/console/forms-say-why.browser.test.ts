import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

describe('a form that lacks something', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  it('says what, by hand and by key, and goes there', async () => {
    const page = await farm.open('/lotes/novo?pond=V-03');
    const check = page.getByRole('button', { name: 'Conferir' });
    await check.waitFor();
    await page.getByLabel('Linhagem').fill('');
    await page.getByLabel('Laboratório').fill('');
    expect(await page.getByLabel('Linhagem').getAttribute('aria-required')).toBe('true');
    await check.focus();
    await page.keyboard.press('Enter');
    const told = page.locator('.button + .fault');
    await expect.poll(() => told.innerText()).toMatch(/^Falta, ou confira: .*Linhagem · Laboratório/);
    // nothing left, and nobody has to look for the field
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    expect(await violationsOn(page)).toEqual([]);
  });

  it('of an entry is named too, in the other language', async () => {
    const page = await farm.open('/lancar/biometria', { language: 'en' });
    const save = page.getByRole('button', { name: 'Save' });
    await save.waitFor();
    await save.focus();
    await page.keyboard.press('Enter');
    await expect
      .poll(() => page.locator('.button + .fault').innerText())
      .toMatch(/^Missing, or to check: Shrimp in the sample · /);
    await page.getByLabel('Shrimp in the sample').fill('30');
    await page.getByLabel(/^Weight of the sample/).fill('300');
    await expect.poll(() => page.locator('.button + .fault').count()).toBe(0);
  });
});
