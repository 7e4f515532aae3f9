import { sql } from 'kysely';
import { delivery } from '#contract/resources/local-tables.ts';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import type { ChannelQueries, Delivery } from '#features/alarms/notifications/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { farmIdsOf } from '../farm/visible-farms.ts';
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
