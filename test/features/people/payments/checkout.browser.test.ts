import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, body, startApp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';

describe('a person with a browser', () => {
  let app: App;
  let browser: Browser;
  let page: Page;
  const refused: string[] = [];
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
    browser = await launchChromium();
    page = await browser.newPage({ locale: 'pt-BR' });
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text());
    });
  });
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
    await page.goto(String(body(reply)['url']));
    expect(await page.title()).toBe('Assinar o plano BASIC');
    // the page's own style takes effect in spite of the strict policy
    expect(await page.evaluate("getComputedStyle(document.querySelector('button')).backgroundColor")).toBe(
      'rgb(43, 51, 56)',
    );
    await page.fill('input[name=number]', '4000 0000 0000 0002');
    await page.click('button');
    expect(await page.locator('.fault').textContent()).toContain('recusado');
    await page.fill('input[name=number]', '4242 4242 4242 4242');
    await page.click('button');
    await page.waitForURL(`${homeUrl}/paid`);
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({
      plan: 'BASIC',
      status: 'ACTIVE',
    });

    const portal = await app.call('POST', '/payment/create-billing-portal', {
      token,
      body: { return_url: `${homeUrl}/me` },
    });
    await page.goto(String(body(portal)['url']));
    await page.click('button[value=cancel]');
    await page.waitForSelector('button[value=resume]');
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({
      cancel_at_period_end: true,
    });
    await page.click('a[href*=invoices]');
    await expect.poll(() => page.title()).toMatch(/^Fatura/);
    await page.goBack();
    await expect.poll(() => page.title()).toBe('Cobrança');
    await page.click(`a[href="${homeUrl}/me"]`);
    await page.waitForURL(`${homeUrl}/me`);
    // nothing was refused on the way
    expect(refused).toEqual([]);
  });

  test('gives up and is brought back, too', async () => {
    const { token } = await app.signUp({ plan: null });
    const reply = await app.call('POST', '/payment/create-checkout-session', {
      token,
      headers: { 'Accept-Language': 'en' },
      body: { plan: 'PROFESSIONAL', success_url: `${homeUrl}/paid`, cancel_url: `${homeUrl}/plans` },
    });
    await page.goto(String(body(reply)['url']));
    await expect.poll(() => page.title()).toBe('Subscribe to PROFESSIONAL');
    await page.click('a');
    await page.waitForURL(`${homeUrl}/plans`);
    expect(body(await app.call('GET', '/subscriptions/me', { token }))).toMatchObject({ plan: 'FREE' });
  });
});
