import * as z from 'zod';
import { growFarm } from '../farm-data/grow-farm.ts';
import type { Places } from '../farm-data/places.ts';
import { commitRows } from '../farm-data/write-rows.ts';
import type { MadeFarm } from './make-farm.ts';
import type { PastGateway } from './past-gateway.ts';

// What lives in the ponds of the demo: a crop that was harvested, and the batches of today, with everything that people
// would have written down since.

const SEED = 41;
/** Long enough for one whole crop before the living ones. */
const YEARS = 0.6;

const ponds = z.array(
  z.object({
    id: z.string(),
    cod: z.string(),
    pond_type: z.enum(['NURSERY', 'FATTENING']),
    size_m2: z.number(),
    depth_m: z.number(),
    control_point_id: z.string().nullable(),
  }),
);
const aerators = z.array(z.object({ pond_id: z.string(), power_kw: z.number() }));
const withId = z.object({ id: z.string() });
const me = withId.extend({ language: z.enum(['pt-BR', 'en']).nullable() });
const members = z.array(z.object({ user_id: z.string(), role: z.string() }));

export async function growBatches(to: {
  gateway: PastGateway;
  farm: MadeFarm;
  endMs: number;
}): Promise<void> {
  const on = await placesOf(to.farm);
  const rows = [...growFarm({ seed: SEED, years: YEARS, until: new Date(to.endMs).toISOString(), on })];
  // what the controllers did is logged already
  await commitRows(
    to.gateway.commit,
    rows.filter(({ resource }) => resource.name !== 'logs'),
  );
}

async function placesOf({ owner, farmId, controlPointIds }: MadeFarm): Promise<Places> {
  const { id, language } = await owner.get('/users/me', me);
  const others = await owner.get(`/farms/${farmId}/members`, members);
  const acting = others.filter(({ role }) => role !== 'VIEWER');
  const machines = await owner.get('/aerators/', aerators);
  const found = await owner.get(`/ponds/?farm_id=${farmId}`, ponds);
  return {
    farmId,
    ownerId: id,
    people: [
      { id, language: language ?? 'pt-BR' },
      ...acting.map(({ user_id }) => ({ id: user_id, language: 'pt-BR' as const })),
    ],
    ponds: found.map((pond) => ({
      id: pond.id,
      cod: pond.cod,
      isNursery: pond.pond_type === 'NURSERY',
      areaM2: pond.size_m2,
      depthM: pond.depth_m,
      powerKw: machines
        .filter(({ pond_id }) => pond_id === pond.id)
        .reduce((sum, { power_kw }) => sum + power_kw, 0),
      controlPointId: pond.control_point_id,
    })),
    controlPoints: [...controlPointIds].map(([cod, pointId]) => ({ id: pointId, cod })),
  };
}
