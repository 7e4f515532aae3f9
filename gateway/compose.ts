import { randomBytes } from 'node:crypto';
import { v5, v7 } from 'uuid';
import { createApp } from '#adapters/http/app.ts';
import type { Database } from '#adapters/sql/database.ts';
import { accessQuery, guardQuery } from '#adapters/sql/queries/access.ts';
import { farmQueries } from '#adapters/sql/queries/farms.ts';
import { idempotencyQueries } from '#adapters/sql/queries/idempotency.ts';
import type { Kernel, Log } from '#core/kernel.ts';
import { farmRoutes } from '#features/farms/routes.ts';
import type { Config } from './config.ts';
import { openDatabase } from './open-database.ts';

/** What the world gives the program; tests give their own. */
export type World = {
  /** Wall clock of the machine, ms since 1970. */
  wallClock: () => number;
  /** Milliseconds that only grow while this process lives. */
  monotonic: () => number;
  random: () => number;
  pause: (ms: number) => Promise<void>;
  log: Log;
};

/** Name space of ids that are derived from a cause (UUID v5). */
const CAUSES = '6f1f5c0e-8e0b-5d6e-9a7e-0b8a5a2b7d11';

/** Wires everything for a role; the map of the program. */
export async function compose(config: Config, world: World) {
  const { log } = world;
  const now = world.wallClock;
  const database: Database = await openDatabase(config, {
    now,
    monotonic: world.monotonic,
    bootId: randomBytes(8).toString('hex'),
    node: randomBytes(4).toString('hex'),
    onListenerError: (error) => log.error({ err: error }, 'a listener of committed changes failed'),
  });
  const kernel: Kernel = {
    now,
    clockQuality: () => 'trusted',
    newId: () => v7({ msecs: now() }),
    idOf: (cause) => v5(cause, CAUSES),
    random: world.random,
    pause: world.pause,
    commit: database.commit,
    guard: guardQuery(database.read),
    log,
  };
  const routes = [
    ...farmRoutes({
      ...kernel,
      queries: farmQueries(database.read),
      defaultZone: config.timezone,
      onCreate: async () => ({}),
    }),
  ];
  const app = createApp(
    {
      ...kernel,
      ...idempotencyQueries(database.read),
      accessTo: accessQuery(database.read),
      authenticate: async () => {
        throw new Error('accounts are not wired yet');
      },
    },
    routes,
  );
  return { app, routes, kernel, database };
}
