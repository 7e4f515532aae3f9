import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { stampLimit } from '#store/merge/time-return.ts';

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
