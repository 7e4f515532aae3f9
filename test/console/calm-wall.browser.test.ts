import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Console, controllerReports, startConsole } from '#test/console.ts';
import { readPng } from '../../scripts/screenshots/film.ts';

const WALL = { width: 1280, height: 720 };
/** Of all pixels, so many may be colourful while nothing is wrong. */
const CALM = 0.005;

type Box = { x: number; y: number; width: number; height: number };

/** Shares of colourful pixels in a picture of the page: of all of it, and within each box. */
async function colourIn(page: Page, boxes: readonly Box[]): Promise<{ whole: number; of: number[] }> {
  const picture = readPng(await page.screenshot({ type: 'png' }));
  const share = (box: Box) => {
    let colourful = 0;
    for (let y = Math.round(box.y); y < box.y + box.height - 0.5; y += 1) {
      for (let x = Math.round(box.x); x < box.x + box.width - 0.5; x += 1) {
        if (isColourful(picture.pixels[y * picture.width + x] ?? 0)) colourful += 1;
      }
    }
    return colourful / (box.width * box.height);
  };
  return { whole: share({ x: 0, y: 0, width: picture.width, height: picture.height }), of: boxes.map(share) };
}

/** Saturation of HSV, and bright enough that an eye sees it. */
function isColourful(colour: number): boolean {
  const channels = [colour >> 16, (colour >> 8) & 255, colour & 255];
  const most = Math.max(...channels);
  return most > 60 && (most - Math.min(...channels)) / most > 0.35;
}

describe.each(['light', 'dark'] as const)('the wall, %s', (theme) => {
  let farm: Console;
  beforeAll(async () => {
    farm = await startConsole();
    const { app, owner } = farm;
    await measure([6.2, 6.4, 5.9]);
    for (const cod of ['CP-01', 'CP-02', 'CP-03']) await controllerReports(app, owner, cod, 'OFF');
  });
  afterEach(() => farm.closePages());
  afterAll(() => farm.close());

  async function measure(oxygen: readonly number[]): Promise<void> {
    farm.app.clock.advance(60_000);
    for (const [pond, dissolved_oxygen] of oxygen.entries()) {
      await farm.app.call('POST', '/water-quality/', {
        token: farm.owner.token,
        body: { pond_id: farm.farm.pondIds[pond], dissolved_oxygen, temperature: 28.5, ph: 7.9 },
      });
    }
  }
  async function look() {
    const page = await farm.open('/', { ...WALL, theme });
    await page.waitForSelector('[data-pond="V-03"]');
    await page.waitForSelector('[aria-busy="true"]', { state: 'detached' });
    await page.waitForSelector('.shell[data-link="live"]');
    const boxes: Box[] = [];
    for (const tile of await page.locator('[data-pond]').all()) {
      const box = await tile.boundingBox();
      if (box !== null) boxes.push(box);
    }
    return colourIn(page, boxes);
  }

  it('is calm while all is well', async () => {
    const { whole, of } = await look();
    expect(whole).toBeLessThanOrEqual(CALM);
    expect(of.filter((share) => share > CALM)).toEqual([]);
  });

  it('lets exactly the pond stand out that is not well', async () => {
    await measure([6.2, 2.4, 6.1]);
    const { of } = await look();
    expect(of.map((share) => share > CALM)).toEqual([false, true, false]);
    await measure([6.2, 6.3, 6.1]);
  });
});
