import { idempotentAnswer, revokedToken } from '#contract/resources/local-tables.ts';
import { purge } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Database } from './database.ts';

/** Rows removed at a time, so that control never waits for a clean-up. */
const SLICE = 500;
const ANSWERS_KEPT_MS = 24 * 3600 * 1000;

/** Removes what has run out: stored answers of creates, and logged-out tokens that are expired anyway. */
export async function sweepExpired(database: Database, { now }: { now: () => number }): Promise<void> {
  const answersBefore = isoOf(now() - ANSWERS_KEPT_MS);
  await inSlices(database, idempotentAnswer, () =>
    database.read
      .selectFrom('idempotent_answers')
      .select('id')
      .where('created_at', '<', answersBefore)
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, revokedToken, () =>
    database.read
      .selectFrom('revoked_tokens')
      .select('id')
      .where('expires_at', '<', isoOf(now()))
      .limit(SLICE)
      .execute(),
  );
}

async function inSlices(
  database: Database,
  resource: Parameters<typeof purge<{ id: string }>>[0],
  next: () => Promise<{ id: string }[]>,
): Promise<void> {
  for (;;) {
    const due = await next();
    if (due.length > 0)
      await database.commit({ changes: due.map(({ id }) => purge(resource, id)), actor: null });
    if (due.length < SLICE) return;
  }
}
