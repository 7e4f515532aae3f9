import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { SCREENS } from '#test/console-screens.ts';
import { aPartOf } from '#test/turn.ts';

// Gloves, thumbs and small screens: what must be hit is large, what must be read is not cut.

/**
 * Everything that can be pressed and is too small for a thumb: 44 px, 56 px for what switches a motor or answers an
 * alarm. A link inside a sentence is as high as its line; a box is pressed by its label, too.
 */
const TOO_SMALL = `(() => {
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !element.closest('.visually-hidden, [inert], .skip, .uplot');
  const isInSentence = (element) => element.matches('a:not(.button)')
    && getComputedStyle(element).display === 'inline'
    && [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
  const boxOf = (element) => {
    const label = element.matches('input[type=checkbox], input[type=radio]')
      ? element.closest('label, .check') : null;
    return (label ?? element).getBoundingClientRect();
  };
  return [...document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=button]')]
    .filter((element) => isShown(element) && !isInSentence(element))
    .flatMap((element) => {
      const { width, height } = boxOf(element);
      const isUrgent = element.closest('[data-control], [data-alarm]') !== null && element.matches('button');
      const least = isUrgent ? 56 : 44;
      // half a pixel of rounding
      if (height >= least - 0.5 && width >= 43.5) return [];
      const name = (element.getAttribute('aria-label') ?? element.innerText ?? element.id).trim().slice(0, 30);
      return [element.tagName.toLowerCase() + '.' + element.className + ' "' + name + '" '
        + Math.round(width) + '×' + Math.round(height)];
    });
})()`;

/** Of what can be pressed, that whose words are cut. */
const CUT = `(pressed) => pressed
  .filter((element) => {
    const style = getComputedStyle(element);
    const hides = style.overflowX !== 'visible' || style.textOverflow === 'ellipsis';
    return (hides && element.scrollWidth > element.clientWidth + 1)
      || (element.matches('button, a') && element.scrollHeight > element.clientHeight + 3);
  })
  .map((element) => element.innerText.slice(0, 40))`;
const PRESSED = `[...document.querySelectorAll('button, a.button, .navigation a, .tabs a, label, th, legend')]
  .filter((element) => element.checkVisibility() && !element.closest('.visually-hidden'))`;

/** Makes the words of what can be pressed longer, as another language would, and tells whose words are cut then. */
const CUT_WHEN_LONGER = `(() => {
  const pressed = ${PRESSED};
  for (const element of pressed) {
    const walk = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      const node = walk.currentNode;
      const text = node.data.trim();
      // words only: codes and figures are the same in every language
      if (/^\\p{L}{3,}/u.test(text)) node.data += ' ' + 'ção'.repeat(Math.ceil((text.length * 0.4) / 4)).slice(0, Math.ceil(text.length * 0.4));
    }
  }
  return (${CUT})(pressed);
})()`;

/** What stands on every screen, above and below the page, without the alarm; and whether that is seen at once. */
const STRIPS = `(() => {
  const highOf = (all) => [...all].reduce((sum, element) => {
    const { height, width } = element.getBoundingClientRect();
    return sum + (width > 1 && getComputedStyle(element).position !== 'absolute' ? height : 0);
  }, 0);
  const strips = highOf(document.querySelectorAll('header.top > :not(.alarm-strip), .navigation'));
  const alarm = document.querySelector('.alarm-strip')?.getBoundingClientRect();
  return { strips, isAlarmSeen: alarm !== undefined && alarm.top >= 0 && alarm.bottom < innerHeight / 3 };
})()`;
/** Of a phone of 740 points: an eighth. */
const MOST_STRIPS = 96;

const NO_WIDER = 'document.documentElement.scrollWidth - innerWidth';

describe('with wet hands on a small screen', () => {
  let console_: Console;
  let page: Page;
  beforeAll(async () => {
    console_ = await startConsole();
    const { app, owner, farm } = console_;
    await controllerReports(app, owner, 'CP-01', 'OFF');
    await app.call('POST', '/water-quality/', {
      token: owner.token,
      body: { pond_id: farm.pondIds[1], dissolved_oxygen: 2.4, temperature: 30.1 },
    });
    page = await console_.open('/', { width: 360, height: 740 });
  });
  afterEach(() => page.setViewportSize({ width: 360, height: 740 }));
  afterAll(() => console_.close());

  // the panel is looked at from across the room, never touched
  it.each(
    aPartOf(
      SCREENS.filter((path) => path !== '/painel'),
      2,
    ),
  )('%s has large targets, fits 320 px, and takes longer words', async (path) => {
    await page.goto(`${console_.app.base}${path.replace('<point>', console_.farm.pointId)}`);
    await page.waitForSelector('main h1, main .empty, main .card');
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    expect.soft(await page.evaluate(TOO_SMALL), 'too small').toEqual([]);
    // who is not signed in, or makes the first farm, has none
    if ((await page.locator('.shell').count()) > 0) {
      await page.waitForSelector('.alarm-strip.p1');
      const { strips, isAlarmSeen } = await page.evaluate<{ strips: number; isAlarmSeen: boolean }>(STRIPS);
      expect.soft(strips, 'strips').toBeLessThanOrEqual(MOST_STRIPS);
      expect.soft(isAlarmSeen, 'the alarm is seen').toBe(true);
    }
    await page.setViewportSize({ width: 320, height: 640 });
    // a drawing takes the new width a frame later
    await expect.poll(() => page.evaluate(NO_WIDER), { message: 'wider than 320 px' }).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 360, height: 740 });
    expect.soft(await page.evaluate(CUT_WHEN_LONGER), 'cut').toEqual([]);
    expect.soft(await page.evaluate(NO_WIDER), 'wider with longer words').toBeLessThanOrEqual(0);
  });

  it.each([
    ['en', 1],
    ['es', 2],
  ] as const)(
    'every screen fits 320 px in the other languages, and none of their words is cut (%s)',
    async (language, ahead) => {
      const other = await console_.open('/', { width: 320, height: 640, language });
      for (const path of aPartOf(SCREENS, 3, ahead)) {
        await other.goto(`${console_.app.base}${path.replace('<point>', console_.farm.pointId)}`);
        await other.waitForSelector('h1, .empty, .card');
        await other.waitForSelector('[aria-busy="true"]', { state: 'detached' });
        expect(await other.getAttribute('html', 'lang')).toBe(language);
        await expect.poll(() => other.evaluate(NO_WIDER), { message: path }).toBeLessThanOrEqual(0);
        expect.soft(await other.evaluate(`(${CUT})(${PRESSED})`), path).toEqual([]);
        const { strips } = await other.evaluate<{ strips: number }>(STRIPS);
        expect.soft(strips, path).toBeLessThanOrEqual(MOST_STRIPS);
      }
    },
  );
});
