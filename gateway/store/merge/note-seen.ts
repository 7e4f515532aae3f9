import { arrivedNews } from '#contract/resources/local-tables.ts';
import { notification } from '#contract/resources/notifications.ts';
import { type LanePoints, OPS, SYNC_SCHEMA, type WireChange, type WireRow } from '#contract/sync/wire.ts';
import type { CommittedRow, Incoming, Unit } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { NO_STAMP, type Steps, type UnitContext } from '../register.ts';
import { textOf } from './canonical-change.ts';
import type { MergedBatch } from './merge.ts';
import { resourceOfEntity } from './shared-tables.ts';
import { insertMany } from './write-rows.ts';

// Gateway: rows of the hosted instance's snapshot are merged as they come, and noted as what it knows. Merging is
// idempotent, so a page that comes twice or an end in between does no harm.

export function snapshotAsIncoming({
  streamId,
  rows,
  isSettled = false,
  heard,
}: NonNullable<Unit['snapshot']>): Incoming & { isSnapshot: true; isSettled: boolean; heard?: LanePoints } {
  const changes = rows.map(changeOf);
  const told = { from: 'hosted', streamId, lane: 'core', changes, isSnapshot: true, isSettled } as const;
  return { ...told, ...(heard === undefined ? {} : { heard }) };
}

/** A row as it stands, as a change that says so. */
export function changeOf({ entity, id, cl, hlc, over, body }: WireRow): WireChange {
  const op = resourceOfEntity(entity)?.sync === 'fact' ? OPS.fact : OPS.put;
  return {
    seq: 0,
    tx: 0,
    entity,
    id,
    op,
    cl,
    hlc: hlc === '' ? NO_STAMP : hlc,
    over,
    base: null,
    body,
    actor: null,
    sv: SYNC_SCHEMA,
    chain: '',
  };
}

export function* noteSeen(
  { rows, isFirst }: NonNullable<Unit['snapshot']>,
  context: UnitContext,
): Steps<void> {
  if (isFirst === true) yield { sql: 'delete from sync_seen', params: [] };
  const seen = rows.map(({ entity, id, cl, hlc, over }) => ({
    entity,
    id,
    cl,
    hlc,
    over_json: JSON.stringify(over),
  }));
  yield* insertMany(
    {
      table: 'sync_seen',
      columns: ['entity', 'id', 'cl', 'hlc', 'over_json'],
      // a row comes twice in one page when nobody meant it to
      rows: [...new Map(seen.map((row) => [`${row.entity} ${row.id}`, row])).values()],
      conflict:
        'on conflict (entity, id) do update set cl = excluded.cl, hlc = excluded.hlc, over_json = excluded.over_json',
    },
    context,
  );
}

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
