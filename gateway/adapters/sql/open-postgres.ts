import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Committed, Unit } from '#core/changes.ts';
import { applyUnit } from '#core/commit.ts';
import { StaleError, StorageUnavailable, UniqueViolation } from '#core/errors.ts';
import { commitListeners, type Database, type Stamping, unitContext } from './database.ts';
import { readLinesHere } from './read-lines.ts';
import type { Tables } from './tables.ts';

const BIGINT = 20;

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

  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    dialect: 'postgres',
    read,
    readLong: read,
    readLines: readLinesHere(read),
    commit,
    // another process would not see it
    storeUnsaved: async () => undefined,
    hasUnsaved: () => false,
    onCommit: listeners.add,
    forgetOverwritten: () => Promise.resolve(true),
    async ping() {
      await pool.query('select 1');
    },
    async close() {
      await pool.end();
    },
  };
}

async function runUnit(client: pg.PoolClient, unit: Unit, stamping: Stamping): Promise<Committed> {
  await client.query("begin; select set_config('farm.unit_is_open', '1', true)");
  const steps = applyUnit(unit, unitContext('postgres', stamping));
  let step = steps.next();
  while (!step.done) {
    const { sql, params } = step.value;
    const answer = await client.query<Record<string, unknown>>(numberedMarks(sql), [...params]);
    step = steps.next(answer.rows);
  }
  await client.query('commit');
  return step.value;
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

function asExpected(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const { code, constraint } = error as { code?: string; constraint?: string };
  if (code === '23505') return new UniqueViolation(constraint ?? '');
  if (code !== undefined && RERUN_CODES.has(code)) return new StaleError('the database');
  if (code === '53100') return new StorageUnavailable('full', error);
  if (code === undefined || code.startsWith('08') || code.startsWith('57P') || code.startsWith('E')) {
    return isConnectionTrouble(error, code) ? new StorageUnavailable('connection', error) : error;
  }
  return error;
}

function isConnectionTrouble(error: Error, code: string | undefined): boolean {
  return code !== undefined || /connection|terminat|timeout/i.test(error.message);
}
