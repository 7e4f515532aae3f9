import { sql } from 'kysely';
import {
  idempotentAnswer,
  passwordReset,
  paymentEvent,
  pushAction,
  revokedToken,
  session,
} from '#contract/resources/local-tables.ts';
import { command, parkedChange, syncConflict, takenCommand } from '#contract/resources/sync-tables.ts';
import { type Change, purge, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Database } from './database.ts';
import { movedOn } from './queries/cloud/sync-conflicts.ts';

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

/** Rows removed at a time, so that control never waits for a clean-up. */
const SLICE = 500;
/** A provider sends an event again for three days, and by hand for a month. */
const EVENTS_KEPT_MS = 90 * 24 * 3600 * 1000;
/** The journey of an order from afar; the order itself stays where it was carried out. */
const COMMANDS_KEPT_MS = 90 * 24 * 3600 * 1000;
/** As long as a change that lost: by then a comparison of both sides has told what fitted nowhere. */
const ASIDE_KEPT_MS = 90 * 24 * 3600 * 1000;
/** No order lives longer than a quarter of an hour: none of these can come again. */
const TAKEN_KEPT_MS = 7 * 24 * 3600 * 1000;
const ANSWERS_KEPT_MS = 24 * 3600 * 1000;
/** The code of a forgotten password lives for half an hour. */
const RESETS_KEPT_MS = 24 * 3600 * 1000;
/** What a notification offers ends after an hour. */
const ACTIONS_KEPT_MS = 24 * 3600 * 1000;
/** Counts end with their window, the longest of which is an hour. */
const COUNTS_KEPT_MS = 3600 * 1000;

/**
 * Removes what has run out: stored answers of creates, logged-out tokens that are expired anyway, sessions, counts. To be called while
 * the clock is trusted: one that is years ahead would bring every logged-out token back to life.
 */
export async function sweepExpired(
  database: Database,
  { now, elapsedSince, log }: Pick<Kernel, 'now' | 'elapsedSince' | 'log'>,
): Promise<void> {
  const { read } = database;
  const answersBefore = isoOf(now() - ANSWERS_KEPT_MS);
  await inSlices(database, idempotentAnswer, async () => {
    const found = await read
      .selectFrom('idempotent_answers')
      .select(['id', 'created_at'])
      .where('created_at', '<', answersBefore)
      .limit(SLICE)
      .execute();
    return found.filter(({ created_at }) => elapsedSince(Date.parse(created_at)) > ANSWERS_KEPT_MS);
  });
  await inSlices(database, revokedToken, async () => {
    const found = await read
      .selectFrom('revoked_tokens')
      .select(['id', 'expires_at'])
      .where('expires_at', '<', isoOf(now()))
      .limit(SLICE)
      .execute();
    return found.filter(({ id, expires_at }) => {
      const issuedAt = timeOfId(id);
      // a clock that was set forward since it was issued has made it no older
      return issuedAt === null || elapsedSince(issuedAt) > Date.parse(expires_at) - issuedAt;
    });
  });
  await inSlices(database, passwordReset, () =>
    read
      .selectFrom('password_resets')
      .select('id')
      .where('asked_at', '<', isoOf(now() - RESETS_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, pushAction, () =>
    read
      .selectFrom('push_actions')
      .select('id')
      .where('created_at', '<', isoOf(now() - ACTIONS_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, session, async () => {
    const found = await read
      .selectFrom('sessions')
      .select(['id', 'last_used_at', 'expires_at'])
      .where('expires_at', '<', isoOf(now()))
      .limit(SLICE)
      .execute();
    return found.filter(({ last_used_at, expires_at }) => {
      const usedAt = Date.parse(last_used_at);
      return elapsedSince(usedAt) > Date.parse(expires_at) - usedAt;
    });
  });
  await inSlices(database, paymentEvent, () =>
    read
      .selectFrom('payment_events')
      .select('id')
      .where('received_at', '<', isoOf(now() - EVENTS_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, command, () =>
    read
      .selectFrom('commands')
      .select('id')
      .where('state_at', '<', isoOf(now() - COMMANDS_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  await inSlices(database, takenCommand, () =>
    read
      .selectFrom('commands_taken')
      .select('id')
      .where('taken_at', '<', isoOf(now() - TAKEN_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  const aside = await inSlices(database, parkedChange, () =>
    read
      .selectFrom('sync_parked')
      .select('id')
      .where('parked_at', '<', isoOf(now() - ASIDE_KEPT_MS))
      .limit(SLICE)
      .execute(),
  );
  if (aside > 0) log.warn({ rows: aside }, 'changes that fitted nowhere for 90 days were dropped');
  if (database.dialect === 'postgres') await forgetCounts(read, now());
}

/** A box whose clock nobody can trust keeps the answers of about so many creates: months of them, and a few MB. */
const ANSWERS_KEPT = 10_000;

/** An order from afar lives for a quarter of an hour; a hosted instance in other hands sends twenty a second. */
const TAKEN_KEPT = 50_000;

/** Whatever the clock says: the newest stay, so that nothing said from afar fills a box. */
export async function sweepTaken(database: Database, kept = TAKEN_KEPT): Promise<void> {
  await inSlices(database, takenCommand, () =>
    database.read
      .selectFrom('commands_taken')
      .select('id')
      .orderBy('taken_at', 'desc')
      .orderBy('id', 'desc')
      .limit(SLICE)
      .offset(kept)
      .execute(),
  );
}

/** While nothing tells how old an answer is: the newest stay, so that a box without clock and link never fills up. */
export async function sweepByCount(database: Database, kept = ANSWERS_KEPT): Promise<void> {
  await inSlices(database, pushAction, () =>
    database.read
      .selectFrom('push_actions')
      .select('id')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(SLICE)
      .offset(kept)
      .execute(),
  );
  await inSlices(database, idempotentAnswer, () =>
    database.read
      .selectFrom('idempotent_answers')
      .select('id')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(SLICE)
      .offset(kept)
      .execute(),
  );
}

/** What processes count together; nothing waits for these rows. */
async function forgetCounts(read: Database['read'], nowMs: number): Promise<void> {
  await sql`delete from request_counts where expire < ${Math.floor(nowMs) - COUNTS_KEPT_MS}`.execute(read);
  await sql`delete from open_requests as o where not exists (select 1 from jsonb_each_text(o.places) as p
    where p.value::bigint > extract(epoch from clock_timestamp()) * 1000)`.execute(read);
}

/** When an id was made (UUID v7, RFC 9562 5.7), ms since 1970; null for another. */
function timeOfId(id: string): number | null {
  return id[14] === '7' ? Number.parseInt(id.replace('-', '').slice(0, 12), 16) : null;
}

async function inSlices(
  database: Database,
  resource: Parameters<typeof purge<{ id: string }>>[0],
  next: () => Promise<{ id: string }[]>,
): Promise<number> {
  for (let gone = 0; ; ) {
    const due = await next();
    gone += due.length;
    if (due.length > 0)
      await database.commit({ changes: due.map(({ id }) => purge(resource, id)), actor: null });
    if (due.length < SLICE) return gone;
  }
}
