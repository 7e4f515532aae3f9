import { randomBytes } from 'node:crypto';
import { type GatewayApi, openGatewayApi } from '#sim/cli/gateway-api.ts';
import { callHttp } from '#sim/http-call.ts';

/** A control point with a key for its controller. */
export type Provisioned = { controlPointId: string; device_id: string; mqtt_id: string; key: string };
export type ProvisionedOwner = { token: string; controllers: Provisioned[] };

/** Creates on one farm wait for each other, so each lane fills a farm of its own. */
const LANES = 8;

/** A new owner with `count` control points and a key for each, made through the gateway's own interface. */
export async function provision(
  base: string,
  { count, prefix }: { count: number; prefix: string },
): Promise<ProvisionedOwner> {
  const api = await newOwner(base, `bench-${prefix}@fazenda.example`);
  const controllers: Provisioned[] = [];
  const fillFarm = async (lane: number) => {
    const farm = await api.createFarm(`Bench ${lane + 1}`);
    for (let n = lane; n < count; n += LANES) {
      const point = await api.createControlPoint(farm.id, `${prefix}-${String(n).padStart(4, '0')}`);
      const { device_id, mqtt_id, key } = await api.issueKey(point.id);
      controllers.push({ controlPointId: point.id, device_id, mqtt_id, key });
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, count) }, (_lane, number) => fillFarm(number)));
  return { token: api.token, controllers };
}

async function newOwner(base: string, email: string): Promise<GatewayApi> {
  const password = randomBytes(12).toString('base64url');
  const made = await callHttp(base, '/api/v1/auth/register', { body: { email, name: 'Bench', password } });
  if (made.status !== 201) throw new Error(`no account was made: ${JSON.stringify(made.body)}`);
  return openGatewayApi(base, { email, password });
}
