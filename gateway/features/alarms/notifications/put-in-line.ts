import type { RowOf } from '#contract/resource.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { type Change, insertIfAbsent, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type News, quietUntil } from '#core/notifying.ts';
import { placedId } from '#core/placed-id.ts';
import type { ZoneClock } from '#core/zone-clock.ts';
import { isCritical, isWanted } from './channel-rules.ts';
import type { ChannelWishes, NotifyQueries } from './ports.ts';

export type DeliverDeps = Pick<Kernel, 'now' | 'idOf'> & {
  queries: Pick<NotifyQueries, 'openChannelsOf' | 'pendingOf' | 'oldestPending'>;
  clockOf: (zone: string) => ZoneClock;
  /** False for kinds this instance has no way to send: nothing is put in line for them. */
  canSend: (kind: ChannelWishes['kind']) => boolean;
};

/**
 * Most that may wait for one person on one sort of channel: a farm without internet for a week must not fill its disk, nor
 * keep its SMS waiting behind webhooks. Beyond it news stay in the list only; what is critical has as much again, and then
 * takes the place of the oldest.
 */
const MOST_PENDING = 200;

/** As much of news as decides where they go. */
type Wanted = Pick<News, 'type' | 'severity' | 'placedAt'>;

/** What puts notifications in line for the channels of their readers: once each, whoever asks how often. */
export async function deliveriesOf(
  deps: DeliverDeps,
  told: readonly { userId: string; notificationId: string }[],
  what: Wanted,
): Promise<Change[]> {
  if (told.length === 0) return [];
  const notificationByUser = new Map(told.map((one) => [one.userId, one.notificationId]));
  const channels = (await deps.queries.openChannelsOf([...notificationByUser.keys()])).filter(
    (channel) => deps.canSend(channel.kind) && isWanted(channel, what),
  );
  if (channels.length === 0) return [];
  const now = deps.now();
  const critical = isCritical(what);
  const counted = await deps.queries.pendingOf([...new Set(channels.map(({ userId }) => userId))]);
  const pending = new Map(counted.map((line) => [keyOf(line), line.count]));
  const changes: Change[] = [];
  const tooMany = new Map<string, ChannelWishes & { count: number }>();
  for (const channel of channels) {
    const notificationId = notificationByUser.get(channel.userId);
    const line = keyOf(channel);
    const waiting = pending.get(line) ?? 0;
    if (notificationId === undefined || (waiting >= MOST_PENDING && !critical)) continue;
    if (waiting >= 2 * MOST_PENDING) tooMany.set(line, { ...channel, count: waiting + 1 - 2 * MOST_PENDING });
    pending.set(line, waiting + 1);
    const zone = deps.clockOf(channel.timezone);
    const quiet = critical ? null : quietUntil({ from: channel.quiet_from, to: channel.quiet_to, zone }, now);
    changes.push(
      insertIfAbsent(
        delivery,
        lineOf(deps, { channel, what, notificationId }, { now, dueAt: quiet ?? now, isCritical: critical }),
      ),
    );
  }
  for (const { count, ...channel } of tooMany.values())
    for (const id of await deps.queries.oldestPending(channel, count)) changes.push(purge(delivery, id));
  return changes;
}

const keyOf = ({ userId, kind }: Pick<ChannelWishes, 'userId' | 'kind'>): string => `${kind} ${userId}`;

function lineOf(
  deps: DeliverDeps,
  { channel, what, notificationId }: { channel: ChannelWishes; what: Wanted; notificationId: string },
  { now, dueAt, isCritical }: { now: number; dueAt: number; isCritical: boolean },
): RowOf<typeof delivery> {
  return {
    id: idFor(what, channel.userId, deps.idOf(`delivery:${notificationId}:${channel.id}`)),
    notification_id: notificationId,
    channel_id: channel.id,
    user_id: channel.userId,
    kind: channel.kind,
    purpose: 'NOTICE',
    is_critical: isCritical,
    body: null,
    state: 'PENDING',
    attempts: 0,
    next_at: isoOf(dueAt),
    last_error: null,
    created_at: isoOf(now),
    done_at: null,
  };
}

export const idFor = ({ placedAt }: Pick<News, 'placedAt'>, personId: string, id: string): string =>
  placedAt === undefined ? id : placedId(id, { at: placedAt, personId });
