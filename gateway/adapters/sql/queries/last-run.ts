import type { Db } from '../database.ts';

/** Last time known to be good, kept over restarts; id in instance_values. */
export const GOOD_TIME = 'good_time';

/** What an earlier run left behind. */
export async function lastRun(db: Db): Promise<{ goodTime: number | null }> {
  const row = await db
    .selectFrom('instance_values')
    .select('value')
    .where('id', '=', GOOD_TIME)
    .executeTakeFirst();
  const ms = row === undefined ? Number.NaN : Date.parse(row.value);
  return { goodTime: Number.isNaN(ms) ? null : ms };
}
