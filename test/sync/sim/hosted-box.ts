import type { Database, Stamping } from '#adapters/sql/database.ts';
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
  /** Life of the database. */
  timeline: () => string;
  refused: (kind: string, code: string) => void;
  parts?: HostedParts;
};

export function startHosted(deps: HostedDeps): HostedRun {
  const { replica, chance, now, monotonic, timeline, parts = {} } = deps;
  const stamping: Stamping = {
    streams: 'by scope',
    now,
    monotonic,
    bootId: chance.hex(8),
    node: `c000${chance.hex(4)}`,
  };
  const { database, breakable } = replica.start(stamping);
  const commit = parts.commit?.(database.commit) ?? database.commit;
  const server = createSyncServer({
    store: hostedStore(database.read),
    commit,
    now,
    timeline: async () => timeline(),
    chainAfter,
    rowsPerUnit: 200,
    refused: deps.refused,
    dropped: () => undefined,
    compare: {
      digest: async () => {
        throw new Error('nothing is compared in this world');
      },
      repair: async () => {
        throw new Error('nothing is repaired in this world');
      },
    },
  });
  return { database, breakable, server: parts.server?.(server, { database }) ?? server };
}
