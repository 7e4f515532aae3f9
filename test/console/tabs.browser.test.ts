import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

/** Half of the time between two beats of the gateway, so that a slow machine leaves no tab waiting for one. */
const BEAT_MS = 2_500;

/** Notes whether the page was ever without contact. */
const WATCH = `{
  window.wasLost = false;
  new MutationObserver(() => {
    window.wasLost ||= document.querySelector('.shell[data-link="lost"]') !== null;
  }).observe(document, { subtree: true, childList: true, attributes: true });
}`;

describe('three tabs of one browser', () => {
  let farm: Console;
  let tabs: Page[];
  beforeAll(async () => {
    farm = await startConsole();
    const first = await farm.open('/alarmes', { isTimed: true, script: WATCH });
    tabs = [first];
    for (let n = 1; n < 3; n += 1) {
      const next = await first.context().newPage();
      await next.goto(first.url());
      tabs.push(next);
    }
    for (const tab of tabs) await tab.waitForSelector('.shell[data-link="live"]');
  });
  afterAll(() => farm.close());

  /** The time of all tabs passes, with the beats of the gateway. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += BEAT_MS) {
      farm.app.events.beat();
      // what a beat does in one tab reaches the others before time goes on
      for (const tab of tabs) await tab.evaluate('new Promise((done) => setTimeout(done, 20))');
      await tabs.at(-1)?.clock.fastForward(BEAT_MS);
    }
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
    expect(streams()).toBe(3);
    await pass(15_000);
    await expect.poll(streams).toBe(1);
    await allShow(0, 2.8);
    await pass(30_000);
    expect(streams()).toBe(1);
    await allShow(1, 2.6);
    await nobodyWasLost();
  });

  it('go on when the one that has it is closed', async () => {
    await tabs.shift()?.goto('about:blank');
    await pass(15_000);
    await expect.poll(streams).toBe(1);
    await allShow(0, 2.4);
    await nobodyWasLost();
  });

  it('take a line of their own when the one that has it says nothing more, before anybody is blind', async () => {
    // a frozen tab keeps its line and passes nothing on
    for (const tab of tabs) await tab.evaluate('BroadcastChannel.prototype.postMessage = () => {}');
    await pass(10_000);
    await expect.poll(streams).toBe(2);
    await allShow(1, 2.2);
    await nobodyWasLost();
  });

  it('are blind together when the gateway is gone, and none of them believes another', async () => {
    for (const tab of tabs) await tab.route('**/api/v1/events', (route) => route.abort());
    farm.app.events.closeAll();
    await tabs.at(-1)?.clock.fastForward(12_000);
    for (const tab of tabs) await tab.waitForSelector('.blind-banner');
  });
});
