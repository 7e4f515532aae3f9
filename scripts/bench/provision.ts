import { randomBytes } from 'node:crypto';
import { type GatewayApi, openGatewayApi } from '#sim/cli/gateway-api.ts';
import { callHttp } from '#sim/fetch-firmware.ts';
import { startGatewayOn } from './gateway.ts';

/** A control point with a key for its controller. */
export type Provisioned = { controlPointId: string; device_id: string; mqtt_id: string; key: string };
export type ProvisionedOwner = { token: string; farms: string[]; controllers: Provisioned[] };

/** Creates on one farm wait for each other, so each lane fills a farm of its own. */
const LANES = 8;

/** A new owner with `count` control points and a key for each, made through the gateway's own interface. */
export async function provision(
  base: string,
  { count, prefix }: { count: number; prefix: string },
): Promise<ProvisionedOwner> {
  const api = await newOwner(base, `bench-${prefix}@fazenda.example`);
  const controllers: Provisioned[] = [];
  const farms: string[] = [];
  const fillFarm = async (lane: number) => {
    const farm = await api.createFarm(`Bench ${lane + 1}`);
    farms.push(farm.id);
    for (let n = lane; n < count; n += LANES) {
      const point = await api.createControlPoint(farm.id, `${prefix}-${String(n).padStart(4, '0')}`);
      const { device_id, mqtt_id, key } = await api.issueKey(point.id);
      controllers.push({ controlPointId: point.id, device_id, mqtt_id, key });
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, count) }, (_lane, number) => fillFarm(number)));
  return { token: api.token, farms, controllers };
}

/**
 * The same on a data folder whose gateway is stopped again: one that has just made all its rows uses more memory than one
 * that found them. `and` has the gateway while it still runs.
 */
export async function provisionFolder(
  data: string,
  farm: { count: number; prefix: string },
  and: (base: string, owner: ProvisionedOwner) => Promise<void> = () => Promise.resolve(),
): Promise<ProvisionedOwner> {
  const gateway = await startGatewayOn(data);
  try {
    const owner = await provision(gateway.http, farm);
    await and(gateway.http, owner);
    return owner;
  } finally {
    await gateway.stop();
  }
}

export async function addPonds(
  base: string,
  { token, farmId, count }: { token: string; farmId: string; count: number },
): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const body = { farm_id: farmId, cod: `V${n}` };
    const made = await callHttp(base, '/api/v1/ponds/', { body, bearer: token });
    if (made.status !== 201) throw new Error(`a pond was answered ${made.status}`);
  }
}

/** A password is hashed when control has nothing to do: on a busy machine that may be later than a client waits. */
const LOGINS = 5;

async function newOwner(base: string, email: string): Promise<GatewayApi> {
  const password = randomBytes(12).toString('base64url');
  const made = await callHttp(base, '/api/v1/auth/register', { body: { email, name: 'Bench', password } });
  if (made.status !== 201) throw new Error(`no account was made: ${JSON.stringify(made.body)}`);
  for (let left = LOGINS; ; left -= 1) {
    try {
      return await openGatewayApi(base, { email, password });
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}
