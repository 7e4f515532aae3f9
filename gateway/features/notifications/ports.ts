import type { RowOf, Stored } from '#contract/resource.ts';
import type { notification } from '#contract/resources/notifications.ts';
import type { NotificationType } from '#contract/words.ts';

export type Notification = Stored<RowOf<typeof notification>>;

export type NotificationFilter = { userId: string; type: NotificationType | null; isUnreadOnly: boolean };

/** Facts the notification use cases ask for; a user's own notifications only. */
export type NotificationQueries = {
  /** Newest first. */
  notificationsOf: (
    filter: NotificationFilter,
    page: { offset: number; limit: number },
  ) => Promise<Notification[]>;
  countNotifications: (filter: NotificationFilter) => Promise<number>;
  /** null: there is none of that id that is the user's. */
  notificationOf: (userId: string, id: string) => Promise<Notification | null>;
  /** Ids of unread notifications, at most `limit`, in no order. */
  unreadIds: (userId: string, limit: number) => Promise<string[]>;
  countUnread: (userId: string) => Promise<{ type: NotificationType; count: number }[]>;
};

/** Who is told about a farm: its owner and the members who may act, each once. */
export type ReadersOf = (farmId: string) => Promise<{ userId: string; language: string | null }[]>;
