import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

// What was typed and not saved is not lost by a slip: of the finger, of the key, or of the browser's own way back.

let farm: Console;
beforeAll(async () => {
  farm = await startConsole();
});
afterEach(() => farm.closePages());
afterAll(() => farm.close());

const question = (page: Page) => page.getByRole('dialog', { name: 'Sair sem salvar?' });
const pathOf = (page: Page) => new URL(page.url()).pathname;

it('the way back of the browser out of a weighing that was begun asks, and what was typed is there', async () => {
  const page = await farm.open('/lancar');
  await page
    .getByRole('link', { name: /Biometria/ })
    .first()
    .click();
  const sample = page.getByLabel('Camarões na amostra');
  await sample.fill('120');

  await page.goBack();
  await question(page).getByRole('button', { name: 'Continuar aqui' }).click();
  expect(pathOf(page)).toBe('/lancar/biometria');
  expect(await sample.inputValue()).toBe('120');

  await page.goBack();
  await question(page).getByRole('button', { name: 'Sair sem salvar' }).click();
  await expect.poll(() => pathOf(page)).toBe('/lancar');
  // nothing was typed any more: the way is free
  await page.goForward().catch(() => null);
  await page.getByRole('link', { name: 'Alarmes' }).first().click();
  await expect.poll(() => pathOf(page)).toBe('/alarmes');
});

it('a link asks too; what was saved is left unasked', async () => {
  const page = await farm.open('/lancar/anotacao?pond=V-01');
  await page.getByRole('textbox', { name: 'Anotação' }).fill('Bomba trocada');
  await page.getByRole('link', { name: 'Alarmes' }).first().click();
  await question(page).getByRole('button', { name: 'Continuar aqui' }).click();
  expect(await page.getByRole('textbox', { name: 'Anotação' }).inputValue()).toBe('Bomba trocada');

  await page.getByRole('button', { name: 'Salvar' }).click();
  await expect.poll(() => pathOf(page)).toBe('/lancar');
  await page.goBack();
  await page.waitForURL('**/lancar/anotacao**');
  expect(await question(page).count()).toBe(0);
});

it('Escape in a form over the page asks where something was typed, and closes where nothing was', async () => {
  const page = await farm.open('/sistema/fazenda');
  const open = () => page.getByRole('button', { name: /V-02/ }).first().click();
  await open();
  const form = page.getByRole('dialog', { name: /V-02/ });
  await form.waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });

  await open();
  await form.getByLabel('Área').fill('4.100');
  await page.keyboard.press('Escape');
  await question(page).getByRole('button', { name: 'Continuar aqui' }).click();
  expect(await form.getByLabel('Área').inputValue()).toBe('4.100');
  await page.keyboard.press('Escape');
  await question(page).getByRole('button', { name: 'Sair sem salvar' }).click();
  await form.waitFor({ state: 'detached' });
});
