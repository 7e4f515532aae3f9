import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { browserPath, startBrowser } from '#test/browser.ts';

const path = browserPath();

// where no browser is installed this counts as skipped; the same way through HTTP is in sandbox.test.ts
describe.skipIf(path === null)('a person with a browser', () => {
  let app: App;
  let browser: Awaited<ReturnType<typeof startBrowser>>;
  // the application the person comes from, on an address of its own
  const home = createServer((request, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<title>${request.url}</title><h1>home</h1>`);
  });
  let homeUrl: string;
  beforeAll(async () => {
    app = await startApp('sqlite');
    await new Promise<void>((resolve) => home.listen(0, '127.0.0.1', resolve));
    homeUrl = `http://127.0.0.1:${(home.address() as AddressInfo).port}`;
    browser = await startBrowser(path ?? '');
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    home.closeAllConnections();
    home.close();
    await app.close();
  });

  test('buys a plan, with a card that is declined first, and is brought back to the application', async () => {
    const { token } = await app.signUp({ plan: null });
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token,
      body: { plan: 'BASIC', success_url: `${homeUrl}/paid`, cancel_url: `${homeUrl}/plans` },
    });
    await browser.open(String(body(reply)['url']));
    expect(await browser.look('document.title')).toBe('Assinar o plano BASIC');
    // the page's own style takes effect in spite of the strict policy
    expect(await browser.look("getComputedStyle(document.querySelector('button')).backgroundColor")).toBe(
      'rgb(11, 110, 120)',
    );
    await browser.type('input[name=number]', '4000 0000 0000 0002');
    await browser.click('button');
    await browser.until("document.querySelector('.fault') !== null");
    expect(await browser.look("document.querySelector('.fault').textContent")).toContain('recusado');
    await browser.type('input[name=number]', '4242 4242 4242 4242');
    await browser.click('button');
    await browser.until("document.title === '/paid'");
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({
      plan: 'BASIC',
      status: 'ACTIVE',
    });

    const portal = await app.call('POST', '/payment/create-billing-portal', {
      token,
      body: { return_url: `${homeUrl}/me` },
    });
    await browser.open(String(body(portal)['url']));
    await browser.click('button[value=cancel]');
    await browser.until("document.querySelector('button[value=resume]') !== null");
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({
      cancel_at_period_end: true,
    });
    await browser.click('a[href*=invoices]');
    await browser.until("document.title.startsWith('Fatura')");
    await browser.look('history.back()');
    await browser.until("document.title === 'Cobrança'");
    await browser.click(`a[href="${homeUrl}/me"]`);
    await browser.until("document.title === '/me'");
    // nothing was refused on the way
    expect(browser.faults.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  }, 60_000);

  test('gives up and is brought back, too', async () => {
    const { token } = await app.signUp({ plan: null });
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token,
      headers: { 'Accept-Language': 'en' },
      body: { plan: 'PROFESSIONAL', success_url: `${homeUrl}/paid`, cancel_url: `${homeUrl}/plans` },
    });
    await browser.open(String(body(reply)['url']));
    await browser.until("document.title === 'Subscribe to PROFESSIONAL'");
    await browser.click('a');
    await browser.until("document.title === '/plans'");
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({ plan: 'FREE' });
  }, 60_000);
});
