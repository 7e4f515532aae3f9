import { sql } from 'kysely';
import { notificationChannel } from '#contract/resources/notification-channels.ts';
import { notification } from '#contract/resources/notifications.ts';
import { membersWith, type Right } from '#contract/rights.ts';
import type {
  AnnouncementQueries,
  Arrived,
  ArrivedQueries,
  Notification,
  NotificationFilter,
  NotificationQueries,
  NotifyQueries,
} from '#features/alarms/notifications/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

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

const IDS_AT_ONCE = 500;
// the index holds for this very word, so it is no parameter
const isPending = sql<boolean>`state = 'PENDING'`;

/** Answers for a long list of ids, a bounded number at a time. */
async function forAll<Row>(
  ids: readonly string[],
  ask: (some: readonly string[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    rows.push(...(await ask(ids.slice(at, at + IDS_AT_ONCE))));
  return rows;
}

export function announcementQueries(db: Db): AnnouncementQueries {
  return {
    announcements: () =>
      db
        .selectFrom('instance_values')
        .select(['id', 'value'])
        .where('id', '>=', 'announcement:')
        .where('id', '<', 'announcement;')
        .orderBy('id')
        .execute(),
    async usersAfter(id, limit) {
      const rows = await db
        .selectFrom('users')
        .select('id')
        .where('id', '>', id)
        .where('is_active', '=', 1)
        .where('hidden', '=', 0)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map((row) => row.id);
    },
  };
}

/** Who is told of alarms of a farm, and who of them can be reached by a channel. */
export function peopleQuery(db: Db) {
  const queries = notifyQueries(db);
  return async (farmId: string): Promise<{ userId: string; hasChannel: boolean }[]> => {
    const people = await queries.attendantsOf(farmId);
    const channels = await queries.openChannelsOf(people.map(({ userId }) => userId));
    const reachable = new Set(channels.map(({ userId }) => userId));
    return people.map(({ userId }) => ({ userId, hasChannel: reachable.has(userId) }));
  };
}

export function notifyQueries(db: Db): NotifyQueries {
  const readers = () =>
    db
      .selectFrom('users')
      .select(['id as userId', 'language'])
      .where('hidden', '=', 0)
      .where('is_active', '=', 1);
  const ownerIdOf = (farmId: string) => db.selectFrom('farms').select('owner_id').where('id', '=', farmId);
  const peopleWith = (right: Right, farmId: string) =>
    readers()
      .where((either) =>
        either.or([
          either('id', 'in', ownerIdOf(farmId)),
          either(
            'id',
            'in',
            db
              .selectFrom('farm_members')
              .select('user_id')
              .where('farm_id', '=', farmId)
              .where('role', 'in', membersWith(right))
              .where('hidden', '=', 0),
          ),
        ]),
      )
      .orderBy('id')
      .execute();
  return {
    async accountsOf(userIds) {
      const rows = await forAll(userIds, (ids) =>
        db
          .selectFrom('users')
          .select(['id as userId', 'language', 'is_active', 'hidden'])
          .where('id', 'in', ids)
          .execute(),
      );
      return rows.map(({ is_active, hidden, ...reader }) => ({
        ...reader,
        isActive: is_active === 1 && hidden === 0,
      }));
    },
    ownerOf: (farmId) => readers().where('id', 'in', ownerIdOf(farmId)).execute(),
    operatorsOf: (farmId) => peopleWith('operate', farmId),
    attendantsOf: (farmId) => peopleWith('attend', farmId),
    recordersOf: (farmId) => peopleWith('record', farmId),
    async knownNotifications(ids) {
      const rows = await forAll(ids, (some) =>
        db.selectFrom('notifications').select('id').where('id', 'in', some).execute(),
      );
      return new Set(rows.map(({ id }) => id));
    },
    async openChannelsOf(userIds) {
      const rows = await forAll(userIds, (ids) =>
        db
          .selectFrom('notification_channels')
          .selectAll()
          .where('user_id', 'in', ids)
          .where('is_active', '=', 1)
          .where('verified_at', 'is not', null)
          .where('hidden', '=', 0)
          .orderBy('created_at')
          .orderBy('id')
          .execute(),
      );
      return rows.map((row) => ({ ...decodeRow(notificationChannel, row), userId: row.user_id }));
    },
    async pendingOf(userIds) {
      const rows = await forAll(userIds, (ids) =>
        db
          .selectFrom('deliveries')
          .select((count) => ['user_id', 'kind', count.fn.countAll<number>().as('n')])
          .where('user_id', 'in', ids)
          .where(isPending)
          .groupBy(['user_id', 'kind'])
          .execute(),
      );
      return rows.map(({ user_id, kind, n }) => ({ userId: user_id, kind, count: Number(n) }));
    },
    async oldestPending({ userId, kind }, limit) {
      const rows = await db
        .selectFrom('deliveries')
        .select('id')
        .where('user_id', '=', userId)
        .where('kind', '=', kind)
        .where(isPending)
        .orderBy('is_critical')
        .orderBy('created_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },
  };
}

export function arrivedQueries(db: Db): ArrivedQueries {
  return {
    async arrived(limit) {
      const notes = await db
        .selectFrom('arrived_news')
        .select('id')
        .orderBy('arrived_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      if (notes.length === 0) return [];
      const notifications = await notificationsOf(
        db,
        notes.map(({ id }) => id),
      );
      const statusById = await statusesOf(db, [...notifications.values()].flatMap(alertIdIn));
      return notes.map(({ id }): Arrived => {
        const told = notifications.get(id) ?? null;
        const [alertId = ''] = told === null ? [] : alertIdIn(told);
        const status = statusById.get(alertId);
        return { id, notification: told, alert: status === undefined ? null : { status } };
      });
    },
  };
}

function alertIdIn({ data }: Notification): string[] {
  const id = data['alert_id'];
  return typeof id === 'string' ? [id] : [];
}

async function notificationsOf(db: Db, ids: readonly string[]): Promise<Map<string, Notification>> {
  const rows = await db
    .selectFrom('notifications')
    .selectAll()
    .where('id', 'in', ids)
    .where('hidden', '=', 0)
    .execute();
  return new Map(rows.map((row) => [row.id, decodeRow(notification, row)]));
}

async function statusesOf(db: Db, ids: readonly string[]): Promise<Map<string, 'ACTIVE' | 'RESOLVED'>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('alerts')
    .select(['id', 'status'])
    .where('id', 'in', ids)
    .where('hidden', '=', 0)
    .execute();
  return new Map(rows.map(({ id, status }) => [id, status]));
}
