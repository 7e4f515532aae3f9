import type { Database, Stamping } from '#adapters/sql/database.ts';
import { openSqlite } from '#adapters/sql/open-sqlite.ts';
import { hostedCompare } from '#adapters/sync/hosted-compare.ts';
import { returnFutureStamps } from '#adapters/sync/timeline.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { hostedStore } from '../../../gateway/adapters/sync/hosted-store.ts';
import { createSyncServer, type SyncServer } from '../../../gateway/sync/hosted/sync-server.ts';
import type { Chance } from './chance.ts';
import type { Breakable, Replica } from './replica.ts';

/** A program that runs on a replica's disk, until its power goes. */
export type HostedRun = { database: Database; breakable: Breakable; server: SyncServer };

export type HostedParts = {
  /** Rules of the protocol can be broken here, around the real parts. */
  server?: (server: SyncServer, run: { database: Database }) => SyncServer;
  commit?: (commit: Database['commit']) => Database['commit'];
};

export type HostedDeps = {
  replica: Replica;
  chance: Chance;
  now: () => number;
  monotonic: () => number;
  later: (ms: number, run: () => Promise<void>) => void;
  /** Life of the database. */
  timeline: () => string;
  refused: (kind: string, code: string) => void;
  parts?: HostedParts;
};

const HOUR_MS = 3_600_000;
const ignore = () => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore };

export async function startHosted(deps: HostedDeps): Promise<HostedRun> {
  const { replica, chance, now, monotonic, later, timeline, parts = {} } = deps;
  const stamping: Stamping = {
    streams: 'by scope',
    now,
    monotonic,
    bootId: chance.hex(8),
    node: `c000${chance.hex(4)}`,
  };
  const { database, breakable } = replica.start(stamping, openSqlite);
  const commit = parts.commit?.(database.commit) ?? database.commit;
  const common = {
    store: hostedStore(database.read),
    commit,
    now,
    timeline: async () => timeline(),
  };
  const server = createSyncServer({
    ...common,
    chainAfter,
    rowsPerUnit: 200,
    refused: deps.refused,
    dropped: () => undefined,
    compare: hostedCompare({
      ...common,
      read: database.read,
      dialect: database.dialect,
      repaired: () => undefined,
    }),
  });
  const lookForFutureStamps = () => returnFutureStamps({ database, now, commit, log: silent });
  // as the program does: before gateways are served, and once an hour
  await lookForFutureStamps();
  const hourly = () =>
    later(HOUR_MS, async () => {
      if (breakable.isDead()) return;
      await lookForFutureStamps().catch(() => undefined);
      hourly();
    });
  hourly();
  return { database, breakable, server: parts.server?.(server, { database }) ?? server };
}
