import { notification } from '#contract/resources/notifications.ts';
import type { NotificationFilter, NotificationQueries, ReadersOf } from '#features/notifications/ports.ts';
import type { Db } from '../database.ts';
import { decodeRow } from '../tables.ts';

type Lists = Pick<NotificationQueries, 'notificationsOf' | 'countNotifications'>;

/** What may be long. */
export function notificationLists(db: Db): Lists {
  return {
    async notificationsOf(filter, { offset, limit }) {
      const rows = await matching(db, filter)
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .offset(offset)
        .execute();
      return rows.map((row) => decodeRow(notification, row));
    },
    async countNotifications(filter) {
      const row = await matching(db, filter)
        .select((count) => count.fn.countAll<number>().as('n'))
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
  };
}

export function notificationQueries(db: Db): Omit<NotificationQueries, keyof Lists> {
  return {
    async notificationOf(userId, id) {
      const row = await db
        .selectFrom('notifications')
        .selectAll()
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(notification, row) : null;
    },
    async unreadIds(userId, limit) {
      const rows = await matching(db, { userId, type: null, isUnreadOnly: true })
        .select('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
    async countUnread(userId) {
      const rows = await matching(db, { userId, type: null, isUnreadOnly: true })
        .select((count) => ['type', count.fn.countAll<number>().as('n')])
        .groupBy('type')
        .execute();
      return rows.map(({ type, n }) => ({ type, count: Number(n) }));
    },
  };
}

function matching(db: Db, { userId, type, isUnreadOnly }: NotificationFilter) {
  return db
    .selectFrom('notifications')
    .where('user_id', '=', userId)
    .where('hidden', '=', 0)
    .$if(type !== null, (query) => query.where('type', '=', type ?? 'ALERT'))
    .$if(isUnreadOnly, (query) => query.where('is_read', '=', 0));
}

/** The owner of a farm and its members who may act on it; accounts that are switched off are not told. */
export function readersQuery(db: Db): ReadersOf {
  return async (farmId) => {
    const rows = await db
      .selectFrom('users')
      .select(['id as userId', 'language'])
      .where('hidden', '=', 0)
      .where('is_active', '=', 1)
      .where((either) =>
        either.or([
          either('id', 'in', db.selectFrom('farms').select('owner_id').where('id', '=', farmId)),
          either(
            'id',
            'in',
            db
              .selectFrom('farm_members')
              .select('user_id')
              .where('farm_id', '=', farmId)
              .where('role', 'in', ['MANAGER', 'TECHNICIAN'])
              .where('hidden', '=', 0),
          ),
        ]),
      )
      .orderBy('id')
      .execute();
    return rows;
  };
}
