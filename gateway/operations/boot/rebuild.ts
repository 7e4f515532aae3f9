import { runAlone } from '#adapters/sql/new-epoch.ts';
import type { SqliteConnection } from '#adapters/sql/open-sqlite.ts';
import type { Resource } from '#contract/resource.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { deviceKey } from '#contract/resources/local-tables.ts';
import { relay } from '#contract/resources/relays.ts';
import { schedule } from '#contract/resources/schedules.ts';
import { type Change, purge, remove } from '#core/changes.ts';
import { prepareSqlite } from '#runtime/open-database.ts';
import { type LastGood, rowsOfLastGood } from './last-good.ts';
import { beginHistory, type HistoryDeps, type Story } from './new-history.ts';

/** Makes an empty database what the last known good configuration says, as a new history of the same gateway. */
export function rebuild(connection: SqliteConnection, deps: HistoryDeps, good: LastGood, story: Story): void {
  prepareSqlite(connection, deps.now());
  // an owner who was deleted leaves a farm whose motors still turn: a reference to nobody must not stop them
  connection.pragma('foreign_keys = OFF');
  connection.prepare('update sync_stream set gateway_id = ?').run(good.gateway_id);
  runAlone(connection, deps, rowsOfLastGood(good));
  beginHistory(connection, deps, { story, syncEpochAbove: good.sync_epoch });
  connection.pragma('foreign_keys = ON');
}

/**
 * Brings the tables of control of an older database forward to the configuration, which was saved later in the same
 * history: what is missing comes, what differs follows, what was deleted since goes.
 */
export function bringForward(connection: SqliteConnection, good: LastGood): Change[] {
  const stored = (table: string) => idsOf(connection, table);
  const known = new Map<string, ReadonlyMap<string, boolean>>();
  const changes = rowsOfLastGood(good).flatMap((change): Change[] => {
    if (change.op !== 'insert') return [change];
    const { resource, row } = change;
    const ids = known.get(resource.name) ?? stored(resource.name);
    known.set(resource.name, ids);
    if (resource.sync === 'local') return [{ op: 'put', resource, row }];
    const isHidden = ids.get(row.id);
    if (isHidden === undefined) return [change];
    if (isHidden) return [];
    const { id, ...set } = row;
    return [{ op: 'update', resource, id, set, expectRev: null }];
  });
  return [
    ...changes,
    ...gone(stored('control_points'), good.control_points).map((id) => remove(controlPoint, id)),
    ...gone(stored('schedules'), good.schedules).map((id) => remove(schedule, id)),
    ...gone(stored('device_keys'), good.device_keys).map((id) => purge(deviceKey, id)),
    ...gone(stored('relays'), good.relays).map((id) => purge(relay, id)),
  ];
}

const LOCAL_TABLES: ReadonlySet<string> = new Set(['device_keys', 'first_key_uses', 'relays', 'numeric_ids']);

/** Ids of a table, and whether each is deleted. */
function idsOf(connection: SqliteConnection, table: Resource['name']): Map<string, boolean> {
  const isLocal = LOCAL_TABLES.has(table);
  const rows = connection
    .prepare(`select id, ${isLocal ? '0' : 'hidden'} as hidden from ${table}`)
    // two columns every such table has
    .all() as { id: string; hidden: number }[];
  return new Map(rows.map(({ id, hidden }) => [id, hidden === 1]));
}

function gone(stored: ReadonlyMap<string, boolean>, good: readonly { id: string }[]): string[] {
  const stays = new Set(good.map(({ id }) => id));
  return [...stored].filter(([id, isHidden]) => !isHidden && !stays.has(id)).map(([id]) => id);
}
