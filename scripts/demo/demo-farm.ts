import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { LANGUAGES, type Language } from '#contract/words.ts';
import { growFarm } from '../farm-data/grow-farm.ts';
import type { Places } from '../farm-data/places.ts';
import { commitRows } from '../farm-data/write-rows.ts';
import { type MadeFarm, makeFarm } from './make-farm.ts';
import { openPastGateway, type PastGateway } from './past-fleet.ts';
import { liveThrough } from './week.ts';

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

const ROUND = { name: 'Demo: round', scopes: ['read', 'record'] };
const issuedToken = z.object({ token: z.string() });

const withId = z.object({ id: z.string() });

const me = withId.extend({ language: z.enum(LANGUAGES).nullable() });

const members = z.array(z.object({ user_id: z.string(), role: z.string() }));

const savedController = z.object({
  cod: z.string(),
  control_point_id: z.string(),
  device_id: z.string(),
  mqtt_id: z.string(),
  key: z.string(),
  transport: z.enum(['mqtt', 'http']),
  power_kw: z.number(),
  feeder: z.string(),
});
const savedFarm = z.object({
  farm_id: z.string(),
  controllers: z.array(savedController),
  /** Of whoever walks the round; a demo that was made before has none. */
  round_token: z.string().optional(),
});

export type DemoController = z.infer<typeof savedController>;
export type DemoFarm = z.infer<typeof savedFarm> & {
  /** Known only when the farm was made just now: it is not kept. */
  password: string | null;
};

/** The folder holds something that is not a demo's farm: it is left alone. */
export class NotADemo extends Error {}

/** Beside the database: what the simulated controllers need to know. It also marks the folder as a demo's own. */
const SAVED_AS = 'demo.json';
const WEEK_MS = 7 * 86_400_000;

/** The farm of an earlier demo in this folder, or a new one with a week behind it. Throws NotADemo. */
export async function demoFarm({
  data,
  isReset,
  language,
}: {
  data: string;
  isReset: boolean;
  language: Language;
}): Promise<DemoFarm> {
  const saved = join(data, SAVED_AS);
  if (!existsSync(saved) && existsSync(data) && (await readdir(data)).length > 0) {
    throw new NotADemo(`${data} holds something else than a demo's farm; choose another folder with --data`);
  }
  if (existsSync(saved) && !isReset) {
    return { ...savedFarm.parse(JSON.parse(await readFile(saved, 'utf8'))), password: null };
  }
  // made beside it and moved when whole: a demo that is stopped half-way leaves no half of a farm
  const unfinished = join(dirname(resolve(data)), `.${randomBytes(4).toString('hex')}.demo-unfinished`);
  try {
    const farm = await newFarm(unfinished, language);
    await rm(data, { recursive: true, force: true });
    await rename(unfinished, data);
    return farm;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function newFarm(folder: string, language: Language): Promise<DemoFarm> {
  const endMs = Date.now();
  const password = randomBytes(9).toString('base64url');
  const gateway = await openPastGateway(folder, endMs - WEEK_MS);
  try {
    const farm = await makeFarm(gateway.base, password, language);
    await liveThrough({ gateway, farm, endMs, language });
    await growBatches({ gateway, farm, endMs });
    const controllers = farm.controllers.map((controller) => ({
      ...controller,
      control_point_id: farm.controlPointIds.get(controller.cod) ?? '',
    }));
    const { token } = await farm.owner.post(
      '/access-tokens',
      { ...ROUND, current_password: password },
      issuedToken,
    );
    const made = { farm_id: farm.farmId, controllers, round_token: token };
    // whoever reads the keys can pose as the controllers
    await writeFile(join(folder, SAVED_AS), `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    return { ...made, password };
  } finally {
    await gateway.close();
  }
}

async function growBatches(to: { gateway: PastGateway; farm: MadeFarm; endMs: number }): Promise<void> {
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
