import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignedUp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, holdTime } from '#test/console.ts';
import { farmClock, startGatewayProcess } from '#test/gateway-process.ts';

type Gateway = Awaited<ReturnType<typeof startGatewayProcess>>;

/** UX-04 of the console's goals, in the page's own time. */
const MOST = { untilSaidMs: 12_000, untilBackMs: 3_000 } as const;
/** Whatever leads to an order or answers an alarm, wherever it stands. */
const CONTROLS = [
  '[data-control] button',
  'dialog .button:is(.main, .danger)',
  '.toast button',
  '.alarm-strip button',
  '.alarm-row button:not(dialog *, [aria-expanded])',
  '.page-head .button:is(.danger, .main)',
].map((part) => `${part}:enabled`);

describe('a gateway whose power is cut', () => {
  let gateway: Gateway;
  let browser: Browser;
  let owner: SignedUp;
  let pointId: string;
  let pondId: string;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    [gateway, browser] = await Promise.all([
      startGatewayProcess(farmClock(Date.UTC(2026, 2, 2, 12), 1)),
      launchChromium(),
    ]);
    const account = { email: 'ana@farm.test', password: 'camarao-123' };
    const user = await call('POST', '/auth/register', { ...account, name: 'Ana', role: 'OWNER' });
    const login = (await call('POST', '/auth/login', account)) as { access_token: string };
    owner = { token: login.access_token, user: user as SignedUp['user'] };
    const farm_id = await made('/farms/', { name: 'Norte' });
    pointId = await made('/control-points/', {
      farm_id,
      cod: 'CP-01',
      device_id: 'aer-1',
      target_status: 'ON',
    });
    pondId = await made('/ponds/', { farm_id, cod: 'V-01', control_point_id: pointId });
    await measure(2.6);
    await heard();
  });
  afterAll(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await browser.close();
    await gateway.close();
  });

  async function call(method: string, path: string, body?: unknown): Promise<unknown> {
    const token = owner === undefined ? {} : { token: owner.token };
    const reply = await gateway.call(method, path, { ...token, body });
    if (reply.status >= 300) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  }
  const made = async (path: string, body: unknown) => ((await call('POST', path, body)) as { id: string }).id;
  const measure = (dissolved_oxygen: number) =>
    made('/water-quality/', { pond_id: pondId, dissolved_oxygen });
  const heard = () =>
    call('POST', '/devices/heartbeat', { device_id: 'aer-1', current_status: 'ON', consumption: 3.2 });

  async function open(path: string): Promise<Page> {
    const { page, context } = await aPage(browser, { as: owner });
    contexts.push(context);
    await page.clock.install();
    await page.goto(`${gateway.http()}${path}`);
    await page.waitForSelector('.shell[data-link="live"] main h1');
    return page;
  }
  async function asked(page: Page, button: string): Promise<Page> {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').waitFor();
    return page;
  }

  it('is seen to be gone within twelve seconds, on every screen and in every open question, and seen whole when it is back', async () => {
    const pages = await Promise.all([
      open('/aeracao').then((page) => asked(page, 'Desligar CP-01')),
      open('/aeracao').then((page) => asked(page, 'Ligar todos')),
      open(`/aeracao/${pointId}`).then((page) => asked(page, 'Bloquear')),
      open('/alarmes').then((page) => asked(page, 'Adiar')),
      open('/viveiros/V-01'),
    ]);
    const [board, , point, alarms] = pages;
    // all that is asked is answered but for the last press
    await point?.getByLabel('Quem está mexendo e por quê').fill('Troca da hélice');
    await alarms?.getByLabel('Motivo').fill('Sonda quebrada');
    for (const page of [board, point]) {
      const code = page?.getByLabel('Digite CP-01 para confirmar');
      await code?.fill('CP-01');
    }
    for (const page of pages) expect(await page.locator(CONTROLS.join()).count()).toBeGreaterThan(0);

    await Promise.all(pages.map(holdTime));
    // a beat that is still on its way when time goes on would be news
    const cut = pages.map((page) =>
      page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/v1/events')),
    );
    await gateway.kill();
    await Promise.all(cut);
    await Promise.all(pages.map((page) => page.clock.runFor(MOST.untilSaidMs)));
    for (const page of pages) {
      await page.waitForSelector('.blind-banner:has-text("SEM CONTATO")');
      await expect.poll(() => page.locator(CONTROLS.join()).allInnerTexts()).toEqual([]);
    }

    await gateway.start();
    await measure(2.1);
    await Promise.all(pages.map((page) => page.clock.runFor(MOST.untilBackMs)));
    for (const page of pages) {
      await page.waitForSelector('.shell[data-link="live"]');
      await page.waitForSelector('.alarm-strip:has-text("OD baixo 2,1")');
      await expect.poll(() => page.locator(CONTROLS.join()).count()).toBeGreaterThan(0);
    }
  });
});
