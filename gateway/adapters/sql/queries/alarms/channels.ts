import { sql } from 'kysely';
import { invitation } from '#contract/resources/invitations.ts';
import { delivery, outgoingLetter } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { isoOf } from '#core/kernel.ts';
import type { LetterQueries } from '#features/alarms/letters/send-letters.ts';
import type { ChannelQueries, Delivery } from '#features/alarms/notifications/ports.ts';
import type { Farm, Invitation } from '#features/people/invitations/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf, farmQueries } from '../farm/farms.ts';
import { createdAfter, inChunks } from '../paging.ts';

export function channelQueries(db: Db): ChannelQueries {
  const visibleOf = (userId: string) =>
    db.selectFrom('notification_channels').selectAll().where('user_id', '=', userId).where('hidden', '=', 0);
  const deliveriesTo = (channelId: string) => db.selectFrom('deliveries').where('channel_id', '=', channelId);
  return {
    async channelOf(userId, id) {
      const row = await visibleOf(userId).where('id', '=', id).executeTakeFirst();
      return row ? decodeRow(notificationChannel, row) : null;
    },
    channelsOf: (userId, page) =>
      inChunks(page, async (after, { limit, offset }) => {
        const rows = await visibleOf(userId)
          .where(createdAfter(after))
          .orderBy('created_at')
          .orderBy('id')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(notificationChannel, row));
      }),
    async countChannels(userId) {
      const row = await db
        .selectFrom('notification_channels')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('user_id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async channelAt(userId, kind, address) {
      const row = await visibleOf(userId)
        .where('kind', '=', kind)
        .where('address', '=', address)
        .executeTakeFirst();
      return row ? decodeRow(notificationChannel, row) : null;
    },
    async isChannelIdTaken(id) {
      const row = await db
        .selectFrom('notification_channels')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst();
      return row !== undefined;
    },
    async standingOf(channelId) {
      const pending = await deliveriesTo(channelId)
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('state', '=', 'PENDING')
        .executeTakeFirst();
      const waiting = await deliveriesTo(channelId)
        .select('last_error')
        .where('state', '=', 'PENDING')
        .where('last_error', 'is not', null)
        .orderBy('created_at')
        .limit(1)
        .executeTakeFirst();
      const done = deliveriesTo(channelId)
        .select(['state', 'last_error', 'done_at'])
        .where('done_at', 'is not', null)
        .orderBy('done_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1);
      const lastDone = await done.executeTakeFirst();
      const lastSent =
        lastDone?.state === 'SENT' ? lastDone : await done.where('state', '=', 'SENT').executeTakeFirst();
      return {
        pending: Number(pending?.n ?? 0),
        lastSentAt: lastSent?.done_at ?? null,
        lastDone: lastDone ? { state: lastDone.state, last_error: lastDone.last_error } : null,
        waitsFor: waiting?.last_error ?? null,
      };
    },
    deliveriesOf: (channelId, state, page) =>
      inChunks(page, async (after: Delivery | null, { limit, offset }) => {
        const rows = await deliveriesTo(channelId)
          .selectAll()
          .$if(state !== null, (query) => query.where('state', '=', state ?? 'PENDING'))
          .$if(after !== null, (query) =>
            query.where(sql<boolean>`(created_at, id) < (${after?.created_at ?? ''}, ${after?.id ?? ''})`),
          )
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return rows.map((row) => decodeRow(delivery, row));
      }),
    async waitingIds(channelId, limit) {
      const rows = await deliveriesTo(channelId)
        .select('id')
        .where('state', '=', 'PENDING')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async countDeliveries(channelId, state) {
      const row = await deliveriesTo(channelId)
        .select((count) => count.fn.countAll<number>().as('n'))
        .$if(state !== null, (query) => query.where('state', '=', state ?? 'PENDING'))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async newestConfirmation(channelId) {
      const row = await deliveriesTo(channelId)
        .select(['id', 'created_at'])
        .where('purpose', '=', 'CONFIRMATION')
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ?? null;
    },
    async zoneOf(userId) {
      const row = await db
        .selectFrom('farms')
        .select('timezone')
        .where('id', 'in', farmIdsOf(db, userId))
        .where('hidden', '=', 0)
        .orderBy('created_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst();
      return row?.timezone ?? null;
    },
  };
}

/** No wait is longer: what is due later was put off by a clock that was wrong. */
const LONGEST_WAIT_MS = 2 * 3_600_000;

export function letterQueries(db: Db): LetterQueries {
  return {
    async due(now, limit) {
      const rows = await db
        .selectFrom('invitation_letters')
        .selectAll()
        .where((either) =>
          either.or([
            either('next_at', '<=', isoOf(now)),
            either('next_at', '>', isoOf(now + LONGEST_WAIT_MS)),
          ]),
        )
        .orderBy('next_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => decodeRow(outgoingLetter, row));
    },
    async claim({ id, next_at }, until) {
      const claimed = await db
        .updateTable('invitation_letters')
        .set({ next_at: until })
        .where('id', '=', id)
        .where('next_at', '=', next_at)
        .returning('id')
        .execute();
      return claimed.length > 0;
    },
    async putOff(id, next_at, attempts) {
      await db.updateTable('invitation_letters').set({ next_at, attempts }).where('id', '=', id).execute();
    },
  };
}

/** The invitation that a letter is of; null: it is gone, or its farm is. */
export const invitationOfLetter =
  (db: Db) =>
  async (id: string): Promise<{ invitation: Invitation; farm: Farm } | null> => {
    const row = await db
      .selectFrom('invitations')
      .selectAll()
      .where('id', '=', id)
      .where('hidden', '=', 0)
      .executeTakeFirst();
    if (row === undefined) return null;
    const farm = await farmQueries(db).farmById(row.farm_id);
    return farm === null ? null : { invitation: decodeRow(invitation, row), farm };
  };
