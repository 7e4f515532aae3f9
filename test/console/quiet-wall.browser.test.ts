import type { CDPSession, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, holdTime, startConsole } from '#test/console.ts';

const [PONDS, POINTS] = [60, 20];
const HOUR_MS = 3_600_000;
/** The gateway proves the line every five seconds; fewer beats that still keep the line live are fewer steps here. */
const BEAT_MS = 7_500;
/** Often enough that no controller counts as silent. */
const REPORT_MS = 60_000;
const MOST = { requests: 12, heapGrowth: 5 * 1024 * 1024, mutations: 20 } as const;

/** Counts what changes in the page, one by one. */
const COUNT_CHANGES = `{
  window.changes = 0;
  new MutationObserver((records) => { window.changes += records.length; }).observe(document.documentElement, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
}`;
const BATCH = {
  species: 'Litopenaeus vannamei',
  lineage: 'SPF',
  larva_origin: 'Aracati',
  start_date: '2026-02-01',
  initial_count: 60_000,
  initial_avg_weight: 0.01,
  initial_density: 20,
};
const number = (n: number) => String(n).padStart(2, '0');

describe('a wall of sixty ponds on which nothing happens', () => {
  let farm: Console;
  const cods: string[] = ['CP-01', 'CP-02', 'CP-03'];
  beforeAll(async () => {
    farm = await startConsole();
    const pointIds = [farm.farm.pointId];
    for (let n = cods.length + 1; n <= POINTS; n += 1) {
      const cod = `CP-${number(n)}`;
      const body = { farm_id: farm.farm.id, cod, device_id: `aer-${cod}`, target_status: 'OFF' };
      pointIds.push(await made('/control-points/', body));
      cods.push(cod);
    }
    const pondIds = [...farm.farm.pondIds];
    for (let n = pondIds.length + 1; n <= PONDS; n += 1) {
      const control_point_id = pointIds[n % pointIds.length];
      const body = { farm_id: farm.farm.id, cod: `V-${number(n)}`, pond_type: 'FATTENING', control_point_id };
      pondIds.push(await made('/ponds/', body));
    }
    for (const [n, pond_id] of pondIds.entries()) {
      if (n > 0) await made('/batches/', { ...BATCH, pond_id, batch_code: `L-${number(n + 1)}` });
    }
    for (const dissolved_oxygen of [6.1, 6.4]) {
      farm.app.clock.advance(600_000);
      for (const pond_id of pondIds) {
        await made('/water-quality/', { pond_id, dissolved_oxygen, temperature: 28.5, ph: 7.9 });
      }
    }
    await allReport();
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  async function made(path: string, body: unknown): Promise<string> {
    const reply = await farm.app.call('POST', path, { token: farm.owner.token, body });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return (reply.body as { id: string }).id;
  }
  async function allReport(): Promise<void> {
    await Promise.all(cods.map((cod) => controllerReports(farm.app, farm.owner, cod, 'OFF')));
  }
  async function aWall(): Promise<Page> {
    const page = await farm.open('/', { isTimed: true });
    await page.waitForSelector('.shell[data-link="live"]');
    await page.waitForSelector('[data-pond="V-60"] .sparkline');
    await page.waitForSelector('[data-pond="V-60"] [data-state="off"]');
    await holdTime(page);
    await page.evaluate(COUNT_CHANGES);
    return page;
  }

  it('asks nothing, listens on one line and does not grow for an hour', async () => {
    const page = await aWall();
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Performance.enable');
    await devtools.send('Network.enable');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(request.url()));
    const before = await heapOf(devtools);
    for (let passed = 0; passed < HOUR_MS; passed += BEAT_MS) {
      farm.app.clock.advance(BEAT_MS);
      if (passed % REPORT_MS === 0) await allReport();
      const heard = new Promise((resolve) => devtools.once('Network.dataReceived', resolve));
      farm.app.events.beat();
      await heard;
      await page.clock.fastForward(BEAT_MS);
    }
    expect(await page.getAttribute('.shell', 'data-link')).toBe('live');
    expect(asked.length).toBeLessThanOrEqual(MOST.requests);
    expect(farm.app.events.openStreams()).toBe(1);
    expect((await heapOf(devtools)) - before).toBeLessThanOrEqual(MOST.heapGrowth);
    // ages and clocks by the minute, and never every pond every second
    expect(await changesOf(page)).toBeLessThan((PONDS * HOUR_MS) / 10_000);
  });

  it('changes, when a controller speaks, what that tells and little else', async () => {
    const page = await aWall();
    const changes: number[] = [];
    for (const consumption of [3.2, 3.4]) {
      const before = await changesOf(page);
      const body = { device_id: 'aer-CP-01', current_status: 'OFF', consumption };
      await farm.app.call('POST', '/devices/heartbeat', { token: farm.owner.token, body });
      await page.waitForSelector(
        `[data-pond="V-01"]:has-text("${String(consumption).replace('.', ',')} kW")`,
      );
      changes.push((await changesOf(page)) - before);
    }
    // once a minute the ages of all ponds move on: never in both
    expect(Math.min(...changes)).toBeLessThanOrEqual(MOST.mutations);
  });
});

const changesOf = (page: Page) => page.evaluate<number>('window.changes');

async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { metrics } = await devtools.send('Performance.getMetrics');
  const found = metrics.find(({ name }) => name === 'JSHeapUsedSize');
  if (found === undefined) throw new Error('the browser does not tell how much it keeps');
  return found.value;
}
