import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';

/** Those of machines, where the packed one cannot run. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--autoplay-policy=no-user-gesture-required',
];
/** Several may start at once, beside much else. */
const STARTS_WITHIN_MS = 120_000;

/** A real browser without a window. */
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

let found: Promise<string> | undefined;

/**
 * Where the browser lies: the one that `CHROMIUM` names, else the one that comes with the packages, whose kind has no window
 * at all, so that a page costs it a third of what it costs a whole browser; else that of the machine. The packed one is
 * unpacked when it is not yet: whoever asks meanwhile in another process would get half a file, so a run of tests asks once
 * before its workers do.
 */
export function chromiumPath(): Promise<string> {
  found ??= find();
  return found;
}

async function find(): Promise<string> {
  const named = process.env['CHROMIUM'];
  const given = named !== undefined && existsSync(named) ? named : null;
  const path = given ?? (await packedOne()) ?? PLACES.find((place) => existsSync(place));
  if (path === undefined)
    throw new Error('no browser: the packed one does not start here, and there is no other');
  return path;
}

/** null where it does not start: a machine may lack a library that it needs. */
async function packedOne(): Promise<string | null> {
  try {
    const { default: packed } = await import('@sparticuz/chromium');
    const path = await packed.executablePath();
    return spawnSync(path, ['--version']).status === 0 ? path : null;
  } catch {
    return null;
  }
}
