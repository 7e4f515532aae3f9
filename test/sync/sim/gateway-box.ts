import type { Database, Stamping } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { idOfCause } from '#runtime/world.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { gatewayStore } from '../../../gateway/adapters/sync/gateway-store.ts';
import type { SyncClientDeps, SyncStore } from '../../../gateway/sync/gateway/ports.ts';
import { createSyncClient, type SyncClient } from '../../../gateway/sync/gateway/sync-client.ts';
import type { SyncTransport } from '../../../gateway/sync/ports.ts';
import type { Chance } from './chance.ts';
import type { HostedRun } from './hosted-box.ts';
import type { Network } from './network.ts';
import { GATEWAY_ID, STREAM } from './paired-farm.ts';
import type { Breakable, Replica } from './replica.ts';
import type { VirtualTime } from './virtual-time.ts';

export type GatewayRun = {
  database: Database;
  breakable: Breakable;
  client: SyncClient;
  /** The pairing is done: everything is compared for the first time. */
  paired(): Promise<void>;
};

export type GatewayParts = {
  /** Rules of the protocol can be broken here, around the real parts. */
  store?: (store: SyncStore) => SyncStore;
  transport?: (transport: SyncTransport) => SyncTransport;
};

export type GatewayDeps = {
  replica: Replica;
  chance: Chance;
  now: () => number;
  time: VirtualTime;
  network: Network;
  hosted: () => HostedRun;
  count: (what: string) => void;
  trace: (line: string) => void;
  parts?: GatewayParts;
};

export async function startGateway(deps: GatewayDeps): Promise<GatewayRun> {
  const { replica, chance, now, time, network, hosted, trace, parts = {} } = deps;
  const startedAt = time.now();
  const stamping: Stamping = {
    streams: 'own',
    now,
    monotonic: () => time.now() - startedAt,
    bootId: chance.hex(8),
    // 16 bit of the box and 16 of this start: a rolled-back card never stamps as it did before
    node: `0001${chance.hex(4)}`,
  };
  const { database, breakable } = replica.start(stamping);
  const isAlive = () => !breakable.isDead();
  const line = network.transport({
    isAlive,
    asked: () => async (kind, body) => {
      const run = hosted();
      return run.server.ask({ gatewayId: GATEWAY_ID, streamId: STREAM }, kind, body);
    },
  });
  const store = gatewayStore({ now, idOf: idOfCause, database });
  const client = createSyncClient({
    now,
    random: chance.unit,
    log: logInto(trace, deps.count),
    store: parts.store?.(store) ?? store,
    transport: parts.transport?.(line) ?? line,
    line: null,
    live: null,
    monotonic: stamping.monotonic,
    later: (ms, run) =>
      time.after(ms, () => {
        if (isAlive()) run();
      }),
    clockTrust: () => 'trusted',
    software: 'simulated',
    chainAfter,
  });
  database.onCommit(({ rows }) => {
    if (rows.length > 0) client.hear({ is: 'logged', core: 1, history: 1 });
  });
  const [stream] = await replica.read('select timeline, resync, epoch from sync_stream where stream_id = 1');
  client.start(stream?.['timeline'] !== '' || stream['resync'] !== null);
  return {
    database,
    breakable,
    client,
    async paired() {
      await database.commit({
        actor: null,
        changes: [],
        stream: { id: OWN_STREAM, expect: {}, set: { resync: 'paired' } },
      });
      client.hear({ is: 'paired' });
    },
  };
}

function logInto(trace: (line: string) => void, count: (what: string) => void): SyncClientDeps['log'] {
  const say = (level: string) => (fields: Record<string, unknown>, sentence: string) => {
    const { err, ...rest } = fields;
    trace(`${level} ${sentence} ${JSON.stringify(rest)} ${err instanceof Error ? err.message : ''}`);
    count(`says: ${sentence}`);
  };
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}
