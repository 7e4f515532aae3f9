import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { launchChromium } from '#test/chromium.ts';
import { buildGuide } from '../../scripts/build-guide.mjs';

it('the head of the guide is one row on a phone, and names the other two languages, in each', async () => {
  await buildGuide();
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 360, height: 640 } });
  for (const language of ['en', 'pt-br', 'es']) {
    await page.goto(pathToFileURL(path.resolve('desktop/guide/dist', language, 'schedules.html')).href);
    const head = await page.evaluate(() => {
      const links = [...document.querySelectorAll('header a')];
      return {
        rows: new Set(links.map((link) => Math.round(link.getBoundingClientRect().top))).size,
        languages: links.filter((link) => link.hasAttribute('hreflang')).length,
        width: document.documentElement.scrollWidth,
      };
    });
    expect([language, head]).toEqual([language, { rows: 1, languages: 2, width: 360 }]);
  }
  await browser.close();
});
