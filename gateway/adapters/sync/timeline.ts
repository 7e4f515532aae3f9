import { type RawBuilder, sql } from 'kysely';
import type { Database, Db } from '#adapters/sql/database.ts';
import { OWN_STREAM } from '#adapters/sql/instance.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { stampLimit } from '#store/merge/time-return.ts';

const CACHED_MS = 1_000;

/**
 * Names the life of the database: another one after a failover, a restore to a point in time, a restored copy. It may
 * have lost its last commits, so gateways that see it change compare what they have.
 */
export function createTimeline(deps: {
  database: Pick<Database, 'dialect' | 'read'>;
  monotonic: () => number;
}): () => Promise<string> {
  const { database, monotonic } = deps;
  const look =
    database.dialect === 'postgres' ? postgresTimeline(database.read) : sqliteTimeline(database.read);
  let known: { at: number; value: Promise<string> } | null = null;
  return () => {
    if (known !== null && monotonic() - known.at < CACHED_MS) return known.value;
    const asked = { at: monotonic(), value: look() };
    known = asked;
    // a failed question is asked again by whoever comes next
    asked.value.catch(() => {
      if (known === asked) known = null;
    });
    return asked.value;
  };
}

/** A restore by this program begins a new epoch of the instance itself; a file that was copied back by hand does not. */
function sqliteTimeline(read: Db): () => Promise<string> {
  return async () => {
    const row = await read
      .selectFrom('sync_stream')
      .select(['gateway_id', 'epoch'])
      .where('stream_id', '=', OWN_STREAM)
      .executeTakeFirstOrThrow();
    return `${row.gateway_id}.${row.epoch}`;
  };
}

/** Ways to the timeline, best first: the file of the log names it at once, the control file after a checkpoint. */
const TIMELINES: readonly RawBuilder<{ timeline: string }>[] = [
  sql`select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint::text as timeline`,
  sql`select timeline_id::text as timeline from pg_control_checkpoint()`,
];
const SYSTEM = sql<{ system: string }>`select system_identifier::text as system from pg_control_system()`;

function postgresTimeline(read: Db): () => Promise<string> {
  return async () => {
    // a role without the right to ask, or a service that hides it: chains and points alone have to tell then
    const timeline = await firstAnswer(read, TIMELINES, ({ timeline }) => timeline);
    const system = await firstAnswer(read, [SYSTEM], ({ system }) => system);
    const { rows } = await sql<{ oid: string }>`
      select oid::text as oid from pg_database where datname = current_database()`.execute(read);
    return `${system}.${timeline}.${rows[0]?.oid ?? ''}`;
  };
}

async function firstAnswer<Row>(
  read: Db,
  questions: readonly RawBuilder<Row>[],
  answer: (row: Row) => string,
): Promise<string> {
  for (const question of questions) {
    try {
      const { rows } = await question.execute(read);
      const [row] = rows;
      if (row !== undefined) return answer(row);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return '';
}

/** Not permitted, not there, or not possible on a standby; a lost connection is none of these. */
function isRefusal(error: unknown): boolean {
  const { code } = error instanceof Error ? (error as Error & { code?: string }) : {};
  return code !== undefined && ['42501', '42883', '55000', '0A000'].includes(code);
}

/** When every register was looked at; id in instance_values. */
const LOOKED_AT = 'stamps_looked_at';

type Deps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  database: Pick<Database, 'read' | 'ping' | 'aheadMs'>;
};

/**
 * Hosted: brings stamps back that lie in the future, whoever drew them there: processes of before stamps were the
 * database's, or a database whose own clock was wrong. The first look goes through all registers; later ones at the
 * streams alone, which whatever is written beyond draws along.
 */
export async function returnFutureStamps({ database, now, commit, log }: Deps): Promise<void> {
  const { read } = database;
  await database.ping();
  const nowMs = now() - (database.aheadMs() ?? 0);
  const looked = await read
    .selectFrom('instance_values')
    .select('id')
    .where('id', '=', LOOKED_AT)
    .executeTakeFirst();
  const drawn = await read
    .selectFrom('sync_stream')
    .select('stream_id')
    .where('hlc', '>', stampLimit(nowMs))
    .limit(1)
    .executeTakeFirst();
  if (looked !== undefined && drawn === undefined) return;
  const { returned } = await commit({
    actor: null,
    changes: [put(instanceValue, { id: LOOKED_AT, value: isoOf(nowMs) })],
    returnStamps: true,
  });
  if (returned !== undefined && returned.rows + returned.streams > 0)
    log.warn(
      { ...returned },
      'stamps from the future were brought back; the gateways that know them compare everything once',
    );
}
