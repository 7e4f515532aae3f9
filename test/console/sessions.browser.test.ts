import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const PHONE = { width: 360, height: 740, language: 'pt-BR' } as const;
const PAGE = '/sistema/preferencias';
const ON_PHONE =
  'Mozilla/5.0 (Linux; Android 14; SM-A546E) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36';
const PICTURES = process.env['PICTURES'];

describe('the own sessions, on a phone', () => {
  let console_: Console;
  beforeAll(async () => {
    console_ = await startConsole();
  });
  afterEach(() => console_.closePages());
  afterAll(() => console_.close());

  async function logInElsewhere(userAgent: string): Promise<string> {
    const { app, owner } = console_;
    const { body } = await app.call('POST', '/auth/login', {
      body: { email: owner.user.email, password: 'camarao-123', remember_me: true },
      headers: { 'User-Agent': userAgent },
    });
    return (body as { access_token: string }).access_token;
  }
  const opens = async (token: string) => (await console_.app.call('GET', '/users/me', { token })).status;

  test('the list says device and place; one that is lost is ended with the password, at once', async () => {
    const lost = await logInElsewhere(ON_PHONE);
    const page = await console_.open(PAGE, PHONE);
    const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Sessões' }) });
    const line = card.locator('li', { hasText: 'Chrome em Android' });
    await line.waitFor();
    expect(await line.textContent()).toMatch(/na fazenda, 127\.0\.0\.1 · último uso .+ · aberta /);
    expect(await card.locator('li', { hasText: 'este aparelho' }).getByRole('button').count()).toBe(0);
    if (PICTURES !== undefined) {
      await card.scrollIntoViewIfNeeded();
      await card.screenshot({ path: `${PICTURES}/list.png` });
    }
    await line.getByRole('button', { name: /Encerrar/ }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'Encerrar a sessão' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Senha atual').fill('tilapia-000');
    await dialog.getByRole('button', { name: 'Encerrar a sessão' }).click();
    await dialog.getByText('A senha não confere.').waitFor();
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/dialog.png` });
    expect(await opens(lost)).toBe(200);
    await dialog.getByLabel('Senha atual').fill('camarao-123');
    await dialog.getByRole('button', { name: 'Encerrar a sessão' }).click();
    await line.waitFor({ state: 'detached' });
    expect(await opens(lost)).toBe(401);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth + 1')).toBe(true);
  });

  test('all others end together, and this device goes on', async () => {
    const others = [await logInElsewhere(ON_PHONE), await logInElsewhere('curl/8.5.0')];
    const page = await console_.open(PAGE, PHONE);
    await page.getByText('curl', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Encerrar todas as outras' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Senha atual').fill('camarao-123');
    await dialog.getByRole('button', { name: 'Encerrar todas as outras' }).click();
    await page.getByText(/^\d sessões encerradas\.$/).waitFor();
    await page.getByText('curl', { exact: true }).waitFor({ state: 'detached' });
    expect([...(await Promise.all(others.map(opens))), await opens(console_.owner.token)]).toEqual([
      401, 401, 200,
    ]);
  });

  test('what is not known is not shown as nothing: it loads, or says why not', async () => {
    const page = await console_.open('/', PHONE);
    await page.route('**/api/v1/auth/sessions', (route) => route.fulfill({ status: 400, body: '{}' }));
    await page.goto(`${console_.app.base}${PAGE}`);
    const card = page.locator('section.card', { has: page.getByRole('heading', { name: 'Sessões' }) });
    await card.getByRole('alert').waitFor();
    expect(await card.locator('li').count()).toBe(0);
    expect(await card.getByRole('button', { name: 'Encerrar todas as outras' }).count()).toBe(0);
    await page.unroute('**/api/v1/auth/sessions');
    await card.getByRole('alert').getByRole('button').click();
    await card.locator('li', { hasText: 'este aparelho' }).waitFor();
  });

  describe('in another tab of the browser', () => {
    async function twoTabs() {
      const page = await console_.open('/', PHONE);
      const other = await page.context().newPage();
      await other.goto(`${console_.app.base}/`);
      await other.waitForSelector('.shell[data-link="live"]');
      return { page, other };
    }

    test('who leaves has left there too, though the gateway could not be told', async () => {
      const { page, other } = await twoTabs();
      await page.route('**/api/v1/auth/logout', (route) => route.abort());
      await page.goto(`${console_.app.base}${PAGE}`);
      await page.getByRole('button', { name: 'Sair deste aparelho' }).click();
      await other.getByRole('button', { name: 'Entrar', exact: true }).waitFor();
      expect(await other.locator('.shell').count()).toBe(0);
    });

    test('the next person is who asks there, and not the one before', async () => {
      const { page, other } = await twoTabs();
      const next = await console_.app.signUp({ role: 'VIEWER' });
      const asked = other.waitForRequest(
        (request) =>
          request.url().endsWith('/users/me') &&
          request.headers()['authorization'] === `Bearer ${next.token}`,
      );
      await page.evaluate((token) => {
        const session = { token, expiresAt: Date.now() + 86_400_000, remembered: true };
        localStorage.setItem('session', JSON.stringify(session));
      }, next.token);
      await asked;
    });
  });

  test('who leaves takes the farm along: the browser keeps its own settings, and nothing of the farm', async () => {
    const page = await console_.open('/', PHONE);
    await page.waitForSelector('[data-pond="V-01"]');
    await page.evaluate(
      'localStorage.setItem("price-per-kg", "31.5"); localStorage.setItem("theme", "dark")',
    );
    await page.goto(`${new URL(page.url()).origin}${PAGE}`);
    await page.getByRole('button', { name: 'Sair deste aparelho' }).click();
    await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor();
    const kept = (await page.evaluate('({...localStorage})')) as Record<string, string>;
    expect(kept).toMatchObject({ theme: 'dark' });
    expect(Object.keys(kept)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/session|farm|price|panel|zone/)]),
    );
    expect(JSON.stringify(kept)).not.toContain(console_.farm.id);
    await page.goBack();
    await page.getByRole('button', { name: 'Entrar', exact: true }).waitFor();
  });
});
