import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBroker } from '#app/control/broker.ts';
import { type Fleet, startFleet } from '#sim/fleet/fleet.ts';
import { createManualClock } from '#sim/sim-clock.ts';
import { aControlPoint, body, type MadeControlPoint } from '#test/app.ts';
import { type Console, controllerReports, holdTime, startConsole, violationsOn } from '#test/console.ts';

// A motor may start a minute and a half after its order, because it must rest first. People who see a switch jump back
// press it again.

const COD = 'CP-09';
const STEP_MS = 5_000;

/** Notes every state in which the row is ever drawn, in order. */
const WATCH_ROW = `{
  window.drawn = [];
  const look = () => {
    const state = document.querySelector('[data-point="${COD}"]')?.dataset.state ?? 'gone';
    if (window.drawn.at(-1) !== state) window.drawn.push(state);
  };
  look();
  window.watch?.disconnect();
  window.watch = new MutationObserver(look);
  window.watch.observe(document.body, { subtree: true, childList: true, attributes: true });
}`;

describe('a motor that takes its time', () => {
  let farm: Console;
  let page: Page;
  let point: MadeControlPoint;
  let fleet: Fleet;
  const clock = createManualClock();
  const ends: (() => unknown)[] = [];
  beforeAll(async () => {
    farm = await startConsole();
    const { app, owner } = farm;
    const broker = await openBroker(app.config, app, createServer());
    const { port } = await broker.listenTcp(0, '127.0.0.1');
    app.control.attach(broker.link);
    ends.push(() => broker.stop());
    point = await aControlPoint(app, { token: owner.token, farmId: farm.farm.id, cod: COD });
    const { key } = body(await call('POST', 'device-key'));
    await rests(0);
    fleet = startFleet({
      controllers: [{ ...point, key: String(key), transport: 'mqtt' }],
      httpBase: app.base,
      mqttUrl: `mqtt://127.0.0.1:${port}`,
      seed: 1,
      clock,
    });
    ends.push(() => fleet.stop());
    page = await farm.open('/', { isTimed: true });
  });
  afterAll(async () => {
    for (const end of ends.reverse()) await end();
    await farm.close();
  });

  const call = (method: string, what: string, sent?: unknown) =>
    farm.app.call(method, `/control-points/${point.id}/${what}`, { token: farm.owner.token, body: sent });
  const rests = (min_off_s: number) => call('PUT', 'settings', { min_off_s, min_on_s: 0 });
  const stateOf = () => page.getAttribute(`[data-point="${COD}"]`, 'data-state');
  /** Here the page takes the gateway's time, and from then on keeps step with it. */
  async function openBoard(): Promise<void> {
    await page.clock.resume();
    await page.goto(`${farm.app.base}/aeracao`);
    await page.waitForSelector(`[data-point="${COD}"]`);
    await holdTime(page);
  }
  /** For the controller, the gateway and the page alike. */
  async function pass(): Promise<void> {
    const { heartbeats } = fleet.counters();
    const silent = await silentForS();
    farm.app.clock.advance(STEP_MS);
    clock.advance(STEP_MS);
    await page.clock.fastForward(STEP_MS);
    farm.app.events.beat();
    await page.waitForSelector('.shell[data-link="live"]');
    if (fleet.counters().heartbeats === heartbeats) return;
    // the gateway gathers what controllers say for a second
    await expect.poll(silentForS).toBeLessThan(silent + STEP_MS / 1_000);
  }
  async function silentForS(): Promise<number> {
    const text = await page.innerText(`[data-point="${COD}"]`);
    const [, count, unit] = /Último sinal\s+(\d+)\s(s|min)/.exec(text) ?? [];
    return count === undefined ? Number.POSITIVE_INFINITY : Number(count) * (unit === 's' ? 1 : 60);
  }

  it.each([
    [0, ['off', 'turning-on', 'on']],
    [15, ['off', 'turning-on', 'on']],
    [45, ['off', 'turning-on', 'on']],
    [90, ['off', 'turning-on', 'failed', 'on']],
  ])(
    'that follows after %i s is never drawn as it is not, and twenty taps in one place are one order',
    async (restS, drawn) => {
      await openBoard();
      await rests(0);
      await call('POST', 'turn-on');
      await expect.poll(() => pass().then(stateOf)).toBe('on');
      await rests(restS);
      await call('POST', 'turn-off');
      await expect.poll(stateOf).toBe('off');
      // a neighbour that could be started, too
      await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
      await page.waitForSelector('[data-point="CP-01"][data-state="off"]');

      const orders: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST') orders.push(new URL(request.url()).pathname);
      });
      await page.evaluate(WATCH_ROW);
      const topOf = async () => (await page.locator(`[data-point="${COD}"]`).boundingBox())?.y;
      const top = await topOf();
      const button = await page.locator(`[data-control="${point.id}"] button`).boundingBox();
      for (let taps = 0; taps < 20; taps += 1) {
        await page.mouse.click((button?.x ?? 0) + 10, (button?.y ?? 0) + 10);
      }
      // another motor's button must not come under the finger
      expect(await topOf()).toBe(top);
      for (let passed = 0; passed < restS * 1_000; passed += STEP_MS) await pass();
      await expect.poll(stateOf).toBe('on');
      await pass();
      expect(await page.evaluate('window.drawn')).toEqual(drawn);
      expect(orders).toEqual([`/api/v1/control-points/${point.id}/turn-on`]);
      await page.keyboard.press('Escape');
    },
  );

  it('that did not confirm says so in its row, is asked once more with one press, and its device is one press away', async () => {
    await openBoard();
    await rests(0);
    await call('POST', 'turn-on');
    await expect.poll(() => pass().then(stateOf)).toBe('on');
    await rests(90);
    await call('POST', 'turn-off');
    await expect.poll(stateOf).toBe('off');
    await call('POST', 'turn-on');
    for (let passed = 0; passed < 65_000; passed += STEP_MS) await pass();
    await expect.poll(stateOf).toBe('failed');
    const row = page.locator(`[data-point="${COD}"]`);
    const again = row.getByRole('button', { name: 'Tentar de novo' });
    await again.waitFor();
    expect(await row.getByRole('link', { name: 'Ver dispositivo' }).getAttribute('href')).toBe(
      `/sistema/dispositivos/${point.id}`,
    );
    await page.clock.resume();
    expect(await violationsOn(page)).toEqual([]);
    await holdTime(page);
    const asked = page.waitForRequest((request) => request.url().endsWith(`${point.id}/turn-on`));
    await again.click();
    await asked;
    for (let passed = 0; passed < 30_000; passed += STEP_MS) await pass();
    await expect.poll(stateOf).toBe('on');
    await again.waitFor({ state: 'detached' });
  });

  it('stays drawn as it was ordered while the page hears nothing for a moment', async () => {
    await rests(0);
    await call('POST', 'turn-off');
    await expect.poll(stateOf).toBe('off');
    await page.clock.resume();
    let tries = 0;
    await page.route('**/api/v1/events', (route) => {
      tries += 1;
      return route.abort();
    });
    farm.app.events.closeAll();
    await page.evaluate(WATCH_ROW);
    await page.getByRole('button', { name: `Ligar ${COD}` }).click();
    await page.getByRole('button', { name: `Desligar ${COD}` }).waitFor();
    await expect.poll(() => tries).toBeGreaterThan(0);
    await page.unroute('**/api/v1/events');
    await expect.poll(stateOf).toBe('on');
    expect(await page.evaluate('window.drawn')).toEqual(['off', 'turning-on', 'on']);
  });
});
