import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--autoplay-policy=no-user-gesture-required',
];
/** Several may start at once, beside much else. */
const STARTS_WITHIN_MS = 120_000;

/** A real browser without a window: that of the machine where there is one, else the one that comes with the packages. */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath: await chromiumPath(),
    headless: true,
    // not those of the packed one: they make one process of all pages, which the end of any page ends, and weaken the
    // rules of origins
    args: [...FLAGS, ...more],
    timeout: STARTS_WITHIN_MS,
  });
}

/**
 * Where the browser lies. The packed one is unpacked when it is not yet: whoever asks meanwhile in another process would
 * get half a file, so a run of tests asks once before its workers do.
 */
export async function chromiumPath(): Promise<string> {
  const named = process.env['CHROMIUM'];
  const own = [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
  if (own !== undefined) return own;
  const { default: packed } = await import('@sparticuz/chromium');
  return packed.executablePath();
}
