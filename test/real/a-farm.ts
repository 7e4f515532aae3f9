import { randomUUID } from 'node:crypto';
import { type Answer, type GatewayOptions, startGateway } from './started-gateway.ts';

export type Json = Record<string, unknown>;
export type Point = { id: string; device_id: string; mqtt_id: string; cod: string; pond_id: string };
export type RealFarm = Awaited<ReturnType<typeof startFarm>>;

async function ownerOf(
  { call }: Pick<Awaited<ReturnType<typeof startGateway>>, 'call'>,
  login: { email: string; password: string },
): Promise<string> {
  // one whose answer was lost on a busy machine has its account all the same
  await call('POST', '/auth/register', { body: { ...login, name: 'Ana', role: 'OWNER' }, withinMs: 150_000 });
  return String(ok(await call('POST', '/auth/login', { body: login }))['access_token']);
}

/** A started gateway with an owner and a farm; control points are added by `point`, each airing a pond of its own. */
export async function startFarm(options: GatewayOptions = {}) {
  const { speed, ...slow } = options;
  // plans are not what these tests are about
  const gateway = await startGateway({ ...slow, env: { LOCAL_PLAN: 'ENTERPRISE', ...options.env } });
  const login = { email: 'ana@fazenda.example', password: `lagoa-${randomUUID()}`, remember_me: true };
  const token = await ownerOf(gateway, login);
  if (speed !== undefined) {
    // fast clocks keep a core busy, and a hash yields to what is busy: nobody logs in from here on
    await gateway.stop();
    gateway.quicken(speed);
    await gateway.start();
  }
  const ask = (method: string, path: string, body?: unknown, withinMs?: number) =>
    gateway.call(method, path, {
      token,
      ...(body === undefined ? {} : { body }),
      ...(withinMs === undefined ? {} : { withinMs }),
    });
  const farm = ok(await ask('POST', '/farms/', { name: 'Fazenda Norte', timezone: 'America/Fortaleza' }));
  const farmId = String(farm['id']);
  let made = 0;

  return {
    ...gateway,
    token,
    farmId,
    ask,
    /** As `ask`, for what must succeed. */
    async get(path: string): Promise<Json> {
      return ok(await ask('GET', path));
    },
    async list(path: string): Promise<Json[]> {
      const answer = await ask('GET', path);
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body as Json[];
    },
    async post(path: string, body: unknown = {}): Promise<Json> {
      return ok(await ask('POST', path, body));
    },
    async put(path: string, body: unknown): Promise<Json> {
      return ok(await ask('PUT', path, body));
    },
    /** A control point with a pond that it airs. */
    async point(settings: Json = {}): Promise<Point> {
      made += 1;
      const created = ok(
        await ask('POST', '/control-points/', {
          farm_id: farmId,
          cod: `CP-${made}`,
          device_id: `aer-${made}00`,
          target_status: 'OFF',
        }),
      );
      const pond = ok(
        await ask('POST', '/ponds/', {
          farm_id: farmId,
          cod: `V-${made}`,
          pond_type: 'FATTENING',
          size_m2: 900,
          depth_m: 1.2,
          aerator_count: 1,
          control_point_id: created['id'],
        }),
      );
      const rest = { min_on_s: 0, min_off_s: 0, ...settings };
      ok(await ask('PUT', `/control-points/${String(created['id'])}/settings`, rest));
      // just read from our own answers, whose shape the contract tests check
      return { ...(created as Point), pond_id: String(pond['id']) };
    },
    /** A key for the controller of a control point. */
    async key(point: Point): Promise<string> {
      return String(ok(await ask('POST', `/control-points/${point.id}/device-key`, {}))['key']);
    },
    /** `afterMs` from now by the clock of the program; ends after `lengthMs`. */
    async schedule(point: Point, action: 'ON' | 'OFF', afterMs: number, lengthMs?: number): Promise<Json> {
      const start = gateway.wallMs() + afterMs;
      return ok(
        await ask('POST', `/control-points/${point.id}/schedules`, {
          action,
          start_time: new Date(start).toISOString(),
          ...(lengthMs === undefined ? {} : { end_time: new Date(start + lengthMs).toISOString() }),
        }),
      );
    },
    async target(point: Point): Promise<unknown> {
      return ok(await ask('GET', `/control-points/${point.id}`))['target_status'];
    },
    async alerts(type?: string): Promise<Json[]> {
      const all = ok(await ask('GET', '/alerts/?include=all'), 'list') as unknown as Json[];
      return type === undefined ? all : all.filter((alert) => alert['type'] === type);
    },
  };
}

function ok(answer: Answer, kind: 'object' | 'list' = 'object'): Json {
  const isFine = answer.status >= 200 && answer.status < 300;
  if (!isFine || (kind === 'object' && (answer.body === null || typeof answer.body !== 'object')))
    throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as Json;
}
