import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { compose } from '#app/compose.ts';
import type { ProcessPause } from '#core/clock-trust.ts';
import { keepTimeAndPresence } from '#operations/upkeep/upkeep.ts';
import { databaseFile, readConfig } from '#runtime/config.ts';
import { accountsOf, type SignedUp } from './accounts.ts';
import { type Engine, UNBORN } from './databases.ts';
import { fastFolder } from './fast-folder.ts';
import { httpClient, type Reply } from './http-client.ts';
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

export type { SignedUp } from './accounts.ts';
export type { Reply } from './http-client.ts';

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
  const disk = { freeBytes: 1e12 };
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
    freeBytes: () => Promise.resolve(disk.freeBytes),
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

  const client = httpClient(`${base}/api/v1`);
  const { call } = client;

  return {
    ...instance,
    base,
    signUp: accountsOf(instance, config, call),
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
    /** As pictures see it. */
    disk,
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
      client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await instance.database.close();
      await postgres?.drop();
      rmSync(data, { recursive: true, force: true });
    },
  };
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
