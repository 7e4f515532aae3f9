import type { RowOf } from '#contract/resource.ts';
import { notification } from '#contract/resources/notifications.ts';
import { insertIfAbsent } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { languageOf, type News, type Notify, type Recipients } from '#core/notifying.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import type { NotifyQueries, Reader } from './ports.ts';
import { type DeliverDeps, deliveriesOf, idFor } from './put-in-line.ts';

export type NotifyDeps = Omit<DeliverDeps, 'clockOf' | 'queries'> & { queries: NotifyQueries };

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
    if (to.who === 'owner') return queries.ownerOf(to.farmId);
    return to.who === 'operators' ? queries.operatorsOf(to.farmId) : queries.attendantsOf(to.farmId);
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
