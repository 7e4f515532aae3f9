import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--autoplay-policy=no-user-gesture-required',
];

/** A real browser without a window: that of the machine where there is one, else the one that comes with the packages. */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const flags = [...FLAGS, ...more];
  const { chromium } = await import('playwright-core');
  const named = process.env['CHROMIUM'];
  const own = [...(named === undefined ? [] : [named]), ...PLACES].find((path) => existsSync(path));
  // several may start at once, beside much else
  const how = { headless: true, args: flags, timeout: 120_000 };
  if (own !== undefined) return chromium.launch({ ...how, executablePath: own });
  const { default: packed } = await import('@sparticuz/chromium');
  // not its own flags: they make one process of all pages, which the end of any page ends, and weaken the rules of origins
  return chromium.launch({ ...how, executablePath: await packed.executablePath() });
}
