import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Console, startConsole, violationsOn } from '#test/console.ts';
import { smtpReceiver } from '#test/receivers.ts';

const PHONE = { width: 360, height: 740 } as const;
const SOON = { timeout: 60_000 };
const NEW = 'sete tanques no mangue';
const codeIn = (text: string) => /(?:\w{4}-){7}\w{4}/.exec(text)?.[0] ?? '';

describe('at an instance that sends mail', () => {
  let post: Awaited<ReturnType<typeof smtpReceiver>>;
  let console_: Console;
  beforeAll(async () => {
    post = await smtpReceiver();
    console_ = await startConsole({ args: ['--smtp-url', post.url] });
  });
  afterEach(() => console_.closePages());
  afterAll(async () => {
    await console_.app.delivery.stop(Promise.resolve());
    await console_.close();
    await post.close();
  });

  it('who forgot the password asks on a phone, takes the code from the letter, and signs in', async () => {
    const { open, app } = console_;
    const person = await app.signUp({ email: 'rita@farm.test' });
    const page = await open('/', { ...PHONE, as: null });
    await page.getByRole('link', { name: 'Esqueceu a senha?' }).click();
    await page.getByLabel('E-mail').fill(person.user.email);
    await page.getByRole('button', { name: 'Mandar o código' }).click();
    await page.getByRole('heading', { name: 'Veja seu e-mail' }).waitFor();
    expect(await page.innerText('main')).toContain('30 minutos');
    expect(await violationsOn(page)).toEqual([]);
    await vi.waitFor(() => expect(post.mails).toHaveLength(1), SOON);
    const code = codeIn(post.mails[0]?.text ?? '');

    // as the link of the letter opens it: the code does not stay in the address
    await page.goto(`${app.base}/nova-senha#${code}`);
    expect(await page.getByLabel('Código do e-mail').inputValue()).toBe(code);
    await vi.waitFor(() => expect(page.url()).toBe(`${app.base}/nova-senha`), SOON);
    const save = page.getByRole('button', { name: 'Guardar senha' });
    const type = async (password: string) => {
      await page.getByLabel('Nova senha', { exact: true }).fill(password);
      await page.getByLabel('Nova senha, de novo').fill(password);
    };
    expect(await save.isDisabled()).toBe(true);
    await type('flamengo');
    await save.click();
    await page.getByText('Esta senha está entre as que se adivinham primeiro').waitFor();
    await type(NEW);
    await save.click();
    await page.getByRole('heading', { name: 'Senha guardada' }).waitFor();
    await page.getByRole('link', { name: 'Entrar' }).click();
    await page.getByLabel('E-mail').fill(person.user.email);
    await page.getByLabel('Senha', { exact: true }).fill(NEW);
    await page.getByRole('button', { name: 'Entrar' }).click();
    await page.getByLabel('Senha', { exact: true }).waitFor({ state: 'detached' });
    expect(await page.evaluate('localStorage.getItem("session")')).toContain('token');
  });

  it('says of a code that is none, in words, and does not lose what was typed', async () => {
    const page = await console_.open('/nova-senha', { ...PHONE, as: null, language: 'en' });
    await page.getByLabel('Code of the e-mail').fill('ACDE-FHJK');
    await page.getByLabel('New password', { exact: true }).fill(NEW);
    await page.getByLabel('New password, again').fill(NEW);
    await page.getByRole('button', { name: 'Keep password' }).click();
    await page.getByText('This code is not valid, or not any more.').waitFor();
    expect(await page.getByLabel('New password', { exact: true }).inputValue()).toBe(NEW);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('a new account and a new password are not what is guessed first', async () => {
    const { open, app, owner } = console_;
    const asked: string[] = [];
    const page = await open('/bem-vindo', { ...PHONE, as: null });
    page.on(
      'request',
      (request) => void asked.push(`${request.method()} ${new URL(request.url()).pathname}`),
    );
    await page.getByLabel('Seu nome').fill('Zeca');
    await page.getByLabel('E-mail').fill('zeca@farm.test');
    await page.getByLabel('Senha').fill('senha123');
    await page.getByRole('button', { name: 'Criar conta' }).click();
    await page.getByText('Esta senha está entre as que se adivinham primeiro').waitFor();
    expect(asked).not.toContain('POST /api/v1/auth/register');
    const preferences = await open('/sistema/preferencias');
    const settings = preferences
      .locator('section.card')
      .filter({ has: preferences.getByRole('button', { name: 'Mudar a senha' }) });
    await settings.getByLabel('Senha atual').fill('camarao-123');
    for (const [password, said] of [
      [owner.user.email, 'Esta senha é o e-mail'],
      ['qwertyuiop', 'entre as que se adivinham primeiro'],
    ] as const) {
      await settings.getByLabel('Senha nova', { exact: true }).fill(password);
      await settings.getByLabel('Senha nova, de novo').fill(password);
      await settings.getByRole('button', { name: 'Mudar a senha' }).click();
      await settings.getByText(said).waitFor();
    }
    const still = { email: owner.user.email, password: 'camarao-123' };
    expect((await app.call('POST', '/auth/login', { body: still })).status).toBe(200);
  });

  it('the list of passwords is not part of the first screen', async () => {
    const { open } = console_;
    const page = await open('/', { ...PHONE, as: null });
    const loaded: string[] = [];
    page.on('request', (request) => void loaded.push(request.url()));
    await page.reload();
    await page.getByRole('link', { name: 'Esqueceu a senha?' }).waitFor();
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.filter((url) => url.includes('common-passwords'))).toEqual([]);
  });
});

describe('at an instance that sends no mail', () => {
  let console_: Console;
  beforeAll(async () => {
    console_ = await startConsole();
  });
  afterAll(() => console_.close());

  it('whoever forgot the password is told whom to ask, and offered no letter', async () => {
    const page = await console_.open('/esqueci-a-senha', { ...PHONE, as: null });
    await page.getByText('Daqui não se manda e-mail').waitFor();
    expect(await page.innerText('main')).toContain('admin reset-password');
    expect(await page.getByRole('button', { name: 'Mandar o código' }).count()).toBe(0);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('while the instance does not answer neither is claimed', async () => {
    const page = await console_.open('/', { ...PHONE, as: null });
    await page.route('**/api/v1/auth/forgot-password', (route) => route.abort());
    await page.getByRole('link', { name: 'Esqueceu a senha?' }).click();
    await page.getByRole('button', { name: 'Tentar de novo' }).waitFor();
    const said = await page.innerText('main');
    expect([said.includes('Daqui não se manda e-mail'), said.includes('Mandar o código')]).toEqual([
      false,
      false,
    ]);
    await page.unroute('**/api/v1/auth/forgot-password');
    await page.getByRole('button', { name: 'Tentar de novo' }).click();
    await page.getByText('Daqui não se manda e-mail').waitFor();
  });
});

describe('at a hosted instance that sends no mail', () => {
  let console_: Console;
  beforeAll(async () => {
    console_ = await startConsole({ args: ['--role', 'hosted'] });
  });
  afterEach(() => console_.closePages());
  afterAll(() => console_.close());

  it('the administrator confirms addresses, and their people are told why no invitation comes', async () => {
    const { open, app } = console_;
    const said = { email: 'rita.de.cassia@farm.test', password: 'quatro-tanques' };
    const made = await app.call('POST', '/auth/register', { body: { ...said, name: 'Rita' } });
    const login = await app.call('POST', '/auth/login', { body: said });
    // the shapes are checked by the accounts tests
    const rita = {
      token: (login.body as { access_token: string }).access_token,
      user: made.body as Console['owner']['user'],
    };
    const hers = await open('/sistema/preferencias', { ...PHONE, as: rita });
    await hers.getByText('ainda não está confirmado').waitFor();
    await hers.getByText('peça ao administrador desta instância').waitFor();
    expect(await violationsOn(hers)).toEqual([]);
    const admin = await app.signUp({ role: 'ADMIN' });
    const page = await open('/sistema/usuarios', { ...PHONE, as: admin });
    await page.getByRole('button', { name: `Confirmar: ${said.email}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Confirmar' }).click();
    await page.getByText('Todos os endereços estão confirmados.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await hers.reload();
    await hers.getByText(`${said.email} está confirmado.`).waitFor();
    // nobody else has the list
    const owners = await open('/sistema/usuarios');
    await owners.getByRole('heading', { name: 'Convites para você' }).waitFor();
    expect(await owners.getByText('Endereços a confirmar').count()).toBe(0);
  });
});
