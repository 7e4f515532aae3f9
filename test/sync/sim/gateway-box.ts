import type { Database, Stamping } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { openSqlite } from '#adapters/sql/open-sqlite.ts';
import { FIRST_SCHEMA, SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { isoOf } from '#core/kernel.ts';
import { idOfCause } from '#runtime/world.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { hexOf } from '#store/merge/digest.ts';
import { compareStore } from '../../../gateway/adapters/sync/compared-rows.ts';
import { gatewayStore } from '../../../gateway/adapters/sync/gateway-store.ts';
import { createComparer } from '../../../gateway/sync/gateway/compare.ts';
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
  /** Whether both sides are compared now and then, as a gateway does. */
  compares?: boolean;
  parts?: GatewayParts;
};

const SOFTWARE = `of schema ${SYNC_SCHEMA}`;
/** A gateway looks so often whether a comparison is due. */
const COMPARED_MS = 30_000;

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
  const { database, breakable } = replica.start(stamping, openSqlite);
  const isAlive = () => !breakable.isDead();
  const line = network.transport({
    isAlive,
    asked: () => async (kind, body) => {
      const run = hosted();
      return run.server.ask({ gatewayId: GATEWAY_ID, streamId: STREAM }, kind, body);
    },
  });
  const later = (ms: number, run: () => void) =>
    time.after(ms, () => {
      if (isAlive()) run();
    });
  const store = gatewayStore({ now, idOf: idOfCause, database });
  const log = logInto(trace, deps.count);
  const heard = { schema: FIRST_SCHEMA, anotherLife: () => undefined as void };
  const client = createSyncClient({
    now,
    random: chance.unit,
    log,
    store: parts.store?.(store) ?? store,
    transport: parts.transport?.(line) ?? line,
    line: null,
    live: null,
    monotonic: stamping.monotonic,
    later,
    clockTrust: () => 'trusted',
    software: SOFTWARE,
    chainAfter,
    onHostedSchema(schema) {
      heard.schema = schema;
    },
    onAnotherLife: () => heard.anotherLife(),
  });
  if (deps.compares === true) {
    const comparer = createComparer({
      now,
      log,
      later,
      random: chance.unit,
      hexOf,
      isoOf,
      monotonic: stamping.monotonic,
      transport: parts.transport?.(line) ?? line,
      software: SOFTWARE,
      store: compareStore(database, store),
      state: client.state,
      hostedSchema: () => heard.schema,
    });
    heard.anotherLife = comparer.afterAnotherLife;
    const look = () =>
      later(COMPARED_MS, () => {
        // a disk that takes nothing, a power that goes: it is done later; a mistake of the program would never end
        comparer.look().catch((error: unknown) => {
          if (error instanceof TypeError)
            log.error({ err: error }, 'a comparison broke off by a mistake, please tell the makers');
        });
        look();
      });
    look();
  }
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
