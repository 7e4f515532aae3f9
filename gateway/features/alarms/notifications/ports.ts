import type { RowOf, Stored } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import type { delivery } from '#contract/resources/local-tables.ts';
import type { notificationChannel } from '#contract/resources/notification-channels.ts';
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

export type Reader = { userId: string; language: string | null };

export type Channel = Stored<RowOf<typeof notificationChannel>>;

/** An open channel as far as it decides what goes to it. */
export type ChannelWishes = Pick<
  Channel,
  'id' | 'kind' | 'types' | 'min_severity' | 'quiet_from' | 'quiet_to' | 'timezone'
> & { userId: string };

/** Facts behind who is told what, and where. */
export type NotifyQueries = {
  /** Of the ids that are known, deleted accounts as switched off. */
  accountsOf: (userIds: readonly string[]) => Promise<(Reader & { isActive: boolean })[]>;
  /** None when the account is switched off. */
  ownerOf: (farmId: string) => Promise<Reader[]>;
  /** The owner of a farm and its members who look after its devices, each once; accounts that are switched off left out. */
  operatorsOf: (farmId: string) => Promise<Reader[]>;
  /** The same with those who answer alarms at the pond. */
  attendantsOf: (farmId: string) => Promise<Reader[]>;
  /** The owner and who writes down what was done at the ponds. */
  recordersOf: (farmId: string) => Promise<Reader[]>;
  knownNotifications: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Channels that are confirmed and switched on. */
  openChannelsOf: (userIds: readonly string[]) => Promise<ChannelWishes[]>;
  /** How many deliveries wait for each of these users, by the kind of channel; where there is none it may be left out. */
  pendingOf: (
    userIds: readonly string[],
  ) => Promise<(Pick<ChannelWishes, 'userId' | 'kind'> & { count: number })[]>;
  /** Ids of the deliveries that wait longest for this user on channels of the kind, of what is not critical first. */
  oldestPending: (of: Pick<ChannelWishes, 'userId' | 'kind'>, limit: number) => Promise<string[]>;
};

export type Delivery = RowOf<typeof delivery>;

/** News of the other instance that this one has not told its channels yet. */
export type Arrived = {
  id: string;
  /** null: it was deleted meanwhile. */
  notification: Notification | null;
  /** The alert it is about, as it stands now; null: there is none. */
  alert: Pick<Stored<RowOf<typeof alert>>, 'status'> | null;
};

export type ArrivedQueries = {
  /** The first to arrive first, at most `limit`. */
  arrived: (limit: number) => Promise<Arrived[]>;
};

/** What is told to everybody: its rows, and who is still to be told. */
export type AnnouncementQueries = {
  announcements: () => Promise<{ id: string; value: string }[]>;
  /** Ids of active accounts after that one, in order. */
  usersAfter: (id: string, limit: number) => Promise<string[]>;
};

/** How a channel does, by what was last sent to it. */
export type ChannelStanding = {
  pending: number;
  lastSentAt: string | null;
  /** The newest that came to an end; null: none did. */
  lastDone: Pick<Delivery, 'state' | 'last_error'> | null;
  /** What keeps the one that is tried now; null: nothing does. */
  waitsFor: string | null;
};

/** Facts about channels; only visible rows, and of this user, unless it says otherwise. */
export type ChannelQueries = {
  channelOf: (userId: string, id: string) => Promise<Channel | null>;
  /** Oldest first, as a stream. */
  channelsOf: (userId: string, page: { skip: number; limit: number | undefined }) => AsyncIterable<Channel>;
  countChannels: (userId: string) => Promise<number>;
  channelAt: (userId: string, kind: Channel['kind'], address: string) => Promise<Channel | null>;
  /** Any row of that id, of anyone, deleted or not. */
  isChannelIdTaken: (id: string) => Promise<boolean>;
  standingOf: (channelId: string) => Promise<ChannelStanding>;
  /** Newest first. */
  deliveriesOf: (
    channelId: string,
    state: Delivery['state'] | null,
    page: { skip: number; limit: number | undefined },
  ) => AsyncIterable<Delivery>;
  /** Ids of what waits for a channel, at most `limit`. */
  waitingIds: (channelId: string, limit: number) => Promise<string[]>;
  countDeliveries: (channelId: string, state: Delivery['state'] | null) => Promise<number>;
  /** The code that was sent last, by its delivery. */
  newestConfirmation: (channelId: string) => Promise<Pick<Delivery, 'id' | 'created_at'> | null>;
  /** Zone of the first farm the user owns or works on. */
  zoneOf: (userId: string) => Promise<string | null>;
};

/** Secrets of channels are not stored: each is made anew from the one secret of the instance. */
export type ChannelSecrets = {
  webhookSecret: (channelId: string, generation: string) => string;
  /** Eight digits that prove that a mail arrived at its address. */
  code: (deliveryId: string, address: string) => string;
  isCode: (deliveryId: string, address: string, typed: string) => boolean;
};
