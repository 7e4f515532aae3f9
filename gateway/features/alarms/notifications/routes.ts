import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  announcementAnswer,
  announcementCreate,
  type NotificationAnswer,
  notificationPage,
  notificationQuery,
  notificationRead,
  notificationsMarked,
  unreadCount,
} from '#contract/resources/notifications.ts';
import { NOTIFICATION_TYPES } from '#contract/words.ts';
import type { Kernel } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { announce } from './announce.ts';
import { readAllNotifications, readNotification } from './notify.ts';
import type { Notification, NotificationFilter, NotificationQueries } from './ports.ts';

export type NotificationRoutesDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'clockQuality' | 'commit' | 'pause' | 'random'
> & {
  queries: NotificationQueries;
};

// every query asks for the caller's own notifications
const common = { tag: 'Notifications', access: { who: 'account' } } as const;

export function notificationRoutes(deps: NotificationRoutesDeps): Route[] {
  const { queries } = deps;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/notifications/',
      summary: "The caller's notifications, newest first",
      query: notificationQuery,
      answers: { 200: { schema: notificationPage } },
      async handle(request) {
        const { type = null, unread_only = false } = request.query;
        const filter = { userId: signedIn(request).userId, type, isUnreadOnly: unread_only };
        const { skip, size } = windowOf(request.query);
        const total = await queries.countNotifications(filter);
        const rows = await windowRows(deps, filter, { skip, size });
        const pagination = {
          page: Math.floor(skip / size) + 1,
          page_size: size,
          total_items: total,
          total_pages: Math.ceil(total / size),
          has_next: skip + size < total,
          has_previous: skip > 0,
        };
        return { answer: { status: 200, body: { notifications: rows.map(toAnswer), pagination } } };
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      hasNoTag: true,
      token: 'record',
      path: '/notifications/{notification_id}/read',
      summary: 'Mark a notification as read',
      params: z.object({ notification_id: idInput }),
      answers: { 200: { schema: notificationRead } },
      async handle(request) {
        const { userId } = signedIn(request);
        const read = await readNotification(deps, userId, request.params.notification_id);
        const { id, is_read, read_at } = read.answer;
        return { ...read, answer: { status: 200, body: { id, is_read, read_at } } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      token: 'record',
      path: '/notifications/mark-all-read',
      summary: "Mark all of the caller's notifications as read",
      answers: { 200: { schema: notificationsMarked } },
      async handle(request) {
        const marked = await readAllNotifications(deps, signedIn(request).userId);
        const message =
          marked === 1 ? '1 notification marked as read' : `${marked} notifications marked as read`;
        return { answer: { status: 200, body: { message, updated_count: marked } } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/notifications/unread/count',
      summary: 'How many notifications the caller has not read, by type',
      answers: { 200: { schema: unreadCount } },
      async handle(request) {
        const counts = await queries.countUnread(signedIn(request).userId);
        const countByType = new Map(counts.map(({ type, count }) => [type, count]));
        const by_type = Object.fromEntries(
          NOTIFICATION_TYPES.map((type) => [type, countByType.get(type) ?? 0]),
        );
        const unread_count = counts.reduce((sum, { count }) => sum + count, 0);
        return { answer: { status: 200, body: { unread_count, by_type } } };
      },
    }),
  ];
}

/** What of the list is asked for: a page, or as of every other list `skip` and `limit`. */
function windowOf({ page, page_size, skip, limit }: z.infer<typeof notificationQuery>) {
  const size = limit ?? page_size;
  return { size, skip: skip ?? (page - 1) * size };
}

/** So many at once, so that control never waits for a long list. */
const ROWS_AT_ONCE = 500;

async function windowRows(
  { queries, pause }: Pick<NotificationRoutesDeps, 'queries' | 'pause'>,
  filter: NotificationFilter,
  { skip, size }: { skip: number; size: number },
): Promise<Notification[]> {
  const rows: Notification[] = [];
  while (rows.length < size) {
    const limit = Math.min(ROWS_AT_ONCE, size - rows.length);
    const some = await queries.notificationsOf(filter, { offset: skip + rows.length, limit });
    rows.push(...some);
    if (some.length < limit || rows.length === size) break;
    await pause(1);
  }
  return rows;
}

/** An operator tells every account of the instance of maintenance or an update. */
export function announcementRoute(
  deps: Pick<NotificationRoutesDeps, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
): Route {
  return route({
    method: 'POST',
    path: '/announcements/',
    tag: 'Notifications',
    summary: 'Tell every account of this instance of maintenance or an update',
    access: { who: 'admin' },
    body: announcementCreate,
    answers: { 201: { schema: announcementAnswer } },
    idempotent: true,
    handle(request) {
      const made = announce(deps, signedIn(request).userId, request.body);
      const message = 'Every account is being told';
      return Promise.resolve({ ...made, answer: { status: 201, body: { ...made.answer, message } } });
    },
  });
}

function toAnswer(row: Notification): NotificationAnswer {
  return {
    id: row.id,
    user_id: row.user_id,
    type: row.type,
    title: row.title,
    message: row.message,
    data: row.data,
    is_read: row.is_read,
    created_at: row.created_at,
    read_at: row.read_at,
    farm_id: row.farm_id,
  };
}
