import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole, violationsOn } from '#test/console.ts';
import { aPartOf } from '#test/turn.ts';

/** What one comes to a screen for. */
const TASKS = [
  ['/', '[data-pond="V-01"]'],
  ['/alarmes', '.alarm-row button'],
  ['/aeracao', '[data-point="CP-01"] [data-control] button'],
  ['/aeracao/agenda', 'main button'],
  ['/aeracao/<point>', '[data-control] button'],
  ['/viveiros/V-01', '[data-control] button'],
  ['/viveiros/V-01/agua', 'main a, main button'],
  ['/viveiros/V-01/aeracao', '[data-control] button'],
  ['/lancar', 'main a[href="/lancar/agua"]'],
  ['/lancar/agua', '[data-cell="2-3"]'],
  ['/lancar/racao', 'main input[inputmode="decimal"]'],
  ['/lancar/biometria', 'main input[inputmode="decimal"]'],
  ['/lancar/despesa', 'main input[inputmode="decimal"]'],
  ['/lancar/mortalidade', 'main select'],
  ['/lotes', 'main a[href="/lotes/L-01"]'],
  ['/lotes/novo', 'main form input'],
  ['/lotes/L-01', 'main a[href$="/despesca"]'],
  ['/lotes/L-01/despesca', 'main input[inputmode]'],
  ['/transferencias', 'main select'],
  ['/tarefas', 'main a, main button'],
  ['/relatorios', 'main a, main button'],
  ['/importar', 'main input[type=file]'],
  ['/sistema', 'main a[href="/sistema/dispositivos"]'],
  ['/sistema/dispositivos', 'main a, main button'],
  ['/sistema/usuarios', 'main input, main button'],
  ['/sistema/preferencias', 'main select, main input'],
] as const;

const MOST_TABS = 150;

type Stop = { number: number; name: string; isTask: boolean; isCovered: boolean; isPlain: boolean };

/** Where the focus is; null when it left the page. Every element that has had it gets its number. */
const stopAt = (page: Page, task: string) =>
  page.evaluate<Stop | null>(`(() => {
    const at = document.activeElement;
    if (at === null || at === document.body) return null;
    window.stops ??= new Map();
    if (!window.stops.has(at)) window.stops.set(at, window.stops.size);
    const { left, top, width, height } = at.getBoundingClientRect();
    const points = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]];
    const isSeen = points.some(([x, y]) => {
      const found = document.elementFromPoint(left + width * x, top + height * y);
      return found !== null && (at.contains(found) || found.contains(at) || found.closest('label')?.contains(at));
    });
    const { outlineStyle, outlineWidth } = getComputedStyle(at);
    return {
      number: window.stops.get(at),
      name: at.tagName + ' ' + (at.getAttribute('aria-label') ?? at.innerText ?? '').slice(0, 40),
      isTask: at.matches(${JSON.stringify(task)}),
      isCovered: !isSeen,
      isPlain: outlineStyle === 'none' || parseFloat(outlineWidth) < 2,
    };
  })()`);

describe('with keys alone', () => {
  let farm: Console;
  let page: Page;
  beforeAll(async () => {
    farm = await startConsole();
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
    await farm.app.call('POST', '/water-quality/', {
      token: farm.owner.token,
      body: { pond_id: farm.farm.pondIds[1], dissolved_oxygen: 2.4 },
    });
    page = await farm.open('/');
  });
  afterAll(() => farm.close());

  it.each(aPartOf(TASKS, 2))(
    '%s is worked with, the focus is always seen, and never held fast',
    async (path, task) => {
      await page.goto(`${farm.app.base}${path.replace('<point>', farm.farm.pointId)}`);
      await page.waitForSelector('main h1');
      await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
      await page.evaluate('document.activeElement.blur()');
      const stops: Stop[] = [];
      for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
        await page.keyboard.press('Tab');
        const stop = await stopAt(page, task);
        // round the page once
        if (stop === null || (stop.number === 0 && stops.length > 0)) break;
        stops.push(stop);
      }
      expect(stops.length).toBeLessThan(MOST_TABS);
      expect.soft(stops.filter(({ isTask }) => isTask).length, 'the task is reached').toBeGreaterThan(0);
      expect
        .soft(
          stops.filter(({ isCovered }) => isCovered).map(({ name }) => name),
          'covered',
        )
        .toEqual([]);
      expect
        .soft(
          stops.filter(({ isPlain }) => isPlain).map(({ name }) => name),
          'not marked',
        )
        .toEqual([]);
    },
  );

  it('ponds are arranged as they lie at the farm, and stand so on every screen', async () => {
    await page.goto(farm.app.base);
    // held back while the ponds' places are asked for
    await page.getByRole('button', { name: 'Arrumar', disabled: false }).press('Enter');
    const pond = (name: string) => page.getByRole('button', { name });
    await pond('V-01, coluna 1, linha 1').press('ArrowDown');
    // it keeps the focus
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe('V-01, coluna 1, linha 2');
    await page.keyboard.press('ArrowRight');
    await pond('V-01, coluna 2, linha 2').waitFor();
    // the other way: one press on the pond, one on its place, on which another stands
    await pond('V-02, coluna 2, linha 1').click();
    await pond('V-03, coluna 3, linha 1').click();
    expect(await violationsOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Guardar' }).press('Enter');
    const other = await farm.open('/', { width: 1366, height: 768 });
    for (const seen of [page, other]) {
      await seen.waitForSelector('.wall[data-placed="true"] [data-pond="V-01"]');
      await expect.poll(() => readOn(seen, '.wall')).toEqual(['V-03', 'V-02', 'V-01']);
    }
    const panel = await farm.open('/painel', { width: 1920, height: 1080 });
    await panel.waitForSelector('[data-pond="V-01"]');
    await expect.poll(() => readOn(panel, '.panel')).toEqual(['V-03', 'V-02', 'V-01']);
  });
});

/** Ponds as they are read: row by row, from the left. */
const readOn = (page: Page, within: string) =>
  page.locator(`${within} [data-pond]`).evaluateAll((tiles) =>
    tiles
      .map((tile) => ({ cod: tile.getAttribute('data-pond'), at: tile.getBoundingClientRect() }))
      .toSorted((a, b) => a.at.top - b.at.top || a.at.left - b.at.left)
      .map(({ cod }) => cod),
  );
