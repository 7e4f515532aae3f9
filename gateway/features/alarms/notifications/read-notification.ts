import { notification } from '#contract/resources/notifications.ts';
import { update } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { Notification, NotificationQueries } from './ports.ts';

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
