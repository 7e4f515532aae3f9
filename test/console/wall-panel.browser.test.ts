import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { joinFarm } from '#test/app.ts';
import { type Console, startConsole, violationsOn } from '#test/console.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const WALL = { width: 1920, height: 1080, as: null, isTimed: true } as const;

/** Remembers whether the page ever asked for a password again. */
const WATCH_FOR_LOGIN = `{
  window.hasAskedAgain = false;
  new MutationObserver(() => {
    window.hasAskedAgain ||= document.querySelector('input[type=password]') !== null;
  }).observe(document.body, { subtree: true, childList: true });
}`;

/** Counts the tones that fall: a screen that is blind has no other. */
const HEAR_FALLING = `{
  window.fallen = 0;
  const ramp = AudioParam.prototype.linearRampToValueAtTime;
  AudioParam.prototype.linearRampToValueAtTime = function (value, ...rest) {
    if (value === 500) window.fallen += 1;
    return ramp.call(this, value, ...rest);
  };
}`;

describe('a panel on the wall that nobody touches', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    await measure(1, 2.4);
    const body = { lat: '-3.7319', lng: '-38.5267' };
    await farm.app.call('PUT', `/farms/${farm.farm.id}`, { token: farm.owner.token, body });
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  const measure = (pond: number, dissolved_oxygen: number, token = farm.owner.token) =>
    farm.app.call('POST', '/water-quality/', {
      token,
      body: { pond_id: farm.farm.pondIds[pond], dissolved_oxygen },
    });

  async function aPanel({ isRemembered }: { isRemembered: boolean }): Promise<Page> {
    const page = await farm.open('/painel', WALL);
    await signIn(page, farm.owner.user.email, isRemembered);
    await page.waitForSelector('.panel[data-link="live"] [data-pond="V-03"]');
    return page;
  }
  async function signIn(page: Page, email: string, isRemembered: boolean): Promise<void> {
    await page.getByLabel(/E-mail/).fill(email);
    await page.getByLabel(/Senha/).fill('camarao-123');
    await page.getByLabel(/Manter conectado/).setChecked(isRemembered);
    await page.keyboard.press('Enter');
  }
  async function pass(page: Page, ms: number): Promise<void> {
    farm.app.clock.advance(ms);
    await page.clock.fastForward(ms);
  }

  it('shows the farm after a day and a night, though its token holds for an hour, and asks each shift to test its sound', async () => {
    const page = await aPanel({ isRemembered: false });
    await page.evaluate(WATCH_FOR_LOGIN);
    const ask = page.locator('[data-sound-test="due"]');
    expect(await ask.innerText()).toContain('nunca foi ouvido aqui');
    await ask.click();
    await ask.waitFor({ state: 'detached' });
    // each jump would break the line anyway
    await page.route('**/api/v1/events', (route) => route.abort());
    for (let passed = 0; passed < DAY; passed += 55 * MINUTE) {
      const before = await page.evaluate('sessionStorage.session');
      await pass(page, 55 * MINUTE);
      await expect.poll(() => page.evaluate('sessionStorage.session')).not.toBe(before);
    }
    await page.unroute('**/api/v1/events');
    await page.waitForSelector('.panel[data-link="live"]');
    await measure(0, 2.2);
    await page.waitForSelector('[data-alarm]:has-text("V-01")');
    expect(await page.evaluate('window.hasAskedAgain')).toBe(false);
    // the next shift is asked to listen again
    await ask.filter({ hasText: 'último teste há' }).waitFor();
  });

  it('whose password was changed elsewhere says at once that it is blind, and lets its tone fall', async () => {
    const other = await farm.app.signUp();
    await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, other, 'VIEWER');
    const page = await farm.open('/painel', { ...WALL, script: HEAR_FALLING });
    await signIn(page, other.user.email, true);
    await page.waitForSelector('.panel[data-link="live"] [data-alarm]');
    const body = { current_password: 'camarao-123', password: 'outra-senha-1' };
    const changed = await farm.app.call('PUT', '/users/me', { token: other.token, body });
    expect(changed.status).toBe(200);
    await page.waitForSelector('.panel-out [role=alert]:has-text("não vê mais a fazenda")');
    expect(await page.innerText('.panel-out .panel-alarm')).toContain('V-02');
    await expect.poll(() => page.evaluate<number>('window.fallen')).toBe(1);
    await page.clock.fastForward(60_000);
    await expect.poll(() => page.evaluate<number>('window.fallen')).toBe(2);
  });

  it('says three days ahead that it will go blind, and what it saw last once it is', async () => {
    const page = await aPanel({ isRemembered: true });
    // a gateway that gives no new token
    await page.route('**/auth/renew', (route) => route.fulfill({ status: 503 }));
    const warning = page.getByRole('alert').filter({ hasText: 'A sessão deste painel termina' });
    await pass(page, 26 * DAY);
    await page.waitForSelector('.panel[data-link="live"]');
    expect(await warning.count()).toBe(0);
    await pass(page, 1 * DAY);
    await warning.waitFor();
    // the session is over before anything is renewed again
    farm.app.clock.advance(3 * DAY);
    await page.unroute('**/auth/renew');
    await page.clock.fastForward(3 * DAY);
    await page.waitForSelector('.panel-out [role=alert]:has-text("não vê mais a fazenda")');
    expect(await page.innerText('.panel-out .panel-alarm')).toContain('V-02');
  });

  it('is dark once the sun has set at the farm, and shines softer while no alarm stands and nobody touches it', async () => {
    const theme = (page: Page) => page.evaluate('document.documentElement.dataset.theme');
    const dim = (page: Page) => page.getAttribute('html', 'data-dim');
    // 17:10 in Fortaleza in June
    farm.app.clock.set(Date.UTC(2026, 5, 10, 20, 10));
    const page = await aPanel({ isRemembered: false });
    await expect.poll(() => theme(page)).toBe('light');
    await pass(page, 35 * MINUTE);
    await page.waitForSelector('.panel[data-link="live"]');
    await expect.poll(() => theme(page)).toBe('dark');
    // an alarm stands: it shines in full, and softer once that is over, but not for a minute after somebody touched it
    expect(await dim(page)).toBeNull();
    const token = await page.evaluate<string>('JSON.parse(sessionStorage.session).token');
    for (const pond of [0, 1]) await measure(pond, 6.2, token);
    await expect.poll(() => dim(page)).toBe('true');
    await page.keyboard.press('Shift');
    await expect.poll(() => dim(page)).toBeNull();
    await pass(page, MINUTE);
    await expect.poll(() => dim(page)).toBe('true');
    expect(await violationsOn(page)).toEqual([]);
    await measure(1, 2.4, token);
    await expect.poll(() => dim(page)).toBeNull();
    // the wall beside it is as the device until somebody wants the sun there, too: then from its first moment on
    await page.getByRole('link', { name: 'Sair do painel' }).click();
    await page.waitForSelector('.shell[data-link="live"]');
    await expect.poll(() => theme(page)).toBe('light');
    await page.goto(`${farm.app.base}/sistema/preferencias`);
    await page.getByLabel('Tema', { exact: true }).selectOption('sun');
    await expect.poll(() => theme(page)).toBe('dark');
    await page.getByText('Escuro do pôr ao nascer do sol na fazenda.').waitFor();
    // the console itself never comes
    await page.clock.setSystemTime(farm.app.clock.now());
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.reload();
    expect(await theme(page)).toBe('dark');
  });
});
