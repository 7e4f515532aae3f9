import type { RowOf } from '#contract/resource.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import { type Change, insertIfAbsent, purge, update } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { languageOf, type News, type Notify, quietUntil, type Recipients } from '#core/notifying.ts';
import { placedId } from '#core/placed-id.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { type ZoneClock, zoneClocks } from '#core/zone-clock.ts';
import type { ChannelWishes, Notification, NotificationQueries, NotifyQueries, Reader } from './ports.ts';
import { isCritical, isWanted } from './save-channel.ts';

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

const idFor = ({ placedAt }: Pick<News, 'placedAt'>, personId: string, id: string): string =>
  placedAt === undefined ? id : placedId(id, { at: placedAt, personId });

type NotifyDeps = Omit<DeliverDeps, 'clockOf' | 'queries'> & { queries: NotifyQueries };

/** The one way people are told: rows of notifications and of what goes to their channels, for one commit. */
export function createNotify(deps: NotifyDeps): Notify {
  const clockOf = zoneClocks();
  return async (to, what) => {
    const readers = await readersOf(deps, to);
    const rows = readers.map((reader) => ({ reader, row: rowFor(deps, reader, to, what) }));
    const known = await deps.queries.knownNotifications(rows.map(({ row }) => row.id));
    const told = rows.filter(({ row }) => !known.has(row.id));
    return [
      ...told.map(({ row }) => insertIfAbsent(notification, row)),
      ...(await deliveriesOf(
        { ...deps, clockOf },
        told.map(({ reader, row }) => ({ userId: reader.userId, notificationId: row.id })),
        what,
      )),
    ];
  };
}

async function readersOf({ queries }: NotifyDeps, to: Recipients): Promise<Reader[]> {
  if ('farmId' in to) {
    const { [to.who]: readers } = {
      owner: queries.ownerOf,
      operators: queries.operatorsOf,
      attendants: queries.attendantsOf,
      recorders: queries.recordersOf,
    };
    return readers(to.farmId);
  }
  const ids = [...new Set(to.userIds)];
  const known = new Map((await queries.accountsOf(ids)).map((account) => [account.userId, account]));
  return ids.flatMap((userId) => {
    const account = known.get(userId);
    // who is not there yet is made by the same commit
    if (account === undefined) return [{ userId, language: to.language ?? null }];
    return account.isActive ? [account] : [];
  });
}

function rowFor(
  deps: NotifyDeps,
  { userId, language }: Reader,
  to: Recipients,
  what: News,
): RowOf<typeof notification> {
  const inWords = languageOf(language);
  return {
    id: idFor(what, userId, deps.idOf(`notification:${what.cause}:${userId}`)),
    user_id: userId,
    farm_id: what.farmId === undefined ? ('farmId' in to ? to.farmId : null) : what.farmId,
    type: what.type,
    title: what.title(inWords),
    message: what.message(inWords),
    data: what.severity === undefined ? what.data : { severity: what.severity, ...what.data },
    is_read: false,
    read_at: null,
    created_at: isoOf(what.at ?? deps.now()),
  };
}

type ReadDeps = Pick<Kernel, 'now'> & { queries: NotificationQueries };

/** Decides that a notification was read; the first time it was read stays. Throws 404 for one of somebody else. */
export async function readNotification(
  deps: ReadDeps,
  userId: string,
  id: string,
): Promise<Decision<Pick<Notification, 'id' | 'is_read' | 'read_at'>>> {
  const current = await deps.queries.notificationOf(userId, id);
  if (current === null) throw notFound('Notification');
  if (current.is_read) return { answer: current };
  const set = { is_read: true, read_at: isoOf(deps.now()) };
  return { answer: { id, ...set }, changes: [update(notification, current, set)] };
}

/** Rows of one commit: a short one each, so that control never waits for years of unread notifications. */
const SLICE = 200;

/** Marks everything the user has not read, in slices that are committed one by one; answers how many there were. */
export async function readAllNotifications(
  deps: ReadDeps & Pick<Kernel, 'commit' | 'pause' | 'random'>,
  userId: string,
): Promise<number> {
  const set = { is_read: true, read_at: isoOf(deps.now()) };
  let marked = 0;
  for (;;) {
    const { answer: size, committed } = await perform(deps, userId, async () => {
      const ids = await deps.queries.unreadIds(userId, SLICE);
      return { answer: ids.length, changes: ids.map((id) => update(notification, id, set)) };
    });
    marked += committed.rows.length;
    if (size < SLICE) return marked;
  }
}
