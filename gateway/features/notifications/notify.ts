import type { RowOf } from '#contract/resource.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import { type Change, insertIfAbsent, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { languageOf, type News, type Notify, type Recipients } from '#core/notifying.ts';
import { placedId } from '#core/placed-id.ts';
import { quietUntil } from '#core/quiet-hours.ts';
import { type ZoneClock, zoneClocks } from '#core/zone-clock.ts';
import { isCritical, isWanted } from './channel-rules.ts';
import type { ChannelWishes, NotifyQueries, Reader } from './ports.ts';

export type NotifyDeps = Pick<Kernel, 'now' | 'idOf'> & {
  queries: NotifyQueries;
  /** False for kinds this instance has no way to send: nothing is put in line for them. */
  canSend: (kind: ChannelWishes['kind']) => boolean;
};

/**
 * Most that may wait for one person: a farm without internet for a week must not fill its disk. Beyond it news stay in
 * the list only; what is critical has as much again, and then takes the place of the oldest.
 */
export const MOST_PENDING = 200;

type Told = { reader: Reader; row: RowOf<typeof notification> };

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
      ...(await deliveriesOf({ ...deps, clockOf }, told, what)),
    ];
  };
}

async function readersOf({ queries }: NotifyDeps, to: Recipients): Promise<Reader[]> {
  if ('farmId' in to) return to.who === 'owner' ? queries.ownerOf(to.farmId) : queries.operatorsOf(to.farmId);
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

const idFor = ({ placedAt }: News, personId: string, id: string): string =>
  placedAt === undefined ? id : placedId(id, { at: placedAt, personId });

async function deliveriesOf(
  deps: NotifyDeps & { clockOf: (zone: string) => ZoneClock },
  told: readonly Told[],
  what: News,
): Promise<Change[]> {
  if (told.length === 0) return [];
  const rowByUser = new Map(told.map(({ reader, row }) => [reader.userId, row]));
  const channels = (await deps.queries.openChannelsOf([...rowByUser.keys()])).filter(
    (channel) => deps.canSend(channel.kind) && isWanted(channel, what),
  );
  if (channels.length === 0) return [];
  const now = deps.now();
  const critical = isCritical(what);
  const pending = await deps.queries.pendingOf([...new Set(channels.map(({ userId }) => userId))]);
  const changes: Change[] = [];
  const tooManyByUser = new Map<string, number>();
  for (const channel of channels) {
    const row = rowByUser.get(channel.userId);
    const waiting = pending.get(channel.userId) ?? 0;
    if (row === undefined || (waiting >= MOST_PENDING && !critical)) continue;
    if (waiting >= 2 * MOST_PENDING) tooManyByUser.set(channel.userId, waiting + 1 - 2 * MOST_PENDING);
    pending.set(channel.userId, waiting + 1);
    const zone = deps.clockOf(channel.timezone);
    const quiet = critical ? null : quietUntil({ from: channel.quiet_from, to: channel.quiet_to, zone }, now);
    changes.push(
      insertIfAbsent(
        delivery,
        lineOf(
          deps,
          { channel, what, notificationId: row.id },
          { now, dueAt: quiet ?? now, isCritical: critical },
        ),
      ),
    );
  }
  for (const [userId, count] of tooManyByUser)
    for (const id of await deps.queries.oldestPending(userId, count)) changes.push(purge(delivery, id));
  return changes;
}

function lineOf(
  deps: NotifyDeps,
  { channel, what, notificationId }: { channel: ChannelWishes; what: News; notificationId: string },
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
