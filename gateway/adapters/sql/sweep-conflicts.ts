import { sql } from 'kysely';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { type Change, purge, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Database } from './database.ts';
import { movedOn } from './queries/cloud/sync-conflicts.ts';

/** Rows at a time, so that control never waits for a clean-up. */
const SLICE = 500;
/** So long a change that lost can be brought back. */
const KEPT_MS = 90 * 24 * 3600 * 1000;

/** Forgets conflicts after a quarter of a year, and notes of those that were changed again since that they are settled. */
export async function sweepConflicts(
  { read, commit, dialect }: Database,
  { now }: { now: () => number },
): Promise<void> {
  const at = isoOf(now());
  async function inSlices(next: () => Promise<{ id: string }[]>, change: (id: string) => Change) {
    for (;;) {
      const due = await next();
      if (due.length > 0) await commit({ changes: due.map(({ id }) => change(id)), actor: null });
      if (due.length < SLICE) return;
    }
  }
  await inSlices(
    () =>
      read
        .selectFrom('sync_conflicts')
        .select('id')
        .where('found_at', '<', isoOf(now() - KEPT_MS))
        .limit(SLICE)
        .execute(),
    (id) => purge(syncConflict, id),
  );
  await inSlices(
    () =>
      read
        .selectFrom('sync_conflicts as c')
        .select('c.id')
        .where('c.state', '=', 'open')
        .where(sql<boolean>`exists (${movedOn(dialect)})`)
        .limit(SLICE)
        .execute(),
    (id) => update(syncConflict, id, { state: 'superseded', settled_at: at }),
  );
}
