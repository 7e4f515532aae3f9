import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod';
import { growBatches } from './grow-batches.ts';
import { makeFarm } from './make-farm.ts';
import { openPastGateway } from './past-gateway.ts';
import { liveThrough } from './week.ts';

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
const savedFarm = z.object({ farm_id: z.string(), controllers: z.array(savedController) });

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
export async function demoFarm({ data, isReset }: { data: string; isReset: boolean }): Promise<DemoFarm> {
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
    const farm = await newFarm(unfinished);
    await rm(data, { recursive: true, force: true });
    await rename(unfinished, data);
    return farm;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function newFarm(folder: string): Promise<DemoFarm> {
  const endMs = Date.now();
  const password = randomBytes(9).toString('base64url');
  const gateway = await openPastGateway(folder, endMs - WEEK_MS);
  try {
    const farm = await makeFarm(gateway.base, password);
    await liveThrough({ gateway, farm, endMs });
    await growBatches({ gateway, farm, endMs });
    const controllers = farm.controllers.map((controller) => ({
      ...controller,
      control_point_id: farm.controlPointIds.get(controller.cod) ?? '',
    }));
    const made = { farm_id: farm.farmId, controllers };
    // whoever reads the keys can pose as the controllers
    await writeFile(join(folder, SAVED_AS), `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    return { ...made, password };
  } finally {
    await gateway.close();
  }
}
