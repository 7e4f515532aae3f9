import { idempotentAnswer, paymentEvent, revokedToken } from '#contract/resources/local-tables.ts';
import { purge } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Database } from './database.ts';

/** Rows removed at a time, so that control never waits for a clean-up. */
const SLICE = 500;
/** A provider sends an event again for three days, and by hand for a month. */
const EVENTS_KEPT_MS = 90 * 24 * 3600 * 1000;
const ANSWERS_KEPT_MS = 24 * 3600 * 1000;
/**
 * An instance that never met its other half keeps this much of its change log: what is older is no loss, because the
 * first meeting compares registers, not the log.
 */
const CHANGES_KEPT = 50_000;

/** Removes what has run out: stored answers of creates, logged-out tokens that are expired anyway, old change log. */
export async function sweepExpired(database: Database, { now }: { now: () => number }): Promise<void> {
  const { read } = database;
  const answersBefore = isoOf(now() - ANSWERS_KEPT_MS);
  await inSlices(database, idempotentAnswer, () =>
    read
      .selectFrom('idempotent_answers')
      .select('id')
      .where('created_at', '<', answersBefore)
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, revokedToken, () =>
    read
      .selectFrom('revoked_tokens')
      .select('id')
      .where('expires_at', '<', isoOf(now()))
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, paymentEvent, () =>
    read
      .selectFrom('payment_events')
      .select('id')
      .where('received_at', '<', isoOf(now() - EVENTS_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  await shortenChangeLog(database);
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

async function shortenChangeLog({ read }: Database): Promise<void> {
  const streams = await read
    .selectFrom('sync_stream')
    .select(['stream_id', 'core_seq', 'history_seq'])
    .execute();
  for (const { stream_id, core_seq, history_seq } of streams) {
    for (const [lane, head] of [
      ['core', core_seq],
      ['history', history_seq],
    ] as const) {
      const inLane = read
        .selectFrom('sync_change')
        .where('stream_id', '=', stream_id)
        .where('lane', '=', lane);
      for (;;) {
        const oldest = await inLane.select('seq').orderBy('seq').limit(1).executeTakeFirst();
        const last = Math.min((oldest?.seq ?? head) + SLICE - 1, head - CHANGES_KEPT);
        if (oldest === undefined || oldest.seq > last) break;
        await read
          .deleteFrom('sync_change')
          .where('stream_id', '=', stream_id)
          .where('lane', '=', lane)
          .where('seq', '<=', last)
          .execute();
      }
    }
  }
}
