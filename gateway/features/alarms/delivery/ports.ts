import type { RowOf, Stored } from '#contract/resource.ts';
import type { alert } from '#contract/resources/alerts.ts';
import type { delivery } from '#contract/resources/local-tables.ts';
import type {
  ChannelKind,
  notificationChannel,
  OfferedAction,
} from '#contract/resources/notification-channels.ts';
import type { notification } from '#contract/resources/notifications.ts';
import type { Language } from '#core/notifying.ts';

export type Delivery = RowOf<typeof delivery>;
export type Channel = Stored<RowOf<typeof notificationChannel>>;
export type Notification = Stored<RowOf<typeof notification>>;

/** The alert behind a notification as it stands now. */
export type AlertNow = Pick<
  Stored<RowOf<typeof alert>>,
  | 'type'
  | 'value'
  | 'threshold'
  | 'severity'
  | 'status'
  | 'resolved_at'
  | 'acknowledged_at'
  | 'silenced_until'
  | 'shelved_until'
>;

/** A delivery that is due, with all that decides about it. */
export type Job = {
  delivery: Delivery;
  /** null: deleted. */
  channel: Channel | null;
  /** null: the account is gone or switched off. */
  reader: { language: string | null } | null;
  /** false: it is of a farm that the reader is not on (any more). */
  isReadersFarm: boolean;
  notification: Notification | null;
  farmName: string | null;
  /** null: it is not about an alert, or that is gone. */
  alert: AlertNow | null;
};

export type DeliveryStore = {
  /**
   * The due deliveries of a kind, the oldest first. Where several processes share the database each is given to one of
   * them only, and comes again when that one has not ended it within the lease.
   */
  take: (
    kind: ChannelKind,
    which: { isCritical: boolean; now: number; limit: number; exceptChannels: readonly string[] },
  ) => Promise<Job[]>;
  /** Gives deliveries back that were taken and not tried; their turn comes again from then on. */
  release: (ids: readonly string[], at: number) => Promise<void>;
  /** All that waits for a channel. */
  waitingFor: (channelId: string) => Promise<Job[]>;
  /** What else is due for a channel waits as long as the one that failed. */
  postpone: (channelId: string, until: number) => Promise<void>;
};

/** What is sent, in the words of its reader. */
export type Outgoing = {
  /** Receivers drop what came twice by it. */
  id: string;
  purpose: Delivery['purpose'];
  address: string;
  keys: Readonly<Record<string, string>> | null;
  channelId: string;
  title: string;
  /** Paragraphs: what and where, then what to do, then when. */
  text: readonly string[];
  language: Language;
  isCritical: boolean;
  /** When it is sent, ms. */
  at: number;
  /** What its reader may do from it, of a browser. */
  actions?: readonly OfferedAction[];
  /** What is told of the notification to a program. */
  notification: Pick<
    Notification,
    'id' | 'type' | 'title' | 'message' | 'data' | 'farm_id' | 'created_at'
  > | null;
};

/**
 * What became of an attempt; `why` is for the owner of the channel.
 * retry: the other side could not take it now. unreachable: this side has no way out, so it counts as no attempt. later:
 * nor does this, where nothing can be sent for so long, to this channel or at all.
 * refused: it will never be taken. gone: the channel has come to its end.
 */
export type Outcome =
  | { is: 'sent' }
  | { is: 'retry'; why: string; afterMs?: number }
  | { is: 'unreachable'; why: string }
  | { is: 'later'; of: 'channel' | 'all'; why: string; afterMs: number }
  | { is: 'refused'; why: string }
  | { is: 'gone'; why: string };

/** Sends one message. Rejects only when `stop` was raised. */
export type Send = (message: Outgoing, stop: AbortSignal) => Promise<Outcome>;
