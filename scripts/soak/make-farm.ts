import { answerOf, type Call } from './call.ts';
import type { Point } from './history.ts';

export type Farm = { farmId: string; userId: string; points: Point[] };

export const LOGIN = { email: 'ana@fazenda.example', password: 'camarao-do-norte', remember_me: true };
const AT_ONCE = 8;
/** Motors on one feeder: they start one after the other. */
const FEEDER_SIZE = 4;
export const PROBES = 2;

/** A farm with its controllers, made over HTTP. One controller in five polls over HTTP. */
export async function makeFarm(
  deps: { call: Call; now: () => number },
  controllers: number,
): Promise<Farm & { token: string }> {
  const { call } = deps;
  answerOf(
    await call('POST', '/auth/register', { body: { ...LOGIN, name: 'Ana', role: 'OWNER' } }),
    'registering',
  );
  const session = answerOf(await call('POST', '/auth/login', { body: LOGIN }), 'signing in');
  const token = String(session['access_token']);
  const me = answerOf(await call('GET', '/users/me', { token }), 'asking who I am');
  const made = answerOf(
    await call('POST', '/farms/', { token, body: { name: 'Fazenda Norte' } }),
    'the farm',
  );
  const farmId = String(made['id']);
  const points: Point[] = [];
  const places = Array.from({ length: controllers + PROBES }, (_, place) => place);
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let place = places.shift(); place !== undefined; place = places.shift()) {
        const isProbe = place >= controllers;
        points.push(await makePoint(deps, { token, farmId, place, isProbe }));
      }
    }),
  );
  points.sort((a, b) => (a.device_id < b.device_id ? -1 : 1));
  return { farmId, userId: String(me['id']), points, token };
}

async function makePoint(
  { call, now }: { call: Call; now: () => number },
  { token, farmId, place, isProbe }: { token: string; farmId: string; place: number; isProbe: boolean },
): Promise<Point> {
  const device_id = `${isProbe ? 'probe' : 'aer'}-${String(place).padStart(4, '0')}`;
  const made_target = place % 3 === 0 ? 'ON' : 'OFF';
  const feeder = `F${Math.floor(place / FEEDER_SIZE)}`;
  const body = { farm_id: farmId, cod: `CP-${place}`, device_id, target_status: made_target };
  const made = answerOf(await call('POST', '/control-points/', { token, body }), `control point ${place}`);
  const id = String(made['id']);
  const settings = {
    min_on_s: 15 + (place % 3) * 5,
    min_off_s: 15 + (place % 4) * 5,
    fail_safe: (['ON', 'HOLD', 'SCHEDULE', 'OFF'] as const)[place % 4],
    start_group: feeder,
  };
  answerOf(await call('PUT', `/control-points/${id}/settings`, { token, body: settings }), 'settings');
  const issued = answerOf(await call('POST', `/control-points/${id}/device-key`, { token }), 'a key');
  return {
    id,
    device_id,
    mqtt_id: String(issued['mqtt_id']),
    key: String(issued['key']),
    transport: place % 5 === 4 && !isProbe ? 'http' : 'mqtt',
    feeder,
    made_at: typeof made['created_at'] === 'string' ? Date.parse(made['created_at']) : now(),
    made_target,
    min_on_s: settings.min_on_s,
    min_off_s: settings.min_off_s,
    isProbe,
  };
}
