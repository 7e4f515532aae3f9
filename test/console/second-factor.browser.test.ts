import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codeAt } from '#test/authenticator.ts';
import { aCarefulPerson } from '#test/careful-person.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

const STEP_MS = 30_000;
const YEARS_MS = 56 * 365 * 86_400_000;
const PASSWORD = 'camarao-123';
const PHONE = { width: 360, height: 740 };

describe('a second factor in the console', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  const fitsIn = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  const picture = async (page: Page, name: string) => {
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };
  async function typeIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Entrar' }).click();
  }

  it('is set up on a phone: scanned, proved, ten codes on paper, and off again', async () => {
    const person = await farm.app.signUp();
    const page = await farm.open('/sistema/preferencias', { ...PHONE, as: person });
    const card = page.locator('[data-card=second-factor]');
    await card.getByLabel('Senha atual').fill(PASSWORD);
    await card.getByRole('button', { name: 'Ligar o segundo fator' }).click();
    await card.getByRole('img', { name: 'Quadro para o aplicativo de códigos' }).waitFor();
    await card.locator('summary').click();
    await picture(page, 'scan-360');
    const secret = (await card.locator('code').textContent()) ?? '';
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    const typed = card.getByLabel('2. Digite o código que o aplicativo mostra.');
    expect(await typed.getAttribute('inputmode')).toBe('numeric');
    expect(await typed.getAttribute('autocomplete')).toBe('one-time-code');
    await typed.fill('000000');
    await card.getByRole('button', { name: 'Confirmar e ligar' }).click();
    await card.getByText('Este código não vale agora').waitFor();
    await typed.fill(codeAt(secret, farm.app.clock.now()));
    await card.getByRole('button', { name: 'Confirmar e ligar' }).click();
    await card.locator('.recovery-codes li').nth(9).waitFor();
    await picture(page, 'papers-360');
    expect(await fitsIn(page)).toBe(true);
    const paper = (await card.locator('.recovery-codes li').first().textContent()) ?? '';
    const done = card.getByRole('button', { name: 'Pronto' });
    expect(await done.isDisabled()).toBe(true);
    await card.getByLabel('Guardei os dez códigos').check();
    await done.click();
    await card.getByText('Restam 10 códigos').waitFor();
    await picture(page, 'on-360');
    await card.getByRole('button', { name: 'Desligar o segundo fator' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Senha atual').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Usar um código de recuperação' }).click();
    await dialog.getByLabel('Código de recuperação').fill(paper);
    await picture(page, 'end-360');
    await dialog.getByRole('button', { name: 'Desligar o segundo fator' }).click();
    await card.getByText('Desligado.').waitFor();
  });

  it('is asked for at the sign-in, after the password and on the pad of digits', async () => {
    const person = await aCarefulPerson(farm.app);
    const page = await farm.open('/', { ...PHONE, as: null });
    expect(await page.getByLabel('Código do aplicativo').count()).toBe(0);
    await typeIn(page, person.email);
    const code = page.getByLabel('Código do aplicativo');
    await code.waitFor();
    expect(await page.evaluate('document.activeElement?.getAttribute("name")')).toBe('second_factor');
    expect(await code.getAttribute('inputmode')).toBe('numeric');
    expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
    await picture(page, 'sign-in-360');
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await code.fill('000000');
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.getByText('Este código não vale agora').waitFor();
    await picture(page, 'sign-in-wrong-360');
    farm.app.clock.advance(STEP_MS);
    await code.fill(person.shown());
    await page.getByRole('button', { name: 'Entrar' }).click();
    await code.waitFor({ state: 'detached' });
    expect(await page.evaluate<string | null>("localStorage.getItem('session')")).not.toBeNull();
  });

  it('takes a recovery code there, and asks nobody else for it', async () => {
    const person = await aCarefulPerson(farm.app);
    const page = await farm.open('/', { as: null });
    await typeIn(page, person.email);
    await page.getByRole('button', { name: 'Usar um código de recuperação' }).click();
    const field = page.getByLabel('Código de recuperação');
    expect(await field.getAttribute('inputmode')).toBeNull();
    await picture(page, 'sign-in-recovery');
    await field.fill(person.papers[0] ?? '');
    await page.getByLabel('E-mail').fill('outra@fazenda.test');
    expect(await field.count()).toBe(0);
    await page.getByLabel('E-mail').fill(person.email);
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.getByRole('button', { name: 'Usar um código de recuperação' }).click();
    await field.fill(person.papers[0] ?? '');
    await page.getByRole('button', { name: 'Entrar' }).click();
    await field.waitFor({ state: 'detached' });
  });

  it('is not asked for on the farm while the clock is wrong, which the screen says', async () => {
    const person = await aCarefulPerson(farm.app);
    farm.app.stepWallClock(YEARS_MS);
    const page = await farm.open('/', { ...PHONE, as: null });
    await typeIn(page, person.email);
    await page.getByText('o segundo fator não foi pedido').waitFor();
    await picture(page, 'spared-360');
    await page.goto(`${farm.app.base}/sistema/preferencias`);
    await page.locator('[data-card=second-factor]').getByText('Você entrou sem o segundo fator').waitFor();
    farm.app.stepWallClock(-YEARS_MS);
  });
});

describe('a second factor that the instance asks for', () => {
  let cloud: Console;
  beforeAll(async () => {
    cloud = await startConsole({ args: ['--role', 'hosted', '--require-second-factor', 'admins'] });
  });
  afterAll(() => cloud.close());

  it('is all that an administrator finds until there is one, and then the console opens', async () => {
    const admin = await cloud.app.signUp({ role: 'ADMIN' });
    const page = await cloud.open('/', { ...PHONE, as: admin });
    await page.getByRole('heading', { name: 'Falta o seu segundo fator' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Continuar' }).click();
    await page.getByText('Aqui pessoas com a sua função precisam de um segundo fator').waitFor();
    const card = page.locator('[data-card=second-factor]');
    await card.getByLabel('Senha atual').fill(PASSWORD);
    await card.getByRole('button', { name: 'Ligar o segundo fator' }).click();
    await card.locator('summary').click();
    const secret = (await card.locator('code').textContent()) ?? '';
    await card
      .getByLabel('2. Digite o código que o aplicativo mostra.')
      .fill(codeAt(secret, cloud.app.clock.now()));
    await card.getByRole('button', { name: 'Confirmar e ligar' }).click();
    await card.getByLabel('Guardei os dez códigos').check();
    await card.getByRole('button', { name: 'Pronto' }).click();
    await page.getByRole('button', { name: 'Continuar' }).click();
    await page.getByRole('heading', { name: 'Falta o seu segundo fator' }).waitFor({ state: 'detached' });
    await page.getByRole('main').waitFor();
    expect((await cloud.app.call('GET', '/users/all', { token: admin.token })).status).toBe(200);
  });
});
