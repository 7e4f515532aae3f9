import { type AttemptLimits, ownAttempts, sharedAttempts } from '#adapters/http/attempt-limit.ts';
import { type Database, runStatement } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { createLeases, type Leases } from '#adapters/sql/lease.ts';
import { createMemoryBus } from '#adapters/sync/bus-payloads.ts';
import { followOthers, tellOthers } from '#adapters/sync/follow-others.ts';
import { natsCarrier } from '#adapters/sync/nats-line.ts';
import { postgresCarrier } from '#adapters/sync/postgres-line.ts';
import { createProcessBus } from '#adapters/sync/process-bus.ts';
import type { CommitListener, RowListener } from '#core/changes.ts';
import type { Log } from '#core/kernel.ts';
import type { Config } from '#runtime/config.ts';
import type { Bus } from '../sync/ports.ts';

/** What the processes of one instance share beside the database. */
export type Processes = {
  bus: Bus;
  leases: Leases;
  /** Limits on attempts, counted over all of them. */
  attempts: AttemptLimits;
  others: ReturnType<typeof followOthers>;
  /** The database as this process has it; closing it takes leave of the others first. */
  database: Database;
  /** Looks whether the command line wrote into the database of a gateway, and has it read again. */
  lookElsewhere: () => void;
  /** The same, with commits of the other processes heard too: rows as they stand now, `before` unknown. */
  heard: Database;
};

const both = (stop: () => void, stopToo: () => void) => () => {
  stop();
  stopToo();
};

/** A process that hears nothing of the others answers what is no longer so: nobody is sent to it. */
export const busHealth = (bus: Pick<Bus, 'isHeard'>) =>
  bus.isHeard()
    ? { ok: true }
    : {
        ok: false,
        detail: 'the other processes of this instance are not heard; see --bus-url and --bus-database-url',
      };

/** Joins this process to the others of its instance; on SQLite there is the command line, which tells nobody. */
export async function joinProcesses(
  config: Pick<Config, 'role' | 'databaseUrl' | 'busUrl' | 'busDatabaseUrl' | 'jwtSecret'>,
  deps: { database: Database; now: () => number; random: () => number; log: Log },
): Promise<Processes> {
  const { log } = deps;
  const onError = (error: unknown) =>
    log.error({ err: error }, 'what another process changed could not be followed');
  const bus =
    config.databaseUrl === null
      ? createMemoryBus(onError)
      : await busOf(config.busDatabaseUrl ?? config.databaseUrl);
  const database: Database = {
    ...deps.database,
    async close() {
      await bus.close();
      await others.settled();
      await deps.database.close();
    },
  };
  const others = followOthers({ bus, read: database.read, onError });
  // one process on SQLite tells nobody, but for the gateways that follow a hosted instance's feeds
  if (config.role === 'hosted' || config.databaseUrl !== null)
    tellOthers({ bus, onCommit: database.onCommit });
  return {
    bus,
    lookElsewhere() {
      if (database.changedElsewhere()) bus.tell({ is: 'gap' });
    },
    others,
    database,
    attempts: database.dialect === 'postgres' ? sharedAttempts(runStatement(database.read)) : ownAttempts,
    leases: createLeases({
      read: database.read,
      clock: database.dialect === 'postgres' ? 'database' : deps.now,
    }),
    heard: {
      ...database,
      onCommit: (listener: CommitListener) => both(database.onCommit(listener), others.onCommit(listener)),
      onRows: (listener: RowListener) => both(database.onRows(listener), others.onRows(listener)),
    },
  };

  async function busOf(url: string): Promise<Bus> {
    const { read } = deps.database;
    const carrier =
      config.busUrl === null
        ? postgresCarrier({ url, elsewhere: runStatement(read) })
        : natsCarrier({
            servers: config.busUrl,
            secret: config.jwtSecret ?? (await instanceValue(read, 'jwt_secret')),
          });
    const joined = createProcessBus({ ...deps, carrier, onError });
    await joined.ready;
    return joined;
  }
}
