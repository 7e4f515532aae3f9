import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Figures } from './finding.ts';
import { median } from './finding.ts';
import { quantile } from './load/load-window.ts';

// Pages of the console, as people have them open.

/** A page of somebody who is signed in, on a machine so many times slower. */
export async function pageOf(
  browser: Browser,
  { token }: { token: string },
  slower = 1,
): Promise<{ page: Page; devtools: CDPSession }> {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const session = JSON.stringify({ token, expiresAt: Date.now() + 86_400_000, remembered: true });
  await context.addInitScript(`try { localStorage.setItem('session', ${JSON.stringify(session)}) } catch {}`);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  if (slower > 1) await devtools.send('Emulation.setCPUThrottlingRate', { rate: slower });
  return { page, devtools };
}

/** Times of a page, in milliseconds. */
export function figures(name: string, times: readonly number[]): Figures {
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: median(times),
    p99Ms: quantileOf(times, 0.99),
    rssMb: null,
  };
}

export const quantileOf = (times: readonly number[], share: number): number =>
  quantile(
    times.toSorted((a, b) => a - b),
    share,
  );
