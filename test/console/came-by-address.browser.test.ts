import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, aFarmWith, startApp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, type Console, startConsole, violationsOn } from '#test/console.ts';

// Addresses that people are given: of an invitation, of a box that is to be taken, of the broker for a controller.

describe('at a box', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterAll(() => farm.close());

  it('an invitation is an address and a QR code; whoever opens it is a press from the farm, and no server hears the code', async () => {
    const owner = await farm.open('/sistema/usuarios');
    await owner.getByRole('button', { name: 'Convidar', exact: true }).click();
    await owner.getByRole('img', { name: 'Código QR do convite' }).waitFor();
    const link = await owner.getByRole('dialog').locator('code').first().innerText();
    expect(await violationsOn(owner)).toEqual([]);
    expect(link).toMatch(/^http:\/\/[\d.]+:\d+\/bem-vindo#convite=[A-Z0-9-]+$/);
    // what a phone can reach is never the machine itself
    expect(link).not.toMatch(/127\.0\.0\.1|localhost/);

    const guest = await farm.app.signUp();
    const page = await farm.open('/nowhere', { as: guest, width: 360, height: 740, theme: 'dark' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const { pathname, hash } = new URL(link);
    await page.goto(`${farm.app.base}${pathname}${hash}`);
    const code = hash.replace('#convite=', '');
    await expect.poll(() => page.getByLabel('Código do convite').inputValue()).toBe(code);
    // nobody reads it over the shoulder, and no history keeps it
    expect(page.url()).not.toContain(code);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Aceitar' }).click();
    await page.locator('[data-pond="V-01"]').waitFor();
    expect(asked.filter((url) => url.includes(code))).toEqual([]);
    await page.goto(`${farm.app.base}/sistema/usuarios`);
    await page.getByLabel('Código do convite').waitFor();
    expect(await page.getByLabel('Código do convite').inputValue()).toBe('');
    await farm.closePages();
  });

  it('who has no account yet is told so, and finds the invitation again after signing in', async () => {
    const page = await farm.open('/bem-vindo#convite=ABCD-EFGH-JKLM', { as: null });
    await page.getByText('Você foi convidado para uma fazenda.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('link', { name: 'Já tenho conta' }).click();
    const person = await farm.app.signUp({ password: 'camarao-do-norte' });
    await page.getByLabel('E-mail').fill(person.user.email);
    await page.getByLabel('Senha').fill('camarao-do-norte');
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
    await expect.poll(() => page.getByLabel('Código do convite').inputValue()).toBe('ABCD-EFGH-JKLM');
    await farm.closePages();
  });

  it('a key that is shown once says beside it which broker it is for, under an address of the farm network', async () => {
    const page = await farm.open('/bem-vindo/controlador', { width: 360, height: 740 });
    await page.getByRole('button', { name: 'Não apareceu: digitar a identificação' }).click();
    await page.getByLabel('Identificação do controlador').fill('aer-novo');
    await page.getByRole('button', { name: 'Adotar', exact: true }).click();
    const broker = page.locator('[data-broker]');
    await broker.waitFor();
    expect(await broker.getAttribute('data-broker')).not.toMatch(/127\.0\.0\.1|localhost/);
    expect(await broker.getAttribute('data-broker')).toMatch(/:1883$/);
    await page.getByRole('img', { name: 'Código QR com servidor, usuário e chave' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Já guardei a chave' }).click();
    expect(page.url()).toContain('/bem-vindo/controlador');
    await farm.closePages();
  });

  it('whoever only works at the farm sees no list of what its owner left undone', async () => {
    const { token } = farm.owner;
    const worker = await farm.app.signUp();
    const asked = await farm.app.call('POST', `/farms/${farm.farm.id}/members`, {
      token,
      body: { user_id: worker.user.id, role: 'MANAGER' },
    });
    await farm.app.call('POST', '/invitations/accept', {
      token: worker.token,
      body: { invitation_id: (asked.body as { id: string }).id },
    });
    const own = await farm.open('/');
    await own.locator('[data-checklist]').waitFor();
    const page = await farm.open('/', { as: worker });
    await page.locator('[data-pond="V-01"]').waitFor();
    await page.getByText('registros de hoje').waitFor();
    expect(await page.locator('[data-checklist]').count()).toBe(0);
    await farm.closePages();
  });
});

describe('at the hosted instance', () => {
  let hosted: App;
  let browser: Browser;
  beforeAll(async () => {
    [hosted, browser] = await Promise.all([startApp('sqlite', ['--role', 'hosted']), launchChromium()]);
  });
  afterAll(async () => {
    await browser.close();
    await hosted.close();
  });

  it('a sign-up knows where it is: no code of a box, no word of this gateway, and the box that was brought is taken up', async () => {
    const { page, context } = await aPage(browser, { as: null });
    await page.goto(`${hosted.base}/pair?code=ABCD-EFGH`);
    await page.getByRole('link', { name: /Criar conta/ }).click();
    await page.getByText('Ela fica na nuvem.').waitFor();
    expect(await page.getByText('gateway').count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByLabel('Seu nome').fill('Ana Lima');
    await page.getByLabel('E-mail').fill('ana.lima@fazenda.example');
    await page.getByLabel('Senha').fill('camarao-do-norte');
    await page.getByRole('button', { name: 'Criar conta' }).click();
    // the code went along; it is no open one, and another can be typed here
    await page.waitForURL(/bem-vindo\/caixa/);
    await page.getByRole('button', { name: 'Código' }).click();
    await page.getByLabel('Código').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    // without a box the farm is made here
    await page.getByRole('button', { name: 'Pular' }).click();
    await page.getByLabel('Nome da fazenda').waitFor();
    expect(await page.getByText('Chave do backup').count()).toBe(0);
    await context.close();
  });

  it('shows a farm owner in the cloud what is left of the set-up there', async () => {
    const owner = await aFarmWith(hosted);
    const { page, context } = await aPage(browser, {
      as: { token: owner.token } as never,
    });
    await page.goto(`${hosted.base}/`);
    const card = page.locator('[data-checklist]');
    await card.waitFor();
    expect(await card.innerText()).toContain('Caixa');
    expect(await card.innerText()).not.toContain('backup');
    await context.close();
  });
});
