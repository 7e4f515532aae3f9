import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, holdTime, startConsole } from '#test/console.ts';

const PONDS = 24;
const MINUTE = 60_000;
const number = (n: number) => String(n).padStart(2, '0');

/** Every tile tells times of the farm; how often times are written is how often tiles are drawn. */
const COUNT_TIMES = `{
  window.timesWritten = 0;
  const known = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, 'format');
  Object.defineProperty(Intl.DateTimeFormat.prototype, 'format', { ...known, get() {
    window.timesWritten += 1;
    return known.get.call(this);
  } });
}`;

describe('a panel of many ponds on which nothing happens', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    const pondIds = [...farm.farm.pondIds];
    for (let n = pondIds.length + 1; n <= PONDS; n += 1) {
      const body = {
        farm_id: farm.farm.id,
        cod: `V-${number(n)}`,
        pond_type: 'FATTENING',
        control_point_id: farm.farm.pointId,
      };
      pondIds.push(await made('/ponds/', body));
    }
    for (const [n, pond_id] of pondIds.entries()) {
      if (n > 0) await made('/batches/', { ...BATCH, pond_id, batch_code: `L-${number(n + 1)}` });
      await made('/water-quality/', { pond_id, dissolved_oxygen: 6.1 });
    }
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  async function made(path: string, body: unknown): Promise<string> {
    const reply = await farm.app.call('POST', path, { token: farm.owner.token, body });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return (reply.body as { id: string }).id;
  }
  async function aPanel(): Promise<Page> {
    const page = await farm.open('/painel', {
      width: 1920,
      height: 1080,
      isTimed: true,
      script: COUNT_TIMES,
    });
    await page.waitForSelector('.panel[data-link="live"]');
    await page.waitForSelector(`[data-pond="V-${PONDS}"] [data-state="off"]`);
    return page;
  }

  it('draws its clock every second, and its ponds only when they tell something else', async () => {
    const page = await aPanel();
    await holdTime(page);
    const before = await timesOf(page);
    // second by second: each of them is drawn
    for (let second = 0; second < MINUTE / 1_000; second += 1) {
      farm.app.clock.advance(1_000);
      if (second % 5 === 0) await heardABeat(page);
      await page.clock.runFor(1_000);
    }
    expect(await page.getAttribute('.panel', 'data-link')).toBe('live');
    const written = (await timesOf(page)) - before;
    // drawn every second, the ponds alone would write 1,440 times
    expect(written).toBeLessThanOrEqual(60 * 4 + (PONDS * MINUTE) / 10_000);
  });

  it('shows the new figure of a pond, its alarm and its aeration as they change', async () => {
    const page = await aPanel();
    farm.app.clock.advance(MINUTE);
    await made('/water-quality/', { pond_id: farm.farm.pondIds[1], dissolved_oxygen: 2.2 });
    await page.clock.runFor(2_000);
    await page.waitForSelector('[data-pond="V-02"].p1 .panel-value:has-text("2,2")');
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    await page.clock.runFor(2_000);
    await page.waitForSelector(`[data-pond="V-${PONDS}"] [data-state]:not([data-state="off"])`);
  });

  async function heardABeat(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.enable');
    const heard = new Promise((resolve) => devtools.once('Network.dataReceived', resolve));
    farm.app.events.beat();
    await heard;
    await devtools.detach();
  }
});

const BATCH = {
  species: 'Litopenaeus vannamei',
  lineage: 'SPF',
  larva_origin: 'Aracati',
  start_date: '2026-02-01',
  initial_count: 60_000,
  initial_avg_weight: 0.01,
  initial_density: 20,
};

const timesOf = (page: Page) => page.evaluate<number>('window.timesWritten');
