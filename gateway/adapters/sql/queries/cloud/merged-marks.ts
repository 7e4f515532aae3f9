import type { Db } from '../../database.ts';

// Prefixes as features name them (schedules: merged-marks, hold-arrivals, overriding-reason; alerts: heartbeat-log).
const MARK = 'merged_before:';
const ARRIVING = 'arriving:';
const SHOWN_REASON = 'shown_reason:';
const SILENT = 'heartbeat_lost:';

/** Notes of how control points stood before rows of the other instance came, oldest first. */
export function mergedMarks(db: Db): Promise<{ id: string; value: string }[]> {
  return withPrefix(db, MARK);
}

/** Control points of farms that have not come whole yet. */
export async function arrivingPoints(db: Db): Promise<string[]> {
  return (await withPrefix(db, ARRIVING)).map(({ id }) => id.slice(ARRIVING.length));
}

/** Which reason over every order was told last, by control point. */
export function shownReasons(db: Db): Promise<{ id: string; value: string }[]> {
  return withPrefix(db, SHOWN_REASON);
}

/** Controllers of which the log says that they fell silent, and not yet that they are back, by control point. */
export function silentHeartbeats(db: Db): Promise<{ id: string; value: string }[]> {
  return withPrefix(db, SILENT);
}

function withPrefix(db: Db, prefix: string) {
  return db
    .selectFrom('instance_values')
    .select(['id', 'value'])
    .where('id', '>=', prefix)
    .where('id', '<', `${prefix}~`)
    .orderBy('id')
    .execute();
}
