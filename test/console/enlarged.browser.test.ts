import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { aPartOf } from '#test/turn.ts';

// Tired eyes: the page enlarged by the browser, twice and four times, in a window of 1280 × 1024; letters twice as large on a
// phone; and a phone on its side.

const LOOKS = [
  ['enlarged 2 times', { width: 1280, height: 1024, zoom: 2 }, []],
  ['enlarged 4 times', { width: 1280, height: 1024, zoom: 4 }, []],
  ['on a phone with letters of 200 %', { width: 360, height: 740 }, ['--blink-settings=defaultFontSize=32']],
  ['on a phone on its side', { width: 740, height: 360 }, []],
] as const;

/** Words of what can be pressed or filled in that are cut, or lie beside the page. */
const CUT = `(() => {
  const shown = [...document.querySelectorAll('button, a, label, legend, summary, select, input, h1, h2')]
    .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden, .skip, .uplot, .table-frame, .tabs'));
  return shown
    .filter((element) => {
      const style = getComputedStyle(element);
      const { left, right } = element.getBoundingClientRect();
      const isCut = style.overflowX !== 'visible' && !element.matches('input, select') && element.scrollWidth > element.clientWidth + 1;
      const isTooHigh = element.matches('button, a.button') && element.scrollHeight > element.clientHeight + 3;
      return isCut || isTooHigh || left < -1 || right > innerWidth + 1;
    })
    .map((element) => element.tagName.toLowerCase() + '.' + element.className + ' "' + (element.innerText ?? '').slice(0, 40) + '"');
})()`;
const TOO_WIDE = 'document.documentElement.scrollWidth - innerWidth';
/** What of the window stays for the page itself while one reads further down. */
const LEFT_FOR_READING = `(() => {
  scrollTo(0, document.documentElement.scrollHeight / 2);
  let free = 0;
  for (let y = 1; y < innerHeight; y += 4) {
    if (document.elementFromPoint(innerWidth / 2, y)?.closest('header.top, .navigation') == null) free += 4;
  }
  scrollTo(0, 0);
  return free / innerHeight;
})()`;

/** Places of the navigation that no scrolling brings into the window. */
const REACHED = `[...document.querySelectorAll('.navigation a')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    element.scrollIntoView({ block: 'nearest' });
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const seen = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return seen === null || !element.contains(seen);
  })
  .map((element) => element.innerText)`;

const SCREENS = [
  '/',
  '/viveiros/V-01',
  '/alarmes',
  '/aeracao',
  '/lancar',
  '/lancar/agua',
  '/sistema',
  '/sistema/preferencias',
];

describe.each(LOOKS)('%s', (name, look, flags) => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole({ flags });
    await controllerReports(farm.app, farm.owner, 'CP-01', 'OFF');
    const body = { pond_id: farm.farm.pondIds[1], dissolved_oxygen: 2.4, temperature: 36 };
    await farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body });
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  it.each(
    aPartOf(
      SCREENS,
      2,
      LOOKS.findIndex(([each]) => each === name),
    ),
  )('%s is read and used without moving sideways', async (path) => {
    const page = await farm.open(path, look);
    await page.waitForSelector('.alarm-strip.p1');
    await page.waitForSelector('main h1');
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    expect.soft(await page.evaluate(TOO_WIDE), 'wider than the window').toBeLessThanOrEqual(0);
    expect.soft(await page.evaluate(CUT), 'cut').toEqual([]);
    // a header that grew is let go a frame later
    await expect
      .poll(() => page.evaluate(LEFT_FOR_READING), { message: 'left for the page' })
      .toBeGreaterThanOrEqual(0.5);
    expect.soft(await page.evaluate(REACHED), 'out of reach').toEqual([]);
  });
});
