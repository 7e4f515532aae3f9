import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { watch } from '../adapters/http/watch.ts';

const SEED = Number(process.env['CONSOLE_SEED'] ?? Math.floor(Math.random() * 1e9));
const CUTS = Number(process.env['CONSOLE_CUTS'] ?? 50);

/** The oxygen of a pond is measured so often and so; before one of the measurements the line is cut, and comes back later. */
type Story = {
  ponds: { pond: number; oxygen: number }[];
  cutBefore: number;
  backAfter: number;
  pauseMs: number;
};
const story: fc.Arbitrary<Story> = fc.record({
  ponds: fc.array(fc.record({ pond: fc.nat(2), oxygen: fc.constantFrom(2.1, 2.8, 3.6, 6.5) }), {
    minLength: 1,
    maxLength: 4,
  }),
  cutBefore: fc.nat(4),
  backAfter: fc.nat(4),
  pauseMs: fc.nat(30),
});

describe(`a line that is cut at any moment, CONSOLE_SEED=${SEED}`, () => {
  let farm: Console;
  let page: Page;
  beforeAll(async () => {
    farm = await startConsole();
    page = await farm.open('/alarmes', { isTimed: true });
    await page.waitForSelector('.shell[data-link="live"]');
  });
  afterAll(() => farm.close());

  const measure = ({ pond, oxygen }: { pond: number; oxygen: number }) => {
    // each measurement of a pond is a later one
    farm.app.clock.advance(61_000);
    return farm.app.call('POST', '/water-quality/', {
      token: farm.owner.token,
      body: { pond_id: farm.farm.pondIds[pond], dissolved_oxygen: oxygen },
    });
  };
  /** What stands, and what came and went before anybody answered it, as whoever comes now would hear of it. */
  const wantedRows = async (): Promise<string[]> => {
    const viewer = await watch(`${farm.app.base}/api/v1/events`, farm.owner.token);
    const { data } = await viewer.next('snapshot');
    viewer.close();
    const { alerts, returned } = data as { alerts: Seen[]; returned: Seen[] };
    const conditions = new Set(alerts.map(({ type, pond_id }) => `${type} ${pond_id}`));
    const isAgain = ({ type, pond_id }: Seen) => conditions.has(`${type} ${pond_id}`);
    return [
      ...alerts.map(({ episode_id }) => `${episode_id} unanswered`),
      ...returned.filter((row) => !isAgain(row)).map(({ episode_id }) => `${episode_id} returned`),
    ].toSorted();
  };
  type Seen = { episode_id: string; type: string; pond_id: string };
  const shown = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('.alarm-row')].map(({ dataset }) => dataset.alarm + ' ' + dataset.state).sort()`,
    );

  it(
    `shows after ${CUTS} cuts every alarm that stands or came and went, and none that did not`,
    async () => {
      const kinds = new Set<string>();
      for (const { ponds, cutBefore, backAfter, pauseMs } of fc.sample(story, {
        seed: SEED,
        numRuns: CUTS,
      })) {
        const isDown = (at: number) => at >= cutBefore && at < cutBefore + backAfter;
        let wasDown = false;
        for (const [at, measured] of ponds.entries()) {
          if (isDown(at) && !wasDown) {
            wasDown = true;
            await page.route('**/api/v1/events', (route) => route.abort());
            farm.app.events.closeAll();
          }
          await measure(measured);
          await new Promise((resolve) => setTimeout(resolve, pauseMs));
        }
        // one that nothing was missed of is cut at the end
        if (!wasDown) farm.app.events.closeAll();
        await page.unroute('**/api/v1/events');
        const wanted = await wantedRows();
        // the page waits a moment before it tries again
        await page.clock.fastForward(3_000);
        await expect.poll(shown).toEqual(wanted);
        for (const row of wanted) kinds.add(row.split(' ')[1] ?? '');
      }
      expect([...kinds].toSorted()).toEqual(['returned', 'unanswered']);
    },
    180_000 + CUTS * 2_000,
  );

  it('nobody is told that all is well before the first word of the farm, and who waits for it in vain is told so', async () => {
    await measure({ pond: 0, oxygen: 2.1 });
    const early = await farm.open('/', { isTimed: true });
    await early.waitForSelector('.shell[data-link="live"]');
    let answer = () => {};
    const isAsked = new Promise<void>((asked) => {
      void early.route('**/api/v1/events', async (route) => {
        asked();
        await new Promise<void>((go) => {
          answer = go;
        });
        await route.continue().catch(() => undefined);
      });
    });
    const code = early.waitForResponse(/alarm-list/);
    await early.goto(`${farm.app.base}/alarmes`);
    await Promise.all([isAsked, code]);
    await early.evaluate('new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn), 50))');
    expect(await early.innerText('main')).not.toContain('Nenhum alarme');
    await early.clock.fastForward(13_000);
    await early.waitForSelector('.blind-banner');
    expect(await early.innerText('main')).not.toContain('Nenhum alarme');
    await early.unroute('**/api/v1/events');
    answer();
    await early.clock.fastForward(14_000);
    await early.waitForSelector('[data-alarm]:has-text("V-01")');
  });

  it('a line that comes back and gives no snapshot makes nothing live, however much it says', async () => {
    const other = await farm.open('/aeracao', { isTimed: true });
    await other.waitForSelector('[data-control] button:enabled');
    await other.route('**/api/v1/events', (route) =>
      route.fulfill({ status: 200, contentType: 'text/event-stream', body: 'retry: 3000\n\n:\n\n' }),
    );
    farm.app.events.closeAll();
    for (let second = 0; second < 14; second += 1) await other.clock.runFor(1_000);
    await other.waitForSelector('.blind-banner');
    expect(await other.locator('[data-control] button:enabled').count()).toBe(0);
    await other.unroute('**/api/v1/events');
    await other.clock.runFor(4_000);
    await other.waitForSelector('.shell[data-link="live"]');
  });

  it('a computer that slept shows nothing as live before it has asked again, though its own clock stood still', async () => {
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    const other = await farm.open('/aeracao', { isTimed: true });
    await other.waitForSelector('[data-point="CP-01"][data-state="failed"]');
    let answer = () => {};
    const isAnswered = new Promise<void>((go) => {
      answer = go;
    });
    await other.route('**/api/v1/events', async (route) => {
      await isAnswered;
      await route.continue();
    });
    farm.app.clock.advance(3_600_000);
    await other.evaluate(`{ const RealDate = Date; const slept = 3_600_000;
      Date = class extends RealDate { constructor(...given) { super(...(given.length ? given : [RealDate.now() + slept])); }
        static now() { return RealDate.now() + slept; } }; }`);
    await other.clock.runFor(1_000);
    await other.waitForSelector('.blind-banner:has-text("há 1 h")');
    expect(await other.locator('[data-control] button:enabled').count()).toBe(0);
    answer();
    await other.clock.runFor(1_000);
    await other.waitForSelector('.shell[data-link="live"]');
    await other.waitForSelector('[data-point="CP-01"][data-state="no-signal"]:has-text("1 h")');
  });

  it('no figure of a controller that fell silent is left looking live on any screen, whatever the clock of the computer says', async () => {
    const { owner, app, farm: ids } = farm;
    const lockOut = `/control-points/${ids.pointId}/lock-out`;
    await app.call('POST', lockOut, { token: owner.token, body: { reason: 'Troca da hélice' } });
    const reports = async () => {
      for (const cod of ['CP-01', 'CP-02', 'CP-03']) {
        const body = { device_id: `aer-${cod}`, current_status: 'ON', consumption: 3.2, rssi: -61 };
        await app.call('POST', '/devices/heartbeat', { token: owner.token, body });
      }
    };
    await reports();
    const open = (path: string) => farm.open(path, { isTimed: true });
    const [wall, board, point, panel] = await Promise.all([
      open('/'),
      open('/aeracao'),
      open(`/aeracao/${ids.pointId}`),
      open('/painel'),
    ]);
    await wall.waitForSelector('[data-sum="power"]:has-text("9,6 kW")');
    // a motor that is locked out and runs is told to run
    await board.waitForSelector('[data-point="CP-01"]:has-text("mas relata: ligado")');
    await point.waitForSelector('main dl:has-text("-61 dBm")');
    await panel.waitForSelector('[data-pond="V-01"] [data-state="locked"]');
    // the computer is set a day back, then a minute and a half pass
    for (const page of [wall, board, point, panel]) {
      await page.evaluate(`{ const RealDate = Date; const late = 86_400_000;
        Date = class extends RealDate { constructor(...given) { super(...(given.length ? given : [RealDate.now() - late])); }
          static now() { return RealDate.now() - late; } }; }`);
    }
    app.clock.advance(91_000);
    await Promise.all([wall, board, point, panel].map((page) => page.clock.fastForward(91_000)));
    await wall.waitForSelector('[data-sum="power"]:has-text("3 sem sinal")');
    expect(await wall.innerText('[data-sum="power"]')).toMatch(/0,0\skW/);
    for (const page of [wall, panel]) {
      await expect
        .poll(() => page.innerText('[data-pond="V-01"]'))
        .toMatch(/Bloqueado · Sem sinal · último: ligado/);
      await expect.poll(() => page.innerText('[data-pond="V-03"]')).toMatch(/Sem sinal · último: ligado/);
      await expect.poll(() => page.innerText('main')).not.toMatch(/[1-9]\d*\skW/);
    }
    await board.waitForSelector('[data-point="CP-03"][data-state="no-signal"]');
    // desired and last contact are no reports; what is one is a dash and told to be old
    for (const page of [board, point]) {
      await expect.poll(() => figuresOf(page)).toEqual(['—']);
      expect(await page.locator('main :not([data-fresh="stale"]) > dd:text-matches("kW|dBm")').count()).toBe(
        0,
      );
    }
    await app.call('DELETE', lockOut, { token: owner.token });
  });

  /** What stands in the cells that hold reports, each text once. */
  const figuresOf = (on: Page) =>
    on.evaluate<string[]>(`[...new Set([...document.querySelectorAll('main dl > [data-fresh]')]
      .filter((cell) => ['Relatado', 'Consumo', 'Sinal do Wi-Fi'].includes(cell.querySelector('dt').innerText))
      .map((cell) => (cell.dataset.fresh === 'stale' ? '' : cell.dataset.fresh + ': ') + cell.querySelector('dd').innerText))]`);
});
