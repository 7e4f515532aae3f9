import { OPS, SYNC_SCHEMA, type WireChange, type WireRow } from '#contract/sync/wire.ts';
import type { Incoming, Unit } from '#core/changes.ts';
import { NO_STAMP } from '../register.ts';
import type { Steps, UnitContext } from '../statements.ts';
import { resourceOfEntity } from './shared-tables.ts';
import { insertMany } from './write-rows.ts';

// Gateway: rows of the hosted instance's snapshot are merged as they come, and noted as what it knows. Merging is
// idempotent, so a page that comes twice or an end in between does no harm.

export function snapshotAsIncoming({
  streamId,
  rows,
}: NonNullable<Unit['snapshot']>): Incoming & { isSnapshot: true } {
  return { from: 'hosted', streamId, lane: 'core', changes: rows.map(changeOf), isSnapshot: true };
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
