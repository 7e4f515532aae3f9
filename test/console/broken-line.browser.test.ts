import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, startConsole } from '#test/console.ts';

const PONDS = 12;
const MINUTE = 60_000;
const MOST_REQUESTS = 12;
const number = (n: number) => String(n).padStart(2, '0');
const COUNT_FIGURES = `[...document.querySelectorAll('[data-pond] .pond-oxygen .value')].map(({ textContent }) => textContent.trim().slice(0, 3))`;

describe('a wall of twelve ponds whose line to the gateway breaks', () => {
  let farm: Console;
  const pondIds: string[] = [];
  beforeAll(async () => {
    farm = await startConsole();
    pondIds.push(...farm.farm.pondIds);
    for (let n = pondIds.length + 1; n <= PONDS; n += 1) {
      const body = { farm_id: farm.farm.id, cod: `V-${number(n)}`, pond_type: 'FATTENING' };
      pondIds.push(await made('/ponds/', body));
    }
    for (const [n, pond_id] of pondIds.entries()) if (n > 0) await stock(pond_id, n);
    await measure(pondIds, 6.1);
    await measure(pondIds, 6.4);
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  async function made(path: string, body: unknown): Promise<string> {
    const reply = await farm.app.call('POST', path, { token: farm.owner.token, body });
    if (reply.status !== 201) throw new Error(`${path}: ${JSON.stringify(reply.body)}`);
    return (reply.body as { id: string }).id;
  }
  const stock = (pond_id: string, n: number) =>
    made('/batches/', {
      pond_id,
      batch_code: `L-${number(n + 1)}`,
      species: 'Litopenaeus vannamei',
      lineage: 'SPF',
      larva_origin: 'Aracati',
      start_date: '2026-02-01',
      initial_count: 60_000,
      initial_avg_weight: 0.01,
      initial_density: 20,
    });
  async function measure(ponds: readonly string[], dissolved_oxygen: number | null): Promise<void> {
    farm.app.clock.advance(MINUTE);
    for (const pond_id of ponds) await made('/water-quality/', { pond_id, dissolved_oxygen, ph: 7.9 });
  }
  async function aWall(): Promise<Page> {
    const page = await farm.open('/', { isTimed: true });
    await page.waitForSelector('.shell[data-link="live"]');
    await expect.poll(() => page.locator('[data-pond] .sparkline').count()).toBe(PONDS);
    return page;
  }
  /** What the page asks for until it stands again, its stream apart; `meanwhile` happens while it hears nothing. */
  async function askedForBreak(page: Page, meanwhile: () => Promise<void>): Promise<string[]> {
    await page.route('**/api/v1/events', (route) => route.abort());
    farm.app.events.closeAll();
    await meanwhile();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/v1/')) asked.push(new URL(request.url()).pathname.slice(7));
    });
    const refetched = page.waitForResponse(/summary-cards/);
    await page.unroute('**/api/v1/events');
    await page.clock.fastForward(3_000);
    await page.waitForSelector('.shell[data-link="live"]');
    await refetched;
    return asked;
  }
  const lineOf = (page: Page, n: number) =>
    page.locator(`[data-pond="V-${number(n)}"] .sparkline`).getAttribute('aria-label');

  it('asks a handful when it is back, though every pond was measured meanwhile, and shows what was', async () => {
    const page = await aWall();
    const asked = await askedForBreak(page, () => measure(pondIds, 5.3));
    await expect
      .poll(() => page.evaluate<string[]>(COUNT_FIGURES))
      .toEqual(Array.from({ length: PONDS }, () => '5,3'));
    // a line is drawn a frame after the figure beside it
    for (const n of [1, 2, PONDS]) await expect.poll(() => lineOf(page, n)).toMatch(/de 5,3 a 6,4/);
    expect(asked.filter((path) => path.startsWith('/water-quality/trend/'))).toEqual([]);
    expect(asked.length).toBeLessThanOrEqual(MOST_REQUESTS);
    expect(asked.length).toBeGreaterThan(1);
  });

  it('asks for the day of that pond alone whose newest measurement had no oxygen', async () => {
    const page = await aWall();
    const asked = await askedForBreak(page, async () => {
      await measure(pondIds.slice(3, 4), 5.1);
      await measure(pondIds.slice(3, 4), null);
    });
    await expect.poll(() => lineOf(page, 4)).toMatch(/de 5,1 a 6,4/);
    expect(asked.filter((path) => path.startsWith('/water-quality/trend/'))).toEqual([
      `/water-quality/trend/${pondIds[3]}/dissolved_oxygen`,
    ]);
  });

  it('asks after a long break for the day of those that were measured meanwhile, as they come into sight', async () => {
    const page = await farm.open('/', { isTimed: true, height: 420 });
    await page.waitForSelector('.shell[data-link="live"]');
    await expect.poll(() => page.locator('[data-pond] .sparkline').count()).toBe(PONDS);
    const moved = [pondIds[0] ?? '', pondIds[PONDS - 1] ?? ''];
    const asked = await askedForBreak(page, async () => {
      await measure(moved, 4.8);
      await measure(moved, 5.6);
      farm.app.clock.advance(6 * MINUTE);
      await page.clock.fastForward(6 * MINUTE);
    });
    const days = () => asked.filter((path) => path.startsWith('/water-quality/trend/'));
    await expect.poll(() => lineOf(page, 1)).toMatch(/de 4,8 a 6,4/);
    expect(days()).toEqual([`/water-quality/trend/${moved[0]}/dissolved_oxygen`]);
    await page.locator(`[data-pond="V-${PONDS}"]`).scrollIntoViewIfNeeded();
    await expect.poll(() => lineOf(page, PONDS)).toMatch(/de 4,8 a 6,4/);
    expect(days()).toEqual(moved.map((id) => `/water-quality/trend/${id}/dissolved_oxygen`));
  });

  it('shows what was corrected or deleted no more, neither in the line of the day nor as the figure of the pond', async () => {
    const page = await aWall();
    const figure = () => page.locator('[data-pond="V-02"] .pond-oxygen .value').innerText();
    const wrong = async (dissolved_oxygen: number) => {
      farm.app.clock.advance(MINUTE);
      return made('/water-quality/', { pond_id: pondIds[1], dissolved_oxygen, ph: 7.9 });
    };
    await expect.poll(figure).toMatch(/^\d,\d/);
    const before = (await figure()).slice(0, 3);
    const slip = await wrong(19.5);
    await expect.poll(() => lineOf(page, 2)).toMatch(/a 19,5/);
    const { token } = farm.owner;
    await farm.app.call('PUT', `/water-quality/${slip}`, { token, body: { dissolved_oxygen: null } });
    await expect.poll(() => lineOf(page, 2)).not.toMatch(/19,5/);
    const other = await wrong(18.5);
    await expect.poll(() => lineOf(page, 2)).toMatch(/a 18,5/);
    await expect.poll(figure).toContain('18,5');
    await farm.app.call('DELETE', `/water-quality/${other}`, { token });
    await expect.poll(() => lineOf(page, 2)).not.toMatch(/18,5/);
    await page.clock.fastForward(1_000);
    await expect.poll(figure).toContain(before);
  });
});
