import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { aPartOf } from '#test/turn.ts';

// People who need the colours of their own system (high contrast) lose all of ours, and shadows and pictures with them.

/** What has no edge, shape or word left that stands out from what it lies on: [what is asked, who fails it]. */
const LOST = `(() => {
  const shown = (query) => [...document.querySelectorAll(query)].filter((element) => element.checkVisibility());
  const channels = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = (colour) => {
    const [r, g, b] = channels(colour).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const groundOf = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at);
      if (channels(backgroundColor)[3] !== 0) return backgroundColor;
    }
    return getComputedStyle(document.documentElement).backgroundColor;
  };
  const hasEdge = (element) => {
    const style = getComputedStyle(element);
    const around = groundOf(element.parentElement);
    return ['Top', 'Right', 'Bottom', 'Left'].every((side) => Number.parseFloat(style['border' + side + 'Width']) >= 1
      && style['border' + side + 'Style'] !== 'none' && contrast(style['border' + side + 'Color'], around) >= 3);
  };
  const name = (element) => element.tagName.toLowerCase() + '.' + element.className + ' "'
    + (element.innerText ?? '').slice(0, 30) + '"';
  const failing = (query, holds) => shown(query).filter((element) => !holds(element)).map(name);
  return {
    'an edge': failing('.button, button.lamp, .input, .lamp.bad, dialog, .alarm-row, .blind-banner', hasEdge),
    'a shape on its ground': failing('.mark, .band-tick, .badge',
      (element) => contrast(groundOf(element), groundOf(element.parentElement)) >= 3),
    'words that can be read': failing('.mark, .badge, .button:not(:disabled), .lamp, .control-mark, h1, h2, p',
      (element) => (element.innerText ?? '').trim() === ''
        || contrast(getComputedStyle(element).color, groundOf(element)) >= 4.5),
    'the sign of where we are': failing('.navigation [aria-current=page], .tabs [aria-current=page]', hasEdge),
  };
})()`;
const NOTHING_LOST = {
  'an edge': [],
  'a shape on its ground': [],
  'words that can be read': [],
  'the sign of where we are': [],
};

/** The focus as it is drawn. */
const FOCUS = `(() => {
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(document.activeElement);
  const { backgroundColor } = getComputedStyle(document.activeElement.closest('dialog, html'));
  return { style: outlineStyle, isWide: Number.parseFloat(outlineWidth) >= 2, isSeen: outlineColor !== backgroundColor };
})()`;

const SCREENS = ['/', '/alarmes', '/aeracao', '/viveiros/V-02', '/lancar/agua', '/sistema/preferencias'];

describe.each(['light', 'dark'] as const)('in the colours of a %s system', (theme) => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    await farm.app.call('POST', `/control-points/${farm.farm.pointId}/turn-on`, { token: farm.owner.token });
    await controllerReports(farm.app, farm.owner, 'CP-01', 'ON');
    const water = { temperature: 36, dissolved_oxygen: 2.4, ph: 6.1 };
    const body = { pond_id: farm.farm.pondIds[1], ...water };
    await farm.app.call('POST', '/water-quality/', { token: farm.owner.token, body });
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  async function aPage(path: string): Promise<Page> {
    const page = await farm.open(path, { theme, hasForcedColors: true });
    await page.waitForSelector('.alarm-strip.p1');
    await page.waitForSelector('main h1');
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    return page;
  }

  it.each(aPartOf(SCREENS, 2, theme === 'light' ? 0 : 1))(
    '%s keeps its edges, shapes and words',
    async (path) => {
      const page = await aPage(path);
      expect(await page.evaluate(LOST)).toEqual(NOTHING_LOST);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await expect.poll(() => page.evaluate(FOCUS)).toEqual({ style: 'solid', isWide: true, isSeen: true });
    },
  );

  it('a motor is stopped by a question whose two answers and focus are seen', async () => {
    const page = await aPage('/aeracao');
    await page.click(`[data-control="${farm.farm.pointId}"] button`);
    await page.waitForSelector('dialog[open]');
    expect(await page.evaluate(LOST)).toEqual(NOTHING_LOST);
    // to the code that must be typed, and back to the answer that changes nothing
    for (const key of ['Shift+Tab', 'Tab']) {
      await page.keyboard.press(key);
      await expect.poll(() => page.evaluate(FOCUS)).toEqual({ style: 'solid', isWide: true, isSeen: true });
    }
  });
});
