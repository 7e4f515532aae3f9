import { rm } from 'node:fs/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import * as z from 'zod';
import { asPerson } from '../demo/interface.ts';
import { type Figures, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import { provisionFolder } from './provision.ts';

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

const BATCH = {
  species: 'Litopenaeus vannamei',
  lineage: 'SPF',
  larva_origin: 'Aracati',
  initial_count: 60_000,
  initial_avg_weight: 0.01,
  initial_density: 20,
} as const;
const DAY_MS = 86_400_000;

const made = z.object({ id: z.string() });

export type ConsoleFarm = {
  base: string;
  token: string;
  ponds: readonly { id: string; cod: string }[];
  stop: () => Promise<void>;
};

/**
 * A gateway with a farm in production: ponds with animals, aeration and fresh water.
 */
export async function startConsoleFarm(size: {
  ponds: number;
  points: number;
  /** What lies straight in the database before the gateway starts. */
  and?: (data: string, ponds: ConsoleFarm['ponds']) => Promise<void>;
}): Promise<ConsoleFarm> {
  const data = await newDataFolder();
  const ponds: { id: string; cod: string }[] = [];
  const { token } = await provisionFolder(data, { count: 1, prefix: 'paint' }, async (base, owner) => {
    const person = asPerson(base, owner.token);
    const [farm_id] = owner.farms;
    const points: string[] = [];
    for (let n = 1; n <= size.points; n += 1) {
      const point = { farm_id, cod: `CP-${n}`, device_id: `wall-${n}`, target_status: 'OFF' };
      points.push((await person.post('/control-points/', point, made)).id);
      const report = { device_id: point.device_id, current_status: 'OFF', consumption: 0 };
      await person.send('POST', '/devices/heartbeat', report);
    }
    const start_date = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
    for (let n = 1; n <= size.ponds; n += 1) {
      const pond = { farm_id, cod: `V${n}`, control_point_id: points[n % points.length] };
      const { id } = await person.post('/ponds/', pond, made);
      await person.send('POST', '/batches/', { ...BATCH, pond_id: id, batch_code: `L${n}`, start_date });
      const water = { pond_id: id, dissolved_oxygen: 6.2, temperature: 28.5, ph: 7.9 };
      await person.send('POST', '/water-quality/', water);
      ponds.push({ id, cod: pond.cod });
    }
  });
  await size.and?.(data, ponds);
  const gateway = await startGatewayOn(data);
  return {
    base: gateway.http,
    token,
    ponds,
    async stop() {
      await gateway.stop();
      await rm(data, { recursive: true, force: true });
    },
  };
}
