import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { compose } from '#app/compose.ts';
import { addressProof } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { emailKeyOf, type UserAnswer, user } from '#contract/resources/users.ts';
import type { Plan, UserRole } from '#contract/words.ts';
import { put, remove, update } from '#core/changes.ts';
import type { ProcessPause } from '#core/clock-trust.ts';
import { keepTimeAndPresence } from '#operations/upkeep/upkeep.ts';
import { databaseFile, readConfig } from '#runtime/config.ts';
import { type Engine, UNBORN } from './databases.ts';
import { fastFolder } from './fast-folder.ts';
import { putMigrated } from './migrated-files.ts';
import { freshDatabase } from './postgres.ts';

export type TestClock = { now: () => number; advance: (ms: number) => void; set: (ms: number) => void };

export function testClock(start = Date.UTC(2026, 2, 2, 12)): TestClock {
  let at = start;
  return {
    now: () => at,
    advance: (ms) => {
      at += ms;
    },
    set: (ms) => {
      at = ms;
    },
  };
}

const bodyOf = (body: unknown): Uint8Array<ArrayBuffer> | string => {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
};

export type Reply = { status: number; body: unknown; headers: Headers };

export type SignedUp = { token: string; user: UserAnswer };

/** In place of an argument: registration as a new box has it. */
export const AS_SHIPPED = '--as-shipped';

const silent = () => undefined;
/** The least argon2 takes: hundreds of accounts are made, and their passwords keep nothing safe. */
const CHEAP = { memoryCost: 8, timeCost: 2 };

/**
 * The whole program over a real socket and a real database, with a clock of the test's own. Nothing ticks by itself:
 * tests call what a timer would.
 */
export async function startApp(engine: Engine = 'sqlite', args: readonly string[] = []) {
  const clock = testClock();
  const wall = { aheadMs: 0 };
  const pauses: ProcessPause[] = [];
  const resumeListeners = new Set<(pause: ProcessPause) => void>();
  const data = mkdtempSync(join(fastFolder(), 'farm-'));
  const postgres = engine === 'postgres' ? await freshDatabase(UNBORN) : null;
  const config = readConfig(
    [
      '--data',
      data,
      // tests have many owners on one box
      ...(args.includes(AS_SHIPPED) ? [] : ['--registration', 'open']),
      // who receives webhooks, and simulated probes, are on this machine
      ...(args.includes('--outbound-networks') ? [] : ['--outbound-networks', '127.0.0.1']),
      ...(postgres ? ['--database-url', postgres.url] : []),
      ...args.filter((arg) => arg !== AS_SHIPPED),
    ],
    {},
  );
  // a folder that the test names may hold the farm of an earlier start
  if (config.databaseUrl === null && config.data === data) putMigrated(databaseFile(config));
  const sentences: { level: string; fields: Record<string, unknown>; sentence: string }[] = [];
  const note = (level: string) => (fields: Record<string, unknown>, sentence: string) =>
    void sentences.push({ level, fields, sentence });
  const instance = await compose(config, {
    wallClock: () => clock.now() + wall.aheadMs,
    monotonic: clock.now,
    random: Math.random,
    pauses: {
      all: () => pauses,
      lastResumedAt: () => pauses.at(-1)?.to ?? null,
      onResume: (listener) => void resumeListeners.add(listener),
    },
    clockEvidence: () => ({ isSynchronised: null, hasBatteryClock: null }),
    pause: () => Promise.resolve(),
    passwordCost: CHEAP,
    recentLines: () => sentences.map((line) => JSON.stringify(line)),
    log: { debug: silent, info: note('info'), warn: note('warn'), error: note('error') },
  });
  const server = createServer(instance.app);
  // a test process that stood still for a while must not find its idle connections closed
  server.keepAliveTimeout = 0;
  const live = instance.sync?.attach(server) ?? null;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;

  async function call(
    method: string,
    path: string,
    { token, body, headers }: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Reply> {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : text,
      headers: response.headers,
    };
  }

  async function subscriptionIdOf(userId: string): Promise<string> {
    const row = await instance.database.read
      .selectFrom('subscriptions')
      .select('id')
      .where('user_id', '=', userId)
      .executeTakeFirstOrThrow();
    return row.id;
  }

  async function toldSoFar(userId: string): Promise<string[]> {
    const rows = await instance.database.read
      .selectFrom('notifications')
      .select('id')
      .where('user_id', '=', userId)
      .execute();
    return rows.map(({ id }) => id);
  }

  /**
   * A user with a token. ADMIN, which cannot register, is made so in the database; so is a plan without limits, because
   * most facts of a farm are not about plans. `plan: null` leaves the one a new user gets. The list of notifications is
   * empty: that the subscription was created has been read and deleted.
   */
  async function signUp({
    email = `user-${randomUUID()}@farm.test`,
    role = 'OWNER',
    password = 'camarao-123',
    plan = 'ENTERPRISE',
  }: {
    email?: string;
    role?: UserRole;
    password?: string;
    plan?: Plan | null;
  } = {}): Promise<SignedUp> {
    const asked = role === 'ADMIN' ? 'OWNER' : role;
    const made = await call('POST', '/auth/register', {
      // at a box behind a proxy nobody is taken to stand before it
      body: { email, name: email, password, role: asked, setup_code: await instance.openSetUpCode() },
    });
    if (made.status !== 201) throw new Error(`${email} was not registered: ${JSON.stringify(made.body)}`);
    // the interface's answer, checked by the accounts tests
    const registered = made.body as UserAnswer;
    const changes = role === asked ? [] : [update(user, registered.id, { role })];
    // as an administrator of a hosted instance does for people one knows
    if (config.role === 'hosted') changes.push(confirmedAddress(registered, clock.now()));
    if (plan !== null) changes.push(update(subscription, await subscriptionIdOf(registered.id), { plan }));
    changes.push(...(await toldSoFar(registered.id)).map((id) => remove(notification, id)));
    await instance.kernel.commit({ changes, actor: null });
    const login = await call('POST', '/auth/login', { body: { email, password, remember_me: true } });
    const { access_token: token } = login.body as { access_token: string };
    return { token, user: { ...registered, role } };
  }

  return {
    ...instance,
    base,
    signUp,
    clock,
    /** The clock of the machine steps, as the program notices within a second. */
    stepWallClock(ms: number) {
      wall.aheadMs += ms;
      instance.clock.look();
    },
    lookAtClock: () => instance.clock.look(),
    /** What the regular task writes twice a minute, and the stop. */
    keepTime: () => keepTimeAndPresence(instance),
    /** The process stood still for so long, and notices it. */
    standStill(ms: number) {
      const from = clock.now();
      clock.advance(ms);
      const pause = { from, to: clock.now() };
      pauses.push(pause);
      for (const listener of resumeListeners) listener(pause);
    },
    config,
    sentences,
    call,
    /** The box is off: nobody is answered until the function that comes back is called. Its port is given to nobody else. */
    goAway() {
      const cut = (socket: Socket) => void socket.destroy();
      server.on('connection', cut);
      server.closeAllConnections();
      return () => void server.off('connection', cut);
    },
    async close() {
      live?.stop();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await instance.database.close();
      await postgres?.drop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

function confirmedAddress({ id, email }: UserAnswer, now: number) {
  const verified = { verified_at: new Date(now).toISOString(), verified_by: null };
  return put(addressProof, {
    id,
    email_key: emailKeyOf(email),
    code_hash: null,
    asked_at: null,
    ...verified,
  });
}

export type App = Awaited<ReturnType<typeof startApp>>;

/** The JSON object of an answer. */
export function body(reply: Reply): Record<string, unknown> {
  return reply.body as Record<string, unknown>;
}

/** An owner with one farm. */
export async function aFarmWith(
  app: App,
  fields: Record<string, unknown> = {},
): Promise<{ token: string; farmId: string }> {
  const { token } = await app.signUp();
  const made = await app.call('POST', '/farms/', { token, body: { name: 'Fazenda Norte', ...fields } });
  return { token, farmId: String(body(made)['id']) };
}

/** The owner asks, and the person accepts. */
export async function joinFarm(
  app: Pick<App, 'call'>,
  { token, farmId }: { token: string; farmId: string },
  person: Pick<SignedUp, 'token' | 'user'>,
  role: string,
): Promise<void> {
  const asked = await app.call('POST', `/farms/${farmId}/members`, {
    token,
    body: { user_id: person.user.id, role },
  });
  const { id, status } = body(asked);
  if (status === 'MEMBER') return;
  const accepted = await app.call('POST', '/invitations/accept', {
    token: person.token,
    body: { invitation_id: id },
  });
  if (accepted.status !== 200)
    throw new Error(`did not join: ${JSON.stringify([asked.body, accepted.body])}`);
}

let controlPointsMade = 0;

export type MadeControlPoint = { id: string; device_id: string; mqtt_id: string; epoch: string; cod: string };

/** A control point, OFF, with a device of its own. */
export async function aControlPoint(
  app: App,
  { token, farmId, ...fields }: { token: string; farmId: string; target_status?: 'ON' | 'OFF'; cod?: string },
): Promise<MadeControlPoint> {
  controlPointsMade += 1;
  const n = controlPointsMade;
  const made = await app.call('POST', '/control-points/', {
    token,
    body: { farm_id: farmId, cod: `CP-${n}`, device_id: `ctl-${n}`, target_status: 'OFF', ...fields },
  });
  if (made.status !== 201) throw new Error(`control point not made: ${JSON.stringify(made.body)}`);
  return made.body as MadeControlPoint;
}

/** Another process, as it were, on the PostgreSQL database of an app. */
export function startAppBeside(app: App, args: readonly string[] = []): Promise<App> {
  const { databaseUrl } = app.config;
  if (databaseUrl === null) throw new Error('two processes share a PostgreSQL database only');
  return startApp('sqlite', ['--database-url', databaseUrl, ...args]);
}
