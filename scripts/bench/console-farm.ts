import { rm } from 'node:fs/promises';
import * as z from 'zod';
import { asPerson } from '../demo/interface.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { provisionFolder } from './provision.ts';

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
