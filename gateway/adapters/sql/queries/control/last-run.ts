import type { Db } from '../../database.ts';

/** Last time known to be good, kept over restarts; id in instance_values. */
export const GOOD_TIME = 'good_time';
/** The true time is this at least: the last good time and what has passed since. */
export const LEAST_TIME = 'least_time';
/** The time the program last went by, right or not: what was left of anything then is not more now. */
export const SHOWN_TIME = 'shown_time';

export type LastRun = Record<'goodTime' | 'leastTime' | 'shownTime', number | null>;

/** What an earlier run left behind. */
export async function lastRun(db: Db): Promise<LastRun> {
  const rows = await db
    .selectFrom('instance_values')
    .select(['id', 'value'])
    .where('id', 'in', [GOOD_TIME, LEAST_TIME, SHOWN_TIME])
    .execute();
  const timeOf = (id: string): number | null => {
    const ms = Date.parse(rows.find((row) => row.id === id)?.value ?? '');
    return Number.isNaN(ms) ? null : ms;
  };
  const goodTime = timeOf(GOOD_TIME);
  const leastTime = latest(goodTime, timeOf(LEAST_TIME));
  return { goodTime, leastTime, shownTime: latest(leastTime, timeOf(SHOWN_TIME)) };
}

function latest(...times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}
