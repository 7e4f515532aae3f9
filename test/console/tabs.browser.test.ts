import type { Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

/** A fraction of the time between two beats of the gateway: a tab that a slow machine leaves waiting for some is not lost. */
const BEAT_MS = 1_500;

/** Notes whether the page was ever without contact, and how many wait for the end of a signal that may never come. */
const WATCH = `{
  window.waiting = 0;
  AbortSignal.prototype.addEventListener = function (...given) {
    if (given[2]?.signal === undefined) window.waiting += 1;
    return EventTarget.prototype.addEventListener.apply(this, given);
  };
  AbortSignal.prototype.removeEventListener = function (...given) {
    window.waiting -= 1;
    return EventTarget.prototype.removeEventListener.apply(this, given);
  };
  window.wasLost = false;
  new MutationObserver(() => {
    window.wasLost ||= document.querySelector('.shell[data-link="lost"]') !== null;
  }).observe(document, { subtree: true, childList: true, attributes: true });
}`;

describe('three tabs of one browser', () => {
  let farm: Console;
  let tabs: Page[];
  /** The lines that tabs hold. */
  const lines = new Map<Request, Page>();
  const began: Page[] = [];
  const linesOf = (tab: Page) => [...lines.values()].filter((holder) => holder === tab).length;
  function watchLines(tab: Page): void {
    tab.on('request', (request) => {
      if (!request.url().endsWith('/api/v1/events')) return;
      lines.set(request, tab);
      began.push(tab);
    });
    const end = (request: Request) => void lines.delete(request);
    tab.on('requestfailed', end);
    tab.on('requestfinished', end);
  }
  beforeAll(async () => {
    farm = await startConsole();
    const first = await farm.open('/', { isTimed: true, script: WATCH });
    tabs = [first, await first.context().newPage(), await first.context().newPage()];
    for (const tab of tabs) {
      watchLines(tab);
      await tab.goto(`${farm.app.base}/alarmes`);
      await tab.waitForSelector('.shell[data-link="live"]');
    }
  });
  afterAll(() => farm.close());

  /** The time of all tabs passes, with the beats of the gateway. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += BEAT_MS) {
      farm.app.events.beat();
      // what a beat does in one tab reaches the others before time goes on
      await Promise.all(tabs.map((tab) => tab.evaluate('new Promise((done) => setTimeout(done, 20))')));
      await tabs.at(-1)?.clock.fastForward(BEAT_MS);
    }
  }
  async function leading(): Promise<Page> {
    const holders = () => tabs.filter((tab) => linesOf(tab) > 0);
    // the gateway knows sooner than this process whose lines have ended
    await expect.poll(() => holders().length).toBe(1);
    const [found] = holders();
    if (found === undefined) throw new Error('no tab has a line');
    return found;
  }
  const streams = () => farm.app.events.openStreams();
  async function allShow(pond: number, dissolved_oxygen: number): Promise<void> {
    farm.app.clock.advance(61_000);
    const body = { pond_id: farm.farm.pondIds[pond], dissolved_oxygen };
    await farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body });
    for (const tab of tabs)
      await tab.waitForSelector(
        `.alarm-row:has-text("OD baixo ${String(dissolved_oxygen).replace('.', ',')}")`,
      );
  }
  async function nobodyWasLost(): Promise<void> {
    for (const tab of tabs) expect(await tab.evaluate('window.wasLost')).toBe(false);
  }

  it('share one line, and each shows what comes over it', async () => {
    expect(began).toEqual(tabs);
    await pass(15_000);
    await expect.poll(streams).toBe(1);
    await allShow(0, 2.8);
    await pass(30_000);
    expect(streams()).toBe(1);
    await allShow(1, 2.6);
    await nobodyWasLost();
  });

  it('hear of the farm again when one comes back from the pages that the browser keeps, and share one line', async () => {
    const holder = await leading();
    const back = tabs.find((tab) => tab !== holder);
    await back?.evaluate(
      `for (const name of ['pagehide', 'pageshow']) dispatchEvent(new PageTransitionEvent(name, { persisted: true }))`,
    );
    await allShow(2, 2.7);
    // what it shows is of before until it has been told anew
    await back?.waitForSelector('.shell[data-link="live"]');
    await back?.evaluate('window.wasLost = false');
    await pass(15_000);
    await expect.poll(streams).toBe(1);
    await nobodyWasLost();
  });

  it('go on when the one that has it is closed', async () => {
    const closed = await leading();
    tabs = tabs.filter((tab) => tab !== closed);
    await closed.goto('about:blank');
    await pass(15_000);
    await expect.poll(streams).toBe(1);
    await allShow(0, 2.4);
    await nobodyWasLost();
    // a third one is opened later
    await closed.goto(`${farm.app.base}/alarmes`);
    await closed.waitForSelector('.shell[data-link="live"]');
    tabs.push(closed);
    await pass(15_000);
    await expect.poll(streams).toBe(1);
  });

  it('share another line when the one that has it says nothing more, before anybody is blind', async () => {
    // a frozen tab keeps its line and passes nothing on
    const silent = await leading();
    await silent.evaluate('BroadcastChannel.prototype.postMessage = () => {}');
    await pass(20_000);
    const ofOthers = () => tabs.filter((tab) => tab !== silent).reduce((sum, tab) => sum + linesOf(tab), 0);
    await expect.poll(ofOthers).toBe(1);
    await allShow(1, 2.2);
    await nobodyWasLost();
  });

  it('are blind together when the gateway is gone, none believes another, and trying again leaves nothing behind', async () => {
    let tries = 0;
    for (const tab of tabs)
      await tab.route('**/api/v1/events', (route) => {
        tries += 1;
        return route.abort();
      });
    farm.app.events.closeAll();
    await tabs.at(-1)?.clock.fastForward(12_000);
    for (const tab of tabs) await tab.waitForSelector('.blind-banner');
    await expect
      .poll(async () => {
        await tabs.at(-1)?.clock.fastForward(3_000);
        return tries;
      })
      .toBeGreaterThan(20);
    // its next try, or the line of another
    for (const tab of tabs) expect(await tab.evaluate('window.waiting')).toBeLessThanOrEqual(1);
  });
});
