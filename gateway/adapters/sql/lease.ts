import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Db } from './database.ts';

export type Lease = {
  /** Grows with every change of holder: what an older term still writes can be told apart. */
  term: number;
};

/** Work that one process does for all. */
export type Leases = {
  /**
   * Takes a lease, or keeps it: `ms` from now by the database's clock. null: somebody else has it. Throws when the
   * database does not answer; then nobody may count on having it for longer than it was granted.
   */
  take(name: string, ms: number): Promise<Lease | null>;
  /** Gives it up, so that another process need not wait for its end. */
  giveUp(name: string): Promise<void>;
  holder: string;
};

export function createLeases(
  deps: {
    read: Db;
    /** The clock of PostgreSQL, which all processes share; on SQLite that of the only process. */
    clock: 'database' | (() => number);
  },
  holder: string = randomUUID(),
): Leases {
  const { read, clock } = deps;
  const nowMs = () =>
    clock === 'database'
      ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
      : sql<number>`${sql.lit(Math.floor(clock()))}`;
  return {
    holder,
    async take(name, ms) {
      // one statement: it takes what is free or run out, or lengthens its own, and nothing else
      const { rows } = await sql<{ term: number }>`
        insert into leases (id, holder, until_ms, term) values (${name}, ${holder}, ${nowMs()} + ${sql.lit(ms)}, 1)
        on conflict (id) do update set
          term = case when leases.holder = excluded.holder then leases.term else leases.term + 1 end,
          holder = excluded.holder,
          until_ms = excluded.until_ms
        where leases.holder = excluded.holder or leases.until_ms <= ${nowMs()}
        returning term`.execute(read);
      const [row] = rows;
      return row === undefined ? null : { term: Number(row.term) };
    },
    async giveUp(name) {
      await sql`update leases set until_ms = 0 where id = ${name} and holder = ${holder}`.execute(read);
    },
  };
}

export type HeldLease = {
  /** Takes or keeps it; called a few times within its length. Never throws. */
  look(): Promise<void>;
  /** Whether this process may act now: by its own monotonic clock, and a little less long than it was granted. */
  isHeld(): boolean;
  /** Ends acting at once, then lets others have it. */
  giveUp(): Promise<void>;
};

/** A share of the granted time that is not used: another process's question may arrive while ours is still on its way. */
const UNUSED = 0.2;

/** Keeps one lease for work that goes on between two looks, such as following schedules. */
export function holdLease(deps: {
  leases: Pick<Leases, 'take' | 'giveUp'>;
  name: string;
  ms: number;
  monotonic: () => number;
  onError: (error: unknown) => void;
}): HeldLease {
  const { leases, name, ms, monotonic } = deps;
  const state = { until: Number.NEGATIVE_INFINITY, looking: null as Promise<void> | null };
  async function take(): Promise<void> {
    // granted by the database some time after this moment, so it lasts there at least as long as here
    const askedAt = monotonic();
    try {
      const lease = await leases.take(name, ms);
      state.until = lease === null ? Number.NEGATIVE_INFINITY : askedAt + ms * (1 - UNUSED);
    } catch (error) {
      deps.onError(error);
    }
  }
  return {
    look() {
      state.looking ??= take().finally(() => {
        state.looking = null;
      });
      return state.looking;
    },
    isHeld: () => monotonic() < state.until,
    async giveUp() {
      await state.looking;
      state.until = Number.NEGATIVE_INFINITY;
      await leases.giveUp(name).catch(deps.onError);
    },
  };
}

/** A regular task that runs in one process only, whichever holds the lease of its name. */
export function underLease(
  leases: Pick<Leases, 'take'>,
  { name, ms, run }: { name: string; ms: number; run: () => unknown },
): () => Promise<void> {
  return async () => {
    if ((await leases.take(name, ms)) !== null) await run();
  };
}

/** Work that another process does not do at the same moment; whoever comes meanwhile leaves it to the one that is at it. */
export async function unlessAtIt(
  leases: Pick<Leases, 'take' | 'giveUp'>,
  { name, ms, run }: { name: string; ms: number; run: () => Promise<unknown> },
): Promise<void> {
  if ((await leases.take(name, ms)) === null) return;
  try {
    await run();
  } finally {
    await leases.giveUp(name);
  }
}
