import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { body, type SignedUp } from '#test/app.ts';
import { launchChromium } from '#test/chromium.ts';
import { aPage, holdTime, type Look } from '#test/console.ts';
import { heldUpFromNow } from '#test/held-up.ts';
import { type SyncedApps, syncedApps } from '#test/synced-apps.ts';

const BEAT_MS = 2_000;
const HOUR_MS = 3_600_000;
const MINUTE = 60_000;
/** Fewer than every five seconds that still keep the line live are fewer steps here. */
const STEP_MS = 7_500;
/** After so long without a request a page has all it asks for when it is opened. */
const QUIET_MS = 600;
/** UX-02 and UX-20 of the console's goals. */
const MOST = { toEyesMs: 10_000, requests: 12 } as const;

describe('a farm seen from afar', () => {
  let apps: SyncedApps;
  let browser: Browser;
  let beat: NodeJS.Timeout;
  let manager: SignedUp;
  let owner: SignedUp;
  const pondIds: string[] = [];
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    apps = await syncedApps('sqlite');
    beat = setInterval(() => apps.hosted.events.beat(), BEAT_MS);
    [browser, manager, owner] = await Promise.all([
      launchChromium(),
      apps.gateway.signUp(),
      apps.hosted.signUp(),
    ]);
    const farm_id = await made('/farms/', { name: 'Norte' });
    const control_point_id = await made('/control-points/', {
      farm_id,
      cod: 'CP-01',
      device_id: 'aer-1',
      target_status: 'OFF',
    });
    for (const cod of ['V-01', 'V-02']) {
      pondIds.push(await made('/ponds/', { farm_id, cod, pond_type: 'FATTENING', control_point_id }));
    }
    await measure(0, 6.2);
    await apps.pairWith(owner);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });
  afterAll(async () => {
    clearInterval(beat);
    await browser.close();
    await apps.close();
  });

  async function made(path: string, of: Record<string, unknown>): Promise<string> {
    const reply = await apps.gateway.call('POST', path, { token: manager.token, body: of });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return String(body(reply)['id']);
  }
  const measure = (pond: number, dissolved_oxygen: number) =>
    made('/water-quality/', { pond_id: pondIds[pond], dissolved_oxygen });

  async function aWall(look: Look = {}): Promise<Page> {
    const { page, context } = await aPage(browser, { as: owner, ...look });
    contexts.push(context);
    if (look.isTimed === true) await page.clock.install();
    let lastAt = performance.now();
    const open = new Set<unknown>();
    const isOver = (request: unknown) => {
      open.delete(request);
      lastAt = performance.now();
    };
    page.on('request', (request) => {
      if (!request.url().endsWith('/api/v1/events')) open.add(request);
      lastAt = performance.now();
    });
    page.on('requestfinished', isOver);
    page.on('requestfailed', isOver);
    await page.goto(`${apps.hosted.base}/`);
    await page.waitForSelector('.shell[data-link="live"][data-word="fresh"]');
    await page.waitForSelector('.farm-stamp[data-word="fresh"]');
    await page.waitForSelector('[data-pond="V-02"]');
    // what a page asks for when it is opened is not counted
    await expect
      .poll(async () => {
        // what it told until now has been heard then, however long this process stood still
        await page.evaluate('0');
        return open.size === 0 ? performance.now() - lastAt : 0;
      })
      .toBeGreaterThan(QUIET_MS);
    if (look.isTimed === true) await holdTime(page);
    return page;
  }
  function countRequests(page: Page): string[] {
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    return asked;
  }
  /** Time passes on both sides of the line, and what the hosted instance does again and again is done. */
  async function pass(page: Page, ms: number): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      apps.advance(STEP_MS);
      await apps.hosted.hostedWork?.links();
      const heard = new Promise((resolve) => devtools.once('Network.dataReceived', resolve));
      apps.hosted.tellGateways();
      apps.hosted.events.beat();
      await heard;
      await page.clock.fastForward(STEP_MS);
    }
    await devtools.detach();
  }

  it('shows low oxygen measured there on the alarm strip within ten seconds, without a reload', async () => {
    const page = await aWall();
    await page.evaluate('window.isSamePage = true');
    const [measuredAt, heldUp] = [performance.now(), heldUpFromNow()];
    await measure(1, 2.1);
    await page.waitForSelector('.alarm-strip.p1:has-text("V-02")');
    expect(performance.now() - measuredAt - heldUp()).toBeLessThanOrEqual(MOST.toEyesMs);
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    await page.waitForSelector('[data-pond="V-02"] .mark.p1');
  });

  it('leaves a wall alone on which nothing happens: an hour costs next to no requests', async () => {
    const page = await aWall({ isTimed: true });
    const asked = countRequests(page);
    await pass(page, HOUR_MS);
    expect(await page.getAttribute('.shell', 'data-link')).toBe('live');
    expect(await page.getAttribute('.shell', 'data-word')).toBe('fresh');
    expect(asked.length).toBeLessThanOrEqual(MOST.requests);
    expect(apps.hosted.events.openStreams()).toBe(1);
  });

  it('is told to be silent when its gateway stops, and to be there when it is back, and nobody asks', async () => {
    const page = await aWall({ isTimed: true });
    const asked = countRequests(page);
    await apps.linkDown();
    await pass(page, MINUTE);
    // a minute without a word is none that anybody is told of
    expect(await page.getAttribute('.farm-stamp', 'data-word')).toBe('fresh');
    await pass(page, 1.5 * MINUTE);
    await page.waitForSelector('.farm-stamp[data-word="late"]:has-text("a fazenda não fala")');
    await pass(page, 8 * MINUTE);
    await page.waitForSelector('.shell[data-link="live"][data-word="old"]');
    expect(asked).toEqual([]);

    await apps.linkUp();
    // what a timer does again and again
    await expect
      .poll(() => {
        apps.hosted.tellGateways();
        return page.getAttribute('.shell', 'data-word');
      })
      .toBe('fresh');
    expect(await page.innerText('.farm-stamp')).not.toContain('não fala');
    expect(asked.filter((path) => path.includes('control-points'))).toEqual([]);
  });
});
