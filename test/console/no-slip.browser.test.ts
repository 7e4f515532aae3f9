import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinFarm } from '#test/app.ts';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { SCREENS } from '#test/console-screens.ts';
import { isInTurn } from '#test/turn.ts';

/** Counts the motors that the page asks to be started. */
const COUNT_STARTS = `{
  window.starts = 0;
  const ask = window.fetch;
  window.fetch = (...given) => {
    if (String(given[0]).includes('/turn-on')) window.starts += 1;
    return ask(...given);
  };
}`;

/**
 * Presses the button of that number in the page, by a click or by a key when it has the focus, and tells its name and
 * whether that started a motor; null when there are no more.
 */
const press = (page: Page, number: number) =>
  page.evaluate<{ name: string; hasStarted: boolean } | null>(`(async () => {
    const buttons = [...document.querySelectorAll('button, [role=button], summary')]
      .filter((element) => element.checkVisibility() && !element.disabled && element.closest('dialog') === null);
    const button = buttons[${number}];
    if (button === undefined) return null;
    const name = button.getAttribute('aria-label') ?? button.textContent;
    const before = window.starts;
    button.focus();
    button.click();
    await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    return { name, hasStarted: window.starts > before };
  })()`);

/** Presses whatever is offered outside of the screen, once something is, and tells the names. */
const PRESS_OFFERS = `(() => {
  const offers = [...document.querySelectorAll('.toast button:enabled')];
  for (const offer of offers) offer.click();
  return offers.length === 0 ? null : offers.map(({ textContent }) => textContent);
})()`;

/** The screens where motors are switched: these are pressed through each time, the others in turn. */
const SWITCHES = /^\/$|^\/aeracao|^\/viveiros\/V-01(\/aeracao)?$|^\/alarmes$|^\/painel$/;

/** How a gateway answers that a motor is to start. */
const STARTED = { target_status: 'ON', current_status: 'OFF', last_command_at: null, hold_until: null };

describe('no single press anywhere', () => {
  let farm: Console;
  let page: Page;
  const stops: string[] = [];
  const pressed = new Set<string>();
  let started = 0;
  beforeAll(async () => {
    farm = await startConsole();
    const { app, owner } = farm;
    // both ways to see a motor: running as wanted, and wanted but silent
    for (const id of [farm.farm.pointId, farm.farm.silentPointId]) {
      await app.call('POST', `/control-points/${id}/turn-on`, { token: owner.token });
    }
    await controllerReports(app, owner, 'CP-01', 'ON');
    page = await farm.open('/', { script: COUNT_STARTS });
    // nothing that is pressed here happens, though the page is told that motors were started: the next screen finds
    // the farm as it was
    await page.route('**/api/v1/**', (route) => {
      const request = route.request();
      if (request.method() === 'GET') return route.continue();
      const said = `${new URL(request.url()).pathname} ${request.postData() ?? ''}`;
      if (/turn-off|lock-out|"target_status":"OFF"|"OFF"/.test(said)) stops.push(said);
      if (!said.includes('/turn-on')) return route.abort();
      started += 1;
      return route.fulfill({ status: 200, json: { ...STARTED, version: 1_000 + started } });
    });
  });
  afterAll(() => farm.close());

  /** What was started is offered to be taken back, outside of the screen: that is one press, too. */
  async function takeBack(): Promise<void> {
    const seen = { offers: null as string[] | null };
    // asked from here: the page lets nothing be evaluated in it
    await expect
      .poll(async () => (seen.offers = await page.evaluate<string[] | null>(PRESS_OFFERS)))
      .not.toBeNull();
    for (const name of seen.offers ?? []) pressed.add(name);
  }

  /** A language that was chosen loads the page anew, perhaps while it is left, and more than once. */
  async function go(address: string): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const failed = await page.goto(address).then(
        () => null,
        (error: Error) => error,
      );
      if (failed === null) return;
      if (tries === 10) throw failed;
      // until the page has loaded as it wanted to
      await page.waitForTimeout(100 * tries);
    }
  }

  async function settle(address: string): Promise<void> {
    for (let tries = 0; tries < 5 && (await page.locator('dialog[open]').count()) > 0; tries += 1) {
      await page.keyboard.press('Escape');
    }
    // the page itself knows sooner than this process
    if ((await page.evaluate('location.href').catch(() => 'elsewhere')) !== address) {
      await go(address);
      await page.waitForSelector('main h1, main .empty, main .card, form');
    }
  }

  it.each(SCREENS.filter((path, index) => SWITCHES.test(path) || isInTurn(index, 3, 1)))(
    'of %s stops a motor',
    async (path) => {
      const address = `${farm.app.base}${path.replace('<point>', farm.farm.pointId)}`;
      stops.length = 0;
      await go(address);
      await page.waitForSelector('main h1, main .empty, main .card, main');
      await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
      for (let number = 0; number < 80; number += 1) {
        const done = await press(page, number).catch(() => ({ name: 'went elsewhere', hasStarted: false }));
        if (done === null) break;
        const { name, hasStarted } = done;
        pressed.add(name);
        if (hasStarted) await takeBack();
        expect([name, stops]).toEqual([name, []]);
        await settle(address);
      }
      for (const off of await page.locator('[data-control] > button:enabled').all()) {
        for (const key of ['Enter', 'Space', 'o', 'O']) {
          await off.press(key);
          await settle(address);
        }
      }
      expect(stops).toEqual([]);
    },
  );

  it('though what stops them was pressed, too', () => {
    expect([...pressed]).toEqual(
      expect.arrayContaining(['Desligar CP-01', 'Desligar todos', 'Ligar CP-03', 'Desfazer']),
    );
  });

  it('answers what somebody else was asked, once another person has signed in there', async () => {
    const next = await farm.app.signUp();
    await joinFarm(farm.app, { token: farm.owner.token, farmId: farm.farm.id }, next, 'MANAGER');
    const station = await farm.open('/aeracao');
    const off = station.getByRole('button', { name: 'Desligar CP-01' });
    await off.click();
    await station.locator('dialog[open]').waitFor();
    await station.route('**/api/v1/events', (route) => route.fulfill({ status: 401, json: {} }));
    farm.app.events.closeAll();
    await station.getByLabel('E-mail').fill(next.user.email);
    await station.unroute('**/api/v1/events');
    await station.getByLabel('Senha').fill('camarao-123');
    await station.keyboard.press('Enter');
    await off.waitFor();
    await station.waitForSelector('.shell[data-link="live"]');
    expect(await station.locator('dialog[open]').count()).toBe(0);
  });
});
