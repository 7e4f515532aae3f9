import { randomUUID } from 'node:crypto';
import { createRandom, seedFor } from '#sim/random.ts';
import type { Outcome, Point, ScheduleBody, Write } from './history.ts';

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

// People at work: orders, schedules and registers made, changed and deleted, several at a time. Every write is noted
// with what became of it.

type LoadDeps = {
  call: Call;
  now: () => number;
  token: () => string;
  /** The token is not taken any more: signs in again. */
  signIn: () => Promise<void>;
  seed: number;
  farmId: string;
  points: readonly Point[];
  /** A write is about to be sent; until it is noted nobody knows what became of it. */
  begin: (write: Write) => void;
  note: (write: Write) => void;
};

export type Load = {
  /** Resolves when this many more requests have been sent. */
  sent: (more: number) => Promise<void>;
  pause: () => Promise<void>;
  resume: () => void;
  count: () => number;
};

/** A schedule or pond that exists, as far as we know; one request at a time is about it. */
type Thing = { id: string; pointId: string | null; schedule: ScheduleBody | null };

const WORKERS = 6;
const REST_MS = 8;
/** Nobody presses on while the box is gone. */
const GONE_MS = 120;

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export function startLoad(deps: LoadDeps, startedWith: { count: number }): Load {
  const random = createRandom(seedFor(deps.seed, `load ${startedWith.count}`));
  const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(random() * items.length)];
  const schedules: Thing[] = [];
  const ponds: Thing[] = [];
  const waiting: { at: number; resolve: () => void }[] = [];
  const state = { sent: startedWith.count, isPaused: true, resting: 0 };
  let wake = Promise.withResolvers<void>();

  async function work(): Promise<void> {
    for (;;) {
      if (state.isPaused) {
        state.resting += 1;
        await wake.promise;
        state.resting -= 1;
      }
      await act();
      await rest(REST_MS);
    }
  }

  async function act(): Promise<void> {
    const dice = random();
    const point = pick(deps.points);
    if (point === undefined) return;
    if (dice < 0.45) await order(point);
    else if (dice < 0.6) await createSchedule(point);
    else if (dice < 0.72) await changeThing(schedules);
    else if (dice < 0.8) await deleteThing(schedules, '/schedules/');
    else if (dice < 0.88) await createPond(point);
    else if (dice < 0.95) await changeThing(ponds);
    else await deleteThing(ponds, '/ponds/');
  }

  async function send(write: Pick<Write, 'kind'> & Record<string, unknown>, ask: [string, string, unknown?]) {
    state.sent += 1;
    for (const each of waiting.filter(({ at }) => at <= state.sent)) each.resolve();
    const silence = { answeredAt: null, status: null, outcome: 'unknown', at: null, version: null };
    // the caller gave the fields of its kind
    const begun = { ...write, ...silence, sentAt: deps.now() } as unknown as Write;
    deps.begin(begun);
    const [method, path, body] = ask;
    const reply = await deps.call(method, path, {
      token: deps.token(),
      ...(body === undefined ? {} : { body }),
    });
    if (reply?.status === 401) await deps.signIn();
    if (reply === null) await rest(GONE_MS);
    const outcome = outcomeOf(reply);
    const answered = reply === null ? {} : { answeredAt: deps.now(), status: reply.status };
    deps.note({ ...begun, ...answered, outcome, ...holdsFrom(reply) });
    return outcome;
  }

  const nextTag = () => `s${deps.seed}-${state.sent}-${randomUUID().slice(0, 8)}`;

  async function order({ id }: Point): Promise<void> {
    const target = random() < 0.5 ? 'ON' : 'OFF';
    const for_s = random() < 0.2 ? 20 + Math.floor(random() * 200) : null;
    const tag = nextTag();
    const body = { reason: tag, ...(for_s === null ? {} : { for_s }) };
    await send({ kind: 'order', target, for_s, tag, id, pointId: id }, [
      'POST',
      `/control-points/${id}/turn-${target.toLowerCase()}`,
      body,
    ]);
  }

  function aSchedule(description: string): ScheduleBody {
    const isDaily = random() < 0.3;
    const start = deps.now() + 5_000 + Math.floor(random() * 240_000) - (isDaily ? 86_400_000 : 0);
    const lasts = 20_000 + Math.floor(random() * 200_000);
    return {
      action: random() < 0.5 ? 'ON' : 'OFF',
      start_time: new Date(start).toISOString(),
      end_time: random() < 0.6 ? new Date(start + lasts).toISOString() : null,
      repeat_pattern: isDaily ? 'DAILY' : 'ONCE',
      is_active: random() < 0.9,
      description,
    };
  }

  async function createSchedule(point: Point): Promise<void> {
    const tag = nextTag();
    const schedule = aSchedule(tag);
    const id = randomUUID();
    const path = `/control-points/${point.id}/schedules`;
    const outcome = await send({ kind: 'schedule_create', schedule, tag, id, pointId: point.id }, [
      'POST',
      path,
      { id, ...schedule },
    ]);
    if (outcome !== 'refused') schedules.push({ id, pointId: point.id, schedule });
  }

  async function createPond(point: Point): Promise<void> {
    const cod = nextTag();
    const id = randomUUID();
    const body = { id, farm_id: deps.farmId, cod, lat: '-3.7', lng: '-38.5', pond_type: 'FATTENING' };
    const outcome = await send({ kind: 'pond_create', cod, tag: cod, id, pointId: null }, [
      'POST',
      '/ponds/',
      random() < 0.3 ? { ...body, control_point_id: point.id } : body,
    ]);
    if (outcome !== 'refused') ponds.push({ id, pointId: null, schedule: null });
  }

  async function changeThing(things: Thing[]): Promise<void> {
    const thing = take(things);
    if (thing === undefined) return;
    const tag = nextTag();
    const { id, pointId } = thing;
    if (thing.schedule === null) {
      await send({ kind: 'pond_change', cod: tag, tag, id, pointId }, ['PUT', `/ponds/${id}`, { cod: tag }]);
    } else {
      const schedule = aSchedule(tag);
      await send({ kind: 'schedule_change', schedule, tag, id, pointId }, [
        'PATCH',
        `/schedules/${id}`,
        schedule,
      ]);
    }
    things.push(thing);
  }

  async function deleteThing(things: Thing[], path: string): Promise<void> {
    const thing = take(things);
    if (thing === undefined) return;
    const kind = thing.schedule === null ? 'pond_delete' : 'schedule_delete';
    await send({ kind, tag: nextTag(), id: thing.id, pointId: thing.pointId }, [
      'DELETE',
      `${path}${thing.id}`,
    ]);
  }

  function take(things: Thing[]): Thing | undefined {
    const place = Math.floor(random() * things.length);
    return things.splice(place, 1)[0];
  }

  for (let worker = 0; worker < WORKERS; worker += 1) void work();
  return {
    sent: (more) => new Promise((resolve) => waiting.push({ at: state.sent + more, resolve })),
    async pause() {
      if (!state.isPaused) wake = Promise.withResolvers<void>();
      state.isPaused = true;
      while (state.resting < WORKERS) await rest(5);
    },
    resume() {
      state.isPaused = false;
      wake.resolve();
    },
    count: () => state.sent,
  };
}

function outcomeOf(reply: Reply | null): Outcome {
  if (reply === null || reply.status >= 500) return 'unknown';
  if (reply.status >= 400) return 'refused';
  const { warnings } = (reply.body ?? {}) as { warnings?: { code: string }[] };
  return warnings?.some(({ code }) => code === 'NOT_SAVED') ? 'unsaved' : 'acked';
}

function holdsFrom(reply: Reply | null): { at: number | null; version: number | null } {
  if (reply === null || reply.status >= 300) return { at: null, version: null };
  const { last_command_at, updated_at, created_at, version } = (reply.body ?? {}) as Record<string, unknown>;
  const text = last_command_at ?? updated_at ?? created_at;
  return {
    at: typeof text === 'string' ? Date.parse(text) : null,
    version: typeof version === 'number' ? version : null,
  };
}

// One request to the gateway; no answer is an answer too.

type Reply = { status: number; body: unknown };

export type Call = (
  method: string,
  path: string,
  options?: { token?: string; body?: unknown; withinMs?: number },
) => Promise<Reply | null>;

/** Calls below /api/v1. Null: the box went away, or did not answer in time. */
export function callAt(base: () => string): Call {
  return async (method, path, { token, body, withinMs = 20_000 } = {}) => {
    try {
      const response = await fetch(`${base()}${path.startsWith('/readyz') ? '' : '/api/v1'}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(withinMs),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : (JSON.parse(text) as unknown) };
    } catch {
      // killed, restarting, or cut off in the middle of its answer
      return null;
    }
  };
}

/** The JSON object of an answer that must be a success. */
export function answerOf(reply: Reply | null, what: string): Record<string, unknown> {
  if (reply === null || reply.status >= 300) {
    throw new Error(`${what} failed: ${reply === null ? 'no answer' : JSON.stringify(reply)}`);
  }
  // every success the campaign asks for is an object
  return reply.body as Record<string, unknown>;
}
