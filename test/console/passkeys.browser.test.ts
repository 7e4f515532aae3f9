import { createHash, X509Certificate } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { aSecuredGateway, shakeHands } from '#test/a-secured-gateway.ts';
import { aCarefulPerson } from '#test/careful-person.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, type Console, type Look, startConsole, violationsOn } from '#test/console.ts';

const PASSWORD = 'camarao-123';
const PHONE = { width: 360, height: 740 };

/** A browser with an authenticator of its own, as Chromium plays it: it knows its person, and keeps what it makes. */
async function anAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    kept: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
    /** Somebody without the owner's finger has it. */
    inOtherHands: (isOther: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: !isOther }),
    setCount: async (signCount: number) => {
      const [first] = (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
      if (first === undefined) throw new Error('nothing is kept');
      const { credentialId } = first;
      await session.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      await session.send('WebAuthn.addCredential', { authenticatorId, credential: { ...first, signCount } });
    },
  };
}

describe('passkeys in the console', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  /** At the machine itself, by its name. */
  async function openByName(path: string, look: Look = {}): Promise<Page> {
    const page = await farm.open('/', { ...PHONE, ...look });
    await page.goto(`${farm.app.base.replace('127.0.0.1', 'localhost')}${path}`);
    return page;
  }
  const fitsIn = (page: Page) =>
    page.evaluate<boolean>('document.documentElement.scrollWidth <= document.documentElement.clientWidth');
  const picture = async (page: Page, name: string) => {
    const folder = process.env['PICTURES'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  };
  const card = (page: Page) => page.locator('[data-card=passkeys]');
  const isIn = async (page: Page) =>
    expect.poll(() => page.evaluate<string | null>("localStorage.getItem('session')")).not.toBeNull();

  async function make(page: Page, name: string): Promise<void> {
    await card(page).getByRole('button', { name: 'Criar chave de acesso' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Nome').fill(name);
    await dialog.getByLabel('Senha atual').fill(PASSWORD);
    await picture(page, 'passkey-add-360');
    await dialog.getByRole('button', { name: 'Continuar' }).click();
  }

  async function leave(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Sair deste aparelho' }).click();
    await page.getByRole('button', { name: 'Entrar com chave de acesso' }).waitFor();
    // the session that the test began with is not begun anew with the next page
    await page.evaluate("localStorage.removeItem('session')");
  }

  async function typeIn(page: Page, email: string): Promise<void> {
    await page.getByLabel('E-mail').fill(email);
    await page.getByLabel('Senha', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
  }

  it('are made on a phone, sign in alone and beside the password, and the last one goes with a proof', async () => {
    const person = await farm.app.signUp();
    const page = await openByName('/sistema/preferencias', { as: person });
    const key = await anAuthenticator(page);
    await card(page).getByText('Nenhuma ainda.').waitFor();
    await make(page, 'Celular da Ana');
    await card(page).locator('.recovery-codes li').nth(9).waitFor();
    await picture(page, 'passkey-papers-360');
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    expect(await key.kept()).toMatchObject([{ rpId: 'localhost', isResidentCredential: true }]);
    await card(page).getByLabel('Guardei os dez códigos').check();
    await card(page).getByRole('button', { name: 'Pronto' }).click();
    await card(page).getByText('Celular da Ana').waitFor();
    await card(page).getByText('nunca usada').waitFor();
    await picture(page, 'passkey-list-360');
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);

    await leave(page);
    await picture(page, 'passkey-sign-in-360');
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Entrar com chave de acesso' }).click();
    await isIn(page);
    await page.goto(page.url().replace(/(:\d+).*/, '$1/sistema/preferencias'));
    await card(page)
      .getByText(/usada \d/)
      .waitFor();

    await leave(page);
    await typeIn(page, person.user.email);
    const use = page.getByRole('button', { name: 'Usar chave de acesso' });
    await use.waitFor();
    await page.getByLabel('Código de recuperação').waitFor();
    // the clock here is right: nobody is told otherwise
    expect(await page.getByText('não é de confiança').count()).toBe(0);
    await picture(page, 'passkey-second-360');
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    await use.click();
    await isIn(page);

    await page.goto(page.url().replace(/(:\d+).*/, '$1/sistema/preferencias'));
    await card(page).getByRole('button', { name: 'Mudar nome: Celular da Ana' }).click();
    await page.getByRole('dialog').getByLabel('Nome').fill('Celular');
    await page.getByRole('dialog').getByRole('button', { name: 'Guardar' }).click();
    await card(page).getByRole('button', { name: 'Remover: Celular', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('É a última').waitFor();
    await picture(page, 'passkey-remove-360');
    await dialog.getByLabel('Senha atual').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Remover' }).click();
    await card(page).getByText('Nenhuma ainda.').waitFor();
    const again = await farm.app.call('POST', '/auth/login', {
      body: { email: person.user.email, password: PASSWORD },
    });
    expect(again.status).toBe(200);
  });

  it('in other hands or as a copy open nothing, and the screen says so', async () => {
    const person = await farm.app.signUp();
    const page = await openByName('/sistema/preferencias', { as: person });
    const key = await anAuthenticator(page);
    await make(page, 'Notebook');
    await card(page).getByLabel('Guardei os dez códigos').check();
    await card(page).getByRole('button', { name: 'Pronto' }).click();
    await leave(page);
    const enter = page.getByRole('button', { name: 'Entrar com chave de acesso' });
    await key.inOtherHands(true);
    await enter.click();
    await page.getByText('Nenhuma chave de acesso foi dada').waitFor();
    await key.inOtherHands(false);
    await key.setCount(0);
    await enter.click();
    await page.getByText('parece uma cópia').waitFor();
    await picture(page, 'passkey-copied-360');
    expect(await page.evaluate<string | null>("localStorage.getItem('session')")).toBeNull();
    await key.setCount(100);
    await enter.click();
    await isIn(page);
  });

  it('keep the person in when the password changes', async () => {
    const person = await farm.app.signUp();
    const page = await openByName('/sistema/preferencias', { as: person });
    await anAuthenticator(page);
    await make(page, 'Notebook');
    await card(page).getByLabel('Guardei os dez códigos').check();
    await card(page).getByRole('button', { name: 'Pronto' }).click();
    const form = page.locator('form').filter({ has: page.getByLabel('Senha nova', { exact: true }) });
    await form.getByLabel('Senha atual').fill(PASSWORD);
    await form.getByLabel('Senha nova', { exact: true }).fill('quarenta-viveiros-azuis');
    await form.getByLabel('Senha nova, de novo').fill('quarenta-viveiros-azuis');
    await page.getByRole('button', { name: 'Mudar a senha' }).click();
    await page.getByText('Senha mudada').waitFor();
    await card(page)
      .getByText(/usada \d/)
      .waitFor();
  });

  it('under a number the screen says why not, and which address has them', async () => {
    const page = await farm.open('/sistema/preferencias', PHONE);
    await card(page).getByText('este endereço é um número').waitFor();
    expect(await card(page).getByRole('button', { name: 'Criar chave de acesso' }).isDisabled()).toBe(true);
    await picture(page, 'passkey-address-360');
    expect(await fitsIn(page)).toBe(true);
    expect(await violationsOn(page)).toEqual([]);
    const english = await farm.open('/sistema/preferencias', { ...PHONE, language: 'en', theme: 'dark' });
    await card(english).getByText('this address is a number').waitFor();
    await picture(english, 'passkey-address-en-360');
    const gate = await farm.open('/', { ...PHONE, as: null });
    await gate.getByRole('button', { name: 'Entrar', exact: true }).waitFor();
    expect(await gate.getByRole('button', { name: 'Entrar com chave de acesso' }).count()).toBe(0);
  });

  it('beside an app the sign-in offers both', async () => {
    const person = await aCarefulPerson(farm.app);
    const page = await openByName('/sistema/preferencias', { as: person });
    await anAuthenticator(page);
    await make(page, 'Chave azul');
    // the ten codes of the app go on
    await card(page).getByText('Chave azul').waitFor();
    expect(await card(page).locator('.recovery-codes').count()).toBe(0);
    await leave(page);
    await typeIn(page, person.email);
    await page.getByRole('button', { name: 'Usar chave de acesso' }).waitFor();
    await picture(page, 'passkey-or-code-360');
    await page.getByLabel('Código do aplicativo').fill(person.shown());
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
    await isIn(page);
  });
});

describe('passkeys over https', () => {
  it('are made and sign in at the box under its own name, by a certificate of the farm', async () => {
    const gateway = await aSecuredGateway();
    onTestFinished(() => gateway.close());
    const host = 'gateway-1.local';
    // who trusts the farm's authority finds the certificate good for that name; the browser is told of this one
    const socket = await shakeHands(gateway.https, { ca: await gateway.ca(), servername: host });
    const { publicKey } = new X509Certificate(socket.getPeerCertificate().raw);
    socket.destroy();
    const key = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }));
    const browser = await launchChromium([
      `--host-resolver-rules=MAP ${host} 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${key.digest('base64')}`,
    ]);
    onTestFinished(() => browser.close());
    const asked = (path: string, body: object) =>
      gateway.plain(`/api/v1/auth/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const login = { email: 'ana@fazenda.example', password: PASSWORD };
    const { body: user } = await asked('register', { ...login, name: 'Ana' });
    const { body: session } = await asked('login', { ...login, remember_me: true });
    const { page } = await aPage(browser, {
      ...PHONE,
      as: { token: (session as { access_token: string }).access_token, user },
    });
    const address = `https://${host}:${gateway.https}`;
    await page.goto(`${address}/sistema/preferencias`);
    expect(await page.evaluate<boolean>('isSecureContext')).toBe(true);
    const authenticator = await anAuthenticator(page);
    const card = page.locator('[data-card=passkeys]');
    await card.getByRole('button', { name: 'Criar chave de acesso' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Nome').fill('Celular da Ana');
    await dialog.getByLabel('Senha atual').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continuar' }).click();
    await card.getByLabel('Guardei os dez códigos').check();
    await card.getByRole('button', { name: 'Pronto' }).click();
    await card.getByText('Celular da Ana').waitFor();
    expect(await authenticator.kept()).toMatchObject([{ rpId: host, isResidentCredential: true }]);

    await page.getByRole('button', { name: 'Sair deste aparelho' }).click();
    const enter = page.getByRole('button', { name: 'Entrar com chave de acesso' });
    await enter.waitFor();
    await page.evaluate("localStorage.removeItem('session')");
    await enter.click();
    await expect.poll(() => page.evaluate<string | null>("localStorage.getItem('session')")).not.toBeNull();
    await page.goto(`${address}/sistema/preferencias`);
    await card.getByText(/usada \d/).waitFor();
  });
});
