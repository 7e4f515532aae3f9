import { arrivedNews } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import type { CommittedRow } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Steps, UnitContext } from '../statements.ts';
import type { MergedBatch } from './merged.ts';
import { textOf } from './text-of.ts';
import { insertMany } from './write-rows.ts';

/**
 * What is older is history when it comes: it stands in the list. Not so what tells of an alert: a box that started with a
 * wrong clock dates tonight's alarm days back, and whether the alert still stands is known without any clock.
 */
const NEWS_FOR_MS = 24 * 3_600_000;

/**
 * Notes notifications that nobody knew here, so that they go to the channels of this instance, too: channels stay where
 * they were made, and what is told on one instance is told on both.
 */
export function* noteArrivedNews({ set, batch }: MergedBatch, context: UnitContext): Steps<CommittedRow[]> {
  // those tell of what was known here, or was told by the box before
  if (batch.isSnapshot || batch.isRepair === true) return [];
  const since = isoOf(context.nowMs - NEWS_FOR_MS);
  const unread = [...set.works.values()].flatMap(({ resource, id, before, row, hidden }) => {
    const isNews = resource.name === notification.name && before === null && row !== null && !hidden;
    return isNews && row['is_read'] !== true ? [{ id, row }] : [];
  });
  const isFresh = ({ row }: Unread) => textOf(row['created_at']) >= since;
  const told = [...unread.filter(isFresh), ...lastPerAlert(unread.filter((one) => !isFresh(one)))];
  const rows = told.map(({ id }) => ({ id, arrived_at: isoOf(context.nowMs) }));
  yield* insertMany(
    {
      table: arrivedNews.name,
      columns: ['id', 'arrived_at'],
      rows,
      conflict: 'on conflict (id) do nothing',
    },
    context,
  );
  return rows.map((row) => ({
    table: arrivedNews.name,
    id: row.id,
    before: null,
    after: row,
    rev: 0,
    hidden: false,
  }));
}

type Unread = { id: string; row: Readonly<Record<string, unknown>> };

/** An alert that stood for a month without a link was told again and again: once to each person is enough now. */
function lastPerAlert(unread: readonly Unread[]): Unread[] {
  const last = new Map<string, Unread>();
  for (const one of unread) {
    const alertId = alertOf(one);
    if (alertId === null) continue;
    const key = `${alertId} ${textOf(one.row['user_id'])}`;
    const other = last.get(key);
    if (other === undefined || textOf(other.row['created_at']) <= textOf(one.row['created_at']))
      last.set(key, one);
  }
  return [...last.values()];
}

function alertOf({ row: { data } }: Unread): string | null {
  if (typeof data !== 'object' || data === null || !('alert_id' in data)) return null;
  return typeof data.alert_id === 'string' ? data.alert_id : null;
}
