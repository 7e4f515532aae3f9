import { arrivedNews } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import type { CommittedRow } from '../changes.ts';
import { isoOf } from '../kernel.ts';
import type { Steps, UnitContext } from '../statements.ts';
import type { MergedBatch } from './merge-batch.ts';
import { textOf } from './text-of.ts';
import { insertMany } from './write-rows.ts';

/** What is older is history when it comes: it stands in the list. */
const NEWS_FOR_MS = 24 * 3_600_000;

/**
 * Notes notifications that nobody knew here, so that they go to the channels of this instance, too: channels stay where
 * they were made, and what is told on one instance is told on both.
 */
export function* noteArrivedNews({ set, batch }: MergedBatch, context: UnitContext): Steps<CommittedRow[]> {
  // those tell of what was known here, or was told by the box before
  if (batch.isSnapshot || batch.isRepair === true) return [];
  const since = isoOf(context.nowMs - NEWS_FOR_MS);
  const rows = [...set.works.values()].flatMap(({ resource, id, before, row, hidden }) => {
    const isNews = resource.name === notification.name && before === null && row !== null && !hidden;
    const isFresh = isNews && row['is_read'] !== true && textOf(row['created_at']) >= since;
    return isFresh ? [{ id, arrived_at: isoOf(context.nowMs) }] : [];
  });
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
