import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Committed, Unit } from '#core/changes.ts';
import { StaleError, StorageUnavailable, UniqueViolation } from '#core/errors.ts';
import { applyUnit } from '#store/commit.ts';
import { commitListeners, type Database, readLinesHere, type Stamping, unitContext } from './database.ts';
import type { Tables } from './tables.ts';

const BIGINT = 20;
/** Wall time of the database, ms since 1970. */
const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** A pool whose integers are numbers, with the bounds that keep a forgotten transaction from blocking a farm. */
export function connectPostgres(url: string, maxConnections = 10): pg.Pool {
  const types = {
    getTypeParser: (oid: number, format?: 'text' | 'binary') =>
      oid === BIGINT ? Number : pg.types.getTypeParser(oid, format),
  };
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: 5_000,
    types: types as pg.CustomTypesConfig,
    options: '-c lock_timeout=5s -c idle_in_transaction_session_timeout=10s -c statement_timeout=30s',
  });
  // an idle connection that breaks raises an event; the next query opens another
  pool.on('error', () => undefined);
  // one that breaks between two statements of a unit raises it on itself, and unheard it would end the program; the next
  // statement on it fails by itself
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

export function openPostgres(
  pool: pg.Pool,
  stamping: Stamping,
  onListenerError: (error: unknown) => void,
): Database {
  const listeners = commitListeners(onListenerError);

  async function commit(unit: Unit): Promise<Committed> {
    const client = await pool.connect().catch((cause: unknown) => {
      throw new StorageUnavailable('connection', cause);
    });
    let broken: Error | undefined;
    try {
      const committed = await runUnit(client, unit, stamping);
      listeners.tell(committed);
      return committed;
    } catch (error) {
      await client.query('rollback').catch((cause: unknown) => {
        broken = cause instanceof Error ? cause : new Error(String(cause));
      });
      throw asExpected(error);
    } finally {
      client.release(broken);
    }
  }

  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readPool(pool) }) });
  const clock = { aheadMs: null as number | null };
  return {
    dialect: 'postgres',
    read,
    readLong: read,
    readLines: readLinesHere(read),
    commit,
    // another process would not see it
    storeUnsaved: async () => undefined,
    hasUnsaved: () => false,
    changedElsewhere: () => false,
    onCommit: listeners.onCommit,
    onRows: listeners.onRows,
    forgetOverwritten: () => Promise.resolve(true),
    async ping() {
      const askedAt = stamping.monotonic();
      const { rows } = await pool.query<{ now: number }>(`select ${NOW} as now`);
      const tookMs = stamping.monotonic() - askedAt;
      const ahead = stamping.now() - tookMs / 2 - (rows[0]?.now ?? NaN);
      // what the way there may hide says nothing
      clock.aheadMs = Math.abs(ahead) <= tookMs / 2 ? 0 : ahead;
    },
    aheadMs: () => (stamping.stampsBy === 'database' ? clock.aheadMs : null),
    async close() {
      await pool.end();
    },
  };
}

/** The pool as reads see it: a database that is away, or that takes too long, is told as such and not as a fault of the program. */
function readPool(pool: pg.Pool): PostgresPool {
  const seen = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  function toldBy(client: pg.PoolClient): PostgresPoolClient {
    let isGone = false;
    async function query(sql: string, params: readonly unknown[]) {
      try {
        return await client.query(sql, [...params]);
      } catch (error) {
        const trouble = asExpected(error);
        isGone ||= trouble instanceof StorageUnavailable && trouble.reason === 'connection';
        throw trouble instanceof StaleError ? new StorageUnavailable('locked', error) : trouble;
      }
    }
    return {
      // no cursor is configured: it is asked by statements alone
      query: query as unknown as PostgresPoolClient['query'],
      // the next reader gets another one
      release: (isBroken) => client.release(isBroken === true || isGone),
    };
  }
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect().catch((cause: unknown) => {
        throw new StorageUnavailable('connection', cause);
      });
      const known = seen.get(client);
      if (known !== undefined) return known;
      const told = toldBy(client);
      seen.set(client, told);
      return told;
    },
    end: () => pool.end(),
  };
}

async function runUnit(client: pg.PoolClient, unit: Unit, stamping: Stamping): Promise<Committed> {
  // statements sent together answer with a result each, of which the last holds the time
  const begun: unknown = await client.query(
    `begin; ${unit.mayBeLost ? 'set local synchronous_commit = off; ' : ''}select set_config('farm.unit_is_open', '1', true), ${NOW} as now`,
  );
  const nowMs = stamping.stampsBy === 'database' ? timeIn(begun) : stamping.now();
  const steps = applyUnit(unit, unitContext('postgres', stamping, nowMs));
  let step = steps.next();
  while (!step.done) {
    const { sql, params } = step.value;
    const answer = await client.query<Record<string, unknown>>(numberedMarks(sql), [...params]);
    step = steps.next(answer.rows);
  }
  await client.query('commit');
  return step.value;
}

function timeIn(results: unknown): number {
  const last = Array.isArray(results) ? (results.at(-1) as pg.QueryResult<{ now: number }>) : null;
  const now = last?.rows[0]?.now;
  if (typeof now !== 'number') throw new Error('the database did not say what time it is');
  return now;
}

/** `?` becomes `$1`, `$2`, …; the kernel's statements hold no other question marks. */
function numberedMarks(sql: string): string {
  let n = 0;
  return sql.replaceAll('?', () => {
    n += 1;
    return `$${n}`;
  });
}

const RERUN_CODES = new Set(['40001', '40P01', '55P03']);
/** Ended by `statement_timeout`: the database is too busy for it now. */
const TOOK_TOO_LONG = '57014';

function asExpected(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505') return new UniqueViolation(constraint ?? '');
  if (code !== undefined && RERUN_CODES.has(code)) return new StaleError('the database');
  if (code === TOOK_TOO_LONG) return new StorageUnavailable('locked', error);
  if (code === '53100') return new StorageUnavailable('full', error);
  if (code === undefined || code.startsWith('08') || code.startsWith('57P') || code.startsWith('E')) {
    return isConnectionTrouble(error, code) ? new StorageUnavailable('connection', error) : error;
  }
  return error;
}

function isConnectionTrouble(error: Error, code: string | undefined): boolean {
  return code !== undefined || /connection|terminat|timeout/i.test(error.message);
}
