import { readFile, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import type { FleetController } from '../fleet/fleet.ts';
import { createRandom, seedFor } from '../random.ts';
import { type ControlPoint, type Farm, type GatewayApi, GatewayRefused } from './gateway-api.ts';
import { UsageError } from './options.ts';

// Who the controllers are: from a file, or made at the gateway.

const storedIdentity = z.object({
  device_id: z.string().min(1),
  mqtt_id: z.string().min(1),
  key: z.string().min(1).optional(),
  transport: z.enum(['mqtt', 'http']).optional(),
  power_kw: z.number().positive().optional(),
  feeder: z.string().min(1).optional(),
});

export type FleetShape = { count: number; httpShare: number; prefix: string; feeders: number; seed: number };

const AT_ONCE = 8;
const POWERS_KW = [0.75, 1.1, 1.5, 1.5, 2.2];

/** Reads ready identities. Throws UsageError when the file is not what it should be. */
export async function readIdentities(file: string, shape: FleetShape): Promise<FleetController[]> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new UsageError(`--keys ${file} cannot be read.`, { cause });
  });
  const parsed = z.array(storedIdentity).min(1).max(5_000).safeParse(parseJson(text));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const where = issue?.path.join('.') || 'file';
    throw new UsageError(`--keys ${file}: ${where}: ${issue?.message ?? 'not identities'}.`);
  }
  return parsed.data.slice(0, shape.count).map((stored, index) => {
    const { device_id, mqtt_id, key } = stored;
    const made = controllerOf({ device_id, mqtt_id, ...(key === undefined ? {} : { key }) }, index, shape);
    return {
      ...made,
      transport: stored.transport ?? made.transport,
      power_kw: stored.power_kw ?? made.power_kw ?? 1.5,
      feeder: stored.feeder ?? made.feeder ?? 'A',
    };
  });
}

/** Finds or creates farm, control points and keys. Every call gives each control point a new key. */
export async function provisionIdentities(
  api: GatewayApi,
  shape: FleetShape,
  farmWanted: string | undefined,
): Promise<FleetController[]> {
  const farm = await chooseFarm(api, farmWanted);
  const known = new Map<string, ControlPoint>();
  for (const point of await api.controlPoints()) known.set(point.device_id, point);
  const numbers = Array.from({ length: shape.count }, (_each, index) => index);
  return inParallel(numbers, async (index) => {
    const deviceId = `${shape.prefix}-${String(index + 1).padStart(4, '0')}`;
    const point = known.get(deviceId) ?? (await api.createControlPoint(farm.id, deviceId));
    return controllerOf(await api.issueKey(point.id), index, shape);
  });
}

/** Written for its owner alone: whoever reads the keys can pose as the farm's controllers. */
export async function saveIdentities(file: string, controllers: readonly FleetController[]): Promise<void> {
  const rows = controllers.map(({ device_id, mqtt_id, key, transport, power_kw, feeder }) => ({
    device_id,
    mqtt_id,
    key,
    transport,
    power_kw,
    feeder,
  }));
  await writeFile(file, `${JSON.stringify(rows, null, 2)}\n`, { mode: 0o600 });
}

async function chooseFarm(api: GatewayApi, wanted: string | undefined): Promise<Farm> {
  const farms = await api.farms();
  const [first, second] = farms;
  if (wanted === undefined) {
    if (first === undefined) return api.createFarm('Simulated farm');
    if (second === undefined) return first;
    const names = farms.map((farm) => farm.name).join(', ');
    throw new UsageError(`--farm is needed: this user has several farms (${names}).`);
  }
  const found = farms.find((farm) => farm.id === wanted || farm.name === wanted);
  if (found !== undefined) return found;
  if (/^[0-9a-f]{8}-/i.test(wanted)) throw new GatewayRefused(`no farm of this user has the id ${wanted}.`);
  return api.createFarm(wanted);
}

type Named = { device_id: string; mqtt_id: string; key?: string };

function controllerOf(identity: Named, index: number, shape: FleetShape): FleetController {
  const random = createRandom(seedFor(shape.seed, `fleet:${identity.device_id}`));
  // Spread evenly, so that 0.25 of 8 is 2 whatever the seed.
  const isHttp = Math.floor((index + 1) * shape.httpShare) > Math.floor(index * shape.httpShare);
  return {
    ...identity,
    transport: isHttp ? 'http' : 'mqtt',
    power_kw: POWERS_KW[Math.floor(random() * POWERS_KW.length)] ?? 1.5,
    feeder: String.fromCharCode('A'.charCodeAt(0) + (index % shape.feeders)),
  };
}

async function inParallel<In, Out>(items: readonly In[], work: (item: In) => Promise<Out>): Promise<Out[]> {
  const results: Out[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(work))));
  }
  return results;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The schema says what should have been there.
    return undefined;
  }
}
