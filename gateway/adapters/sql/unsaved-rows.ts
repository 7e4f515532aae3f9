import type { Resource } from '#contract/resource.ts';
import { aerator } from '#contract/resources/aerators.ts';
import { alert } from '#contract/resources/alerts.ts';
import { order } from '#contract/resources/control-points.ts';
import { delivery } from '#contract/resources/local-tables.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { notification } from '#contract/resources/notifications.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import type { Change, Committed, CommittedRow, Unit } from '#core/changes.ts';
import type { StorageUnavailable } from '#core/errors.ts';
import { codecOf } from '#store/row-codec.ts';

type Messages = {
  changes: readonly Change[];
  /** The unit consists of nothing else: it may count as done. */
  isWhole: boolean;
  isCritical: boolean;
};

const MESSAGES: ReadonlySet<string> = new Set([alert.name, notification.name, delivery.name]);

const NONE: Messages = { changes: [], isWhole: false, isCritical: false };

const isMessage = ({ resource }: Change): boolean => MESSAGES.has(resource.name);

const isEntry = ({ resource }: Change): boolean => resource.name === logEntry.name;

const isInsert = ({ resource, op }: Change, table: string): boolean =>
  op === 'insert' && resource.name === table;

const idOf = (change: Change): string => ('row' in change ? change.row.id : change.id);

// A full disk must not keep an alarm from people. Rows of messages (alerts, notifications, deliveries and their log
// entries) that it does not take are kept in memory and shown in front of the stored ones: each table is hidden behind a
// temporary view of its name, so that every query of this connection finds them, whoever asks. Where nothing is unsaved
// there is no view.

/** Every table of which rows may be kept. */
const TABLES: readonly Resource[] = [alert, notification, delivery, logEntry, aerator].map(
  // their codecs know the fields of each
  (resource) => resource as unknown as Resource,
);
/** Some 8 MB: a thousand alerts with what they tell five people. What is not critical has half. */
const MOST_ROWS = 8_000;

type Row = { id: string } & Record<string, unknown>;
type Kept = {
  resource: Resource;
  row: Row;
  /** False: it is on disk in an older state, and `set` is what it lacks. */
  isNew: boolean;
  set: Record<string, unknown>;
  isPurged: boolean;
  rev: number;
};

export type UnsavedDeps = {
  run: (sql: string, params?: readonly (string | number | null)[]) => void;
  read: (sql: string, params: readonly unknown[]) => Record<string, unknown>[];
};

export type UnsavedRows = {
  isEmpty: () => boolean;
  /** Keeps what people must learn of a unit that the disk refused; null: it is no such unit, or there is no room. */
  keep: (unit: Unit, error: StorageUnavailable) => { committed: Committed; isWhole: boolean } | null;
  /** The unit with all that is kept of the rows it changes before its own changes; `done` once it is on disk. */
  joined: (unit: Unit) => { unit: Unit; done: () => void };
  /** Changes that store some of what is kept, the oldest first; to be given to `joined`. */
  oldest: (limit: number) => Change[];
  /** Forgets what can never be stored. */
  drop: (changes: readonly Change[]) => void;
  /** Around a transaction: writes go to the tables, not to the views. */
  hide: () => void;
  show: () => void;
};

export function createUnsavedRows(deps: UnsavedDeps): UnsavedRows {
  const kept = new Map<string, Kept>();
  /** The newest alert of each episode that told nobody: the next one takes its place. */
  const untoldByEpisode = new Map<string, string>();
  const state = { isPrepared: false, isShown: false };

  function prepare(): void {
    if (state.isPrepared) return;
    // nothing of it may need the disk
    deps.run('pragma temp_store = memory');
    for (const { name } of TABLES) {
      deps.run(`create temp table unsaved_${name} as select * from main.${name} where 0`);
      deps.run(`create unique index temp.unsaved_${name}_id on unsaved_${name} (id)`);
      // ids of which the stored row is not shown
      deps.run(`create temp table passed_${name} (id text primary key) without rowid`);
    }
    state.isPrepared = true;
  }

  function show(): void {
    if (state.isShown || !state.isPrepared) return;
    for (const { name } of TABLES)
      deps.run(
        `create temp view ${name} as select * from main.${name} where id not in (select id from temp.passed_${name}) union all select * from temp.unsaved_${name}`,
      );
    state.isShown = true;
  }

  function hide(): void {
    if (!state.isShown) return;
    for (const { name } of TABLES) deps.run(`drop view temp.${name}`);
    state.isShown = false;
  }

  function endWhenEmpty(): void {
    if (kept.size > 0 || !state.isPrepared) return;
    hide();
    for (const { name } of TABLES) {
      deps.run(`drop table temp.unsaved_${name}`);
      deps.run(`drop table temp.passed_${name}`);
    }
    deps.run('pragma temp_store = default');
    state.isPrepared = false;
    untoldByEpisode.clear();
  }

  function write({ resource, row, isPurged, rev }: Kept): void {
    const { name } = resource;
    deps.run(`insert or ignore into temp.passed_${name} values (?)`, [row.id]);
    deps.run(`delete from temp.unsaved_${name} where id = ?`, [row.id]);
    if (isPurged) return;
    const codec = codecOf(resource);
    const isShared = resource.sync !== 'local';
    const columns = [...codec.columns, ...(isShared ? ['rev', 'hidden'] : [])];
    deps.run(
      `insert into temp.unsaved_${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      [...codec.values(row), ...(isShared ? [rev, 0] : [])],
    );
  }

  function forget(key: string): void {
    const entry = kept.get(key);
    if (entry === undefined) return;
    kept.delete(key);
    const { name } = entry.resource;
    deps.run(`delete from temp.unsaved_${name} where id = ?`, [entry.row.id]);
    deps.run(`delete from temp.passed_${name} where id = ?`, [entry.row.id]);
  }

  /** As it stands now, kept or stored. */
  function present(resource: Resource, id: string): { row: Row; rev: number } | null {
    const [found] = deps.read(`select * from ${resource.name} where id = ?`, [id]);
    if (found === undefined || found['hidden'] === 1) return null;
    // decoded by the codec of its own table, which has an id
    return { row: codecOf(resource).decode(found) as Row, rev: Number(found['rev'] ?? 0) };
  }

  function take(change: Change): CommittedRow | null {
    const { resource } = change;
    const id = 'row' in change ? change.row.id : change.id;
    const key = keyOf(resource, id);
    const known = kept.get(key) ?? null;
    const before = present(resource, id);
    let entry: Kept;
    if (change.op === 'insert') {
      if (before !== null || known !== null) return null;
      const rev = resource.sync === 'local' ? 0 : 1;
      entry = { resource, row: change.row, isNew: true, set: {}, isPurged: false, rev };
    } else if (change.op === 'purge') {
      if (before === null) return null;
      entry = { resource, row: before.row, isNew: false, set: {}, isPurged: true, rev: 0 };
    } else if (change.op === 'update') {
      if (before === null) return null;
      const isNew = known?.isNew ?? false;
      const set = { ...known?.set, ...change.set };
      const rev = before.rev + (isNew || known !== null || resource.sync === 'local' ? 0 : 1);
      entry = { resource, row: { ...before.row, ...change.set }, isNew, set, isPurged: false, rev };
    } else return null;
    if (entry.isPurged && known?.isNew === true) forget(key);
    else {
      kept.set(key, entry);
      write(entry);
    }
    const { row: after, rev, isPurged: hidden } = entry;
    return { table: resource.name, id, before: before?.row ?? null, after, rev, hidden };
  }

  /** A probe tells of the same trouble every few seconds: of those that told nobody the newest is enough. */
  function makeRoomFor(changes: readonly Change[]): void {
    const told = changes.some(({ resource }) => resource.name === notification.name);
    for (const change of changes) {
      if (change.op !== 'insert' || change.resource.name !== alert.name) continue;
      const episode = String(change.row['episode_id']);
      const older = untoldByEpisode.get(episode);
      if (older !== undefined) {
        for (const [key, { resource, row, isNew }] of kept) {
          const isOfIt = row.id === older || (resource.name === logEntry.name && alertIdOf(row) === older);
          if (isNew && isOfIt) forget(key);
        }
        untoldByEpisode.delete(episode);
      }
      if (!told) untoldByEpisode.set(episode, change.row.id);
    }
  }

  return {
    isEmpty: () => kept.size === 0,
    keep(unit, error) {
      const { changes, isWhole, isCritical } = messagesIn(unit);
      const most = isCritical ? MOST_ROWS : MOST_ROWS / 2;
      if (changes.length === 0 || kept.size + changes.length > most) return null;
      prepare();
      show();
      makeRoomFor(changes);
      const rows = changes.flatMap((change) => take(change) ?? []);
      endWhenEmpty();
      return { committed: { rows, unsaved: error.reason }, isWhole };
    },
    joined(unit) {
      const keys = new Set(kept.size === 0 ? [] : unit.changes.map(keyOfChange));
      const entries = [...keys].flatMap((key): [string, Kept][] => {
        const entry = kept.get(key);
        return entry === undefined ? [] : [[key, entry]];
      });
      if (entries.length === 0) return { unit, done: () => undefined };
      return {
        unit: { ...unit, changes: [...entries.map(([, entry]) => changeOf(entry)), ...unit.changes] },
        done() {
          for (const [key, stored] of entries) {
            const now = kept.get(key);
            if (now === stored) forget(key);
            // it went on while it was being stored
            else if (now !== undefined) kept.set(key, { ...now, isNew: false });
          }
          endWhenEmpty();
        },
      };
    },
    oldest: (limit) =>
      [...kept.values()]
        .slice(0, limit)
        // changes nothing by itself
        .map(({ resource, row: { id } }): Change => ({ op: 'blank', resource, id, set: {} })),
    drop(changes) {
      for (const change of changes) forget(keyOfChange(change));
      endWhenEmpty();
    },
    hide,
    show,
  };
}

function changeOf({ resource, row, isNew, set, isPurged }: Kept): Change {
  if (isPurged) return { op: 'purge', resource, id: row.id };
  if (isNew) return { op: 'insert', resource, row, ifAbsent: true };
  return { op: 'update', resource, id: row.id, set, expectRev: null };
}

const keyOf = ({ name }: Resource, id: string): string => `${name} ${id}`;
const keyOfChange = (change: Change): string =>
  keyOf(change.resource, 'row' in change ? change.row.id : change.id);

function alertIdOf(row: Row): unknown {
  const details: unknown = row['details'];
  return typeof details === 'object' && details !== null && 'alert_id' in details ? details.alert_id : null;
}

/**
 * What of a unit that the disk refused people must learn all the same: all of one that consists of messages; of a
 * measurement that could not be stored the alerts it raised or ended, and what they tell; of an order what its aerator
 * shows; what became of a delivery. Of anything else nothing: news of what was not done would be untrue.
 */
function messagesIn(unit: Unit): Messages {
  const { changes } = unit;
  const isOfSync =
    unit.incoming ?? unit.stream ?? unit.restamps ?? unit.snapshot ?? unit.difference ?? undefined;
  if (isOfSync !== undefined || changes.length === 0) return NONE;
  const isCritical = changes.some(isOfCritical);
  const isWhole =
    changes.every((change) => isKeepable(change) && (isMessage(change) || isEntry(change))) &&
    changes.some(isMessage);
  if (isWhole) return { changes, isWhole, isCritical };
  const isMeasured = changes.some((change) => isInsert(change, measurement.name));
  const isOrdered = changes.some((change) => isInsert(change, order.name));
  const isSent = changes.some(({ resource, op }) => resource.name === delivery.name && op === 'update');
  const alertIds = new Set(
    changes.flatMap((change) => (change.resource.name === alert.name ? [idOf(change)] : [])),
  );
  const isWanted = (change: Change): boolean => {
    if (!isKeepable(change)) return false;
    if (change.resource.name === aerator.name) return isOrdered;
    if (change.resource.name === delivery.name && change.op !== 'insert') return isSent;
    if (!isMeasured) return false;
    if (isEntry(change)) return alertIds.has(alertIn(change, 'details'));
    return isMessage(change);
  };
  return { changes: changes.filter(isWanted), isWhole: false, isCritical };
}

function isKeepable({ op, resource }: Change): boolean {
  return op === 'insert' || op === 'update' || (op === 'purge' && resource.name === delivery.name);
}

function alertIn(change: Change, field: string): string {
  if (!('row' in change)) return '';
  const said = change.row[field];
  const id = typeof said === 'object' && said !== null && 'alert_id' in said ? said.alert_id : null;
  return typeof id === 'string' ? id : '';
}

function isOfCritical(change: Change): boolean {
  // what became of a message makes no new one
  if (change.op !== 'insert') return true;
  const { severity, is_critical: isCritical, data } = change.row;
  const told = typeof data === 'object' && data !== null && 'severity' in data ? data.severity : null;
  return severity === 'HIGH' || told === 'HIGH' || isCritical === true;
}
