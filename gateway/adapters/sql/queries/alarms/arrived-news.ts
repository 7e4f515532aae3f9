import { notification } from '#contract/resources/notifications.ts';
import type { Arrived, ArrivedQueries, Notification } from '#features/alarms/notifications/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';

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
