import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { SCREENS } from '#test/console-screens.ts';
import { isInTurn } from '#test/turn.ts';

// On a slow line each answer comes by itself. What it brings must not push away what a finger is going to.

const PHONE = { width: 360, height: 740 };
const TV = { width: 1920, height: 1080 };
/** Of the farm's line: every answer takes so long. */
const LATE_MS = 1_000;
/** By how much of a screen things may move while it fills, as browsers count it. */
const MOST = 0.05;
/** Which step is next is found by asking, and its name is longer than the numbers of the others. */
const MOST_OF_STEPS = 0.1;
const AT_ONCE = 4;
const STILL_MS = 1_500;

const grouped = (paths: readonly string[]): string[][] =>
  paths.length === 0 ? [] : [paths.slice(0, AT_ONCE), ...grouped(paths.slice(AT_ONCE))];
const OFTEN: readonly string[] = ['/', '/viveiros/V-01', '/alarmes', '/lancar/agua'];
const GROUPS = [
  OFTEN,
  ...grouped(SCREENS.filter((path) => !OFTEN.includes(path))).filter((_group, index) => isInTurn(index, 3)),
];

const WATCH = `{
  const nameOf = (node) => node?.nodeType === 1 ? node.tagName.toLowerCase() + '.' + node.className : String(node?.nodeName);
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) window.moved.push({ value, what: sources.map(({ node, previousRect: from, currentRect: to }) =>
        nameOf(node) + ' ' + Math.round(from.x) + ',' + Math.round(from.y) + '+' + Math.round(from.height) + ' to ' + Math.round(to.x) + ',' + Math.round(to.y) + '+' + Math.round(to.height)) });
  }).observe({ type: 'layout-shift', buffered: true });
}`;

describe('while a screen fills on a phone with a slow line', () => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
    const body = { pond_id: farm.farm.pondIds[1], dissolved_oxygen: 2.4, temperature: 30.1 };
    await farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body });
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  it.each(GROUPS.map((paths) => [paths.join(', '), paths] as const))(
    'nothing that stands there is pushed away: %s',
    async (_names, paths) => {
      const jumps = await Promise.all(paths.map(jumpsOf));
      expect(jumps.filter((found) => found !== null)).toEqual([]);
    },
  );

  /** What was pushed away; null: no more than may be. */
  async function jumpsOf(path: string): Promise<string | null> {
    const page = await farm.open('/readyz', { ...(path === '/painel' ? TV : PHONE), script: WATCH });
    const under = new Set<unknown>();
    let stillSince = performance.now();
    await page.route('**/api/v1/**', async (route) => {
      under.add(route);
      await new Promise((done) => setTimeout(done, LATE_MS));
      // a page that is closed meanwhile asks nothing more
      await route.continue().catch(() => undefined);
      under.delete(route);
      stillSince = performance.now();
    });
    await page.goto(farm.app.base + path.replace('<point>', farm.farm.pointId));
    await page.waitForSelector('h1, .empty, .card');
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    await expect
      .poll(() => under.size === 0 && performance.now() - stillSince > STILL_MS, { timeout: 60_000 })
      .toBe(true);
    const moved = await page.evaluate<Moved[]>('window.moved');
    await page.context().close();
    const sum = moved.reduce((whole, { value }) => whole + value, 0);
    const most = path === '/bem-vindo' ? MOST_OF_STEPS : MOST;
    return sum <= most ? null : `${path} ${sum.toFixed(3)}: ${moved.map(toText).join('; ')}`;
  }
});

type Moved = { value: number; what: string[] };
const toText = ({ value, what }: Moved): string => `${value.toFixed(3)} ${what.join(', ')}`;
