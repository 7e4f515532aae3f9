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
    const links = await page.locator('header a').all();
    const rows = new Set(
      await Promise.all(links.map(async (link) => Math.round((await link.boundingBox())?.y ?? -1))),
    );
    const languages = await page.locator('header a[hreflang]').count();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect([language, rows.size, languages, width]).toEqual([language, 1, 2, 360]);
  }
  await browser.close();
});
