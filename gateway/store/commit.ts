import type { FieldGroup, Resource } from '#contract/resource.ts';
import { address } from '#contract/resources/addresses.ts';
import type { Change, Committed, CommittedRow, GuardSeen, Unit } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import { type ChangeLog, closeLog, fedBy, forgetChanges, openLog } from './change-log.ts';
import { applySync } from './merge/apply-sync.ts';
import { tellLeavers } from './merge/leavers.ts';
import { noteBases } from './merge/note-bases.ts';
import { tellPerson, tellRows } from './merge/whole-rows.ts';
import {
  lockRow,
  newestOf,
  newRegister,
  readRegister,
  type Steps,
  type UnitContext,
  writeRegister,
} from './register.ts';
import { codecOf } from './row-codec.ts';
import { deleteRow, isHiddenIn, restoreRow } from './row-life.ts';

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const stale = ({ entity, id }: GuardSeen): StaleError => new StaleError(`${entity} ${id}`);

// The one way rows of the product change, as a generator of statements: SQLite's driver runs it without a pause
// between BEGIN and COMMIT, PostgreSQL's awaits each statement. Placeholders are `?`.

export function* applyUnit(unit: Unit, context: UnitContext): Steps<Committed> {
  const log = yield* openLog(unit, context);
  yield* holdGuards(unit.guards ?? [], context);
  const heard: Committed = isOfSync(unit) ? yield* applySync(unit, log, context) : { rows: [] };
  const rows: CommittedRow[] = [...heard.rows];
  for (const newcomer of log.state.routes.newcomers) yield* tellPerson(newcomer, log, context);
  for (const { id, streamId } of log.state.routes.addresses)
    yield* tellRows({ resource: address, ids: [id], streams: [streamId] }, log, context);
  rows.push(...(yield* applyChanges(inOrder(unit.changes), log, context)));
  yield* tellLeavers(rows, log, context);
  if (unit.forgotten !== undefined) yield* forgetChanges(unit.forgotten);
  yield* closeLog(log, unit, context);
  return { ...heard, rows, ...fedBy(log, context) };
}

/** Most units are of this instance alone. */
const isOfSync = ({ incoming, snapshot, difference, restamps, returns, returnStamps }: Unit): boolean =>
  (incoming ?? snapshot ?? difference ?? restamps ?? returns ?? returnStamps) !== undefined;

/**
 * By table and id, so that two units never wait for each other. Where rows of a table go and others come, these and what
 * is done to them come last: one that takes the place of another finds it free.
 */
function inOrder(changes: readonly Change[]): readonly Change[] {
  if (changes.length < 2) return changes;
  const losing = new Set(changes.flatMap(({ op, resource }) => (op === 'delete' ? [resource.name] : [])));
  const coming = new Set(
    changes.flatMap((change) =>
      change.op === 'insert' && losing.has(change.resource.name) ? [change.row.id] : [],
    ),
  );
  return changes
    .map((change) => {
      const id = 'row' in change ? change.row.id : change.id;
      return [`${change.resource.name} ${coming.has(id) ? 1 : 0} ${id}`, change] as const;
    })
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, change]) => change);
}

function* applyChanges(
  changes: readonly Change[],
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const rows: CommittedRow[] = [];
  for (let at = 0; at < changes.length; ) {
    const puts = context.dialect === 'postgres' ? putsFrom(changes, at) : [];
    const change = changes[at];
    if (change === undefined) break;
    rows.push(...(yield* puts.length > 1 ? putRows(puts) : applyChange(change, log, context)));
    at += Math.max(1, puts.length);
  }
  return rows;
}

type Put = Extract<Change, { op: 'put' }>;

/** A server that is asked over a socket does as much for a hundred rows as for one. */
const PUTS_AT_ONCE = 100;

/** Rows of one table that are put one after another; no row twice, because one statement writes a row once. */
function putsFrom(changes: readonly Change[], from: number): Put[] {
  const puts: Put[] = [];
  for (const change of changes.slice(from, from + PUTS_AT_ONCE)) {
    const last = puts.at(-1);
    if (change.op !== 'put') break;
    if (last !== undefined && (last.resource !== change.resource || last.row.id === change.row.id)) break;
    puts.push(change);
  }
  return puts;
}

function applyChange(change: Change, log: ChangeLog, context: UnitContext): Steps<CommittedRow[]> {
  switch (change.op) {
    case 'insert':
      return insertRow(change, log);
    case 'update':
    case 'blank':
      return updateRow(change, log, context);
    case 'delete':
      return deleteRow(change, log, context);
    case 'put':
      return putRow(change);
    case 'purge':
      return purgeRow(change);
    case 'erase':
      return eraseRow(change);
    case 'restore':
      return restoreRow(change, log, context);
    case 'tell':
      return tellRow(change, log, context);
  }
}

function* insertRow(change: Extract<Change, { op: 'insert' }>, log: ChangeLog): Steps<CommittedRow[]> {
  const { resource, ifAbsent } = change;
  const codec = codecOf(resource);
  const inserted = yield {
    sql: ifAbsent ? codec.insertIfAbsentSql : codec.insertSql,
    params: codec.values(change.row),
  };
  if (ifAbsent && inserted.length === 0) return [];
  if (resource.sync === 'editable') {
    const stamp = log.stamp(null);
    yield* writeRegister(resource, change.row.id, { cl: 1, hlc: stamp, over: {} });
    yield* log.write({
      resource,
      id: change.row.id,
      op: 'put',
      cl: 1,
      hlc: stamp,
      base: null,
      body: change.row,
    });
  } else if (resource.sync === 'fact') {
    yield* log.write({
      resource,
      id: change.row.id,
      op: 'fact',
      cl: 1,
      hlc: log.stamp(null),
      base: null,
      body: change.row,
    });
  }
  return [
    {
      table: resource.name,
      id: change.row.id,
      before: null,
      after: change.row,
      rev: resource.sync === 'local' ? 0 : 1,
      hidden: false,
    },
  ];
}

function* updateRow(
  change: Extract<Change, { op: 'update' | 'blank' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id } = change;
  const stored = yield* lockRow(resource, id, context);
  if (change.op === 'blank' && stored === null) return [];
  if (stored === null || (stored.hidden && change.op === 'update'))
    throw new StaleError(`${resource.name} ${id}`);
  if (change.op === 'update' && change.expectRev !== null && change.expectRev !== stored.rev)
    throw new StaleError(`${resource.name} ${id}`);
  const codec = codecOf(resource);
  const before = codec.encode(stored.row);
  const wanted = codec.encode(change.set);
  const changed = Object.keys(wanted).filter((column) => wanted[column] !== before[column]);
  if (changed.length === 0) return [];
  yield {
    sql: `update ${resource.name} set ${changed.map((c) => `${c} = ?`).join(', ')}${
      resource.sync === 'local' ? '' : ', rev = rev + 1'
    } where id = ?`,
    params: [...changed.map((c) => wanted[c] ?? null), id],
  };
  const after = { ...stored.row, ...change.set };
  if (resource.sync !== 'local')
    yield* logUpdate({ resource, id, changed, before: stored.row, after }, log, context);
  // what nobody sees is no news
  if (stored.hidden) return [];
  return [
    {
      table: resource.name,
      id,
      before: stored.row,
      after,
      rev: resource.sync === 'local' ? 0 : stored.rev + 1,
      hidden: false,
    },
  ];
}

function* logUpdate(
  edit: {
    resource: Resource;
    id: string;
    changed: readonly string[];
    before: Record<string, unknown>;
    after: Record<string, unknown>;
  },
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const { resource, id, changed, before, after } = edit;
  const groups = Object.entries(resource.groups).filter(([, group]) =>
    group.fields.some((f) => changed.includes(f)),
  );
  // `updated_at` and other ungrouped fields follow the groups; alone they are nothing to merge
  if (groups.length === 0) return;
  const register = (yield* readRegister(resource, id)) ?? newRegister();
  const entries: Parameters<ChangeLog['write']>[0][] = [];
  for (const told of toldTogether(groups)) {
    const base: Record<string, string> = {};
    const body: Record<string, unknown> = {};
    const stamp = log.stamp(newestOf(register));
    for (const [name, group] of told) {
      base[name] = register.over[name] ?? register.hlc;
      body[name] = Object.fromEntries(group.fields.map((field) => [field, after[field]]));
      register.over[name] = stamp;
    }
    if ('updated_at' in after) body['updated_at'] = after['updated_at'];
    entries.push({ resource, id, op: 'put', cl: register.cl, hlc: stamp, base, body, before });
  }
  yield* writeRegister(resource, id, register);
  for (const entry of entries) yield* log.write(entry);
  yield* noteBases(entries, log, context);
}

type Grouped = [name: string, group: FieldGroup];

/** A program that keeps aside what it does not know takes the rest. */
function toldTogether(groups: readonly Grouped[]): Grouped[][] {
  const isOld = ([, { since }]: Grouped): boolean => since === undefined;
  return [groups.filter(isOld), groups.filter((group) => !isOld(group))].filter((told) => told.length > 0);
}

const putRow = (change: Put): Steps<CommittedRow[]> => putRows([change]);

function* putRows(puts: readonly Put[]): Steps<CommittedRow[]> {
  const [first] = puts;
  if (first === undefined) return [];
  const { resource } = first;
  if (resource.sync !== 'local') throw new Error(`put is for local tables, ${resource.name} is synchronised`);
  const encoded = puts.map(({ row }) => codecOf(resource).encode(row));
  const columns = Object.keys(encoded[0] ?? {});
  const others = columns.filter((column) => column !== 'id');
  yield {
    sql: `insert into ${resource.name} (${columns.join(', ')}) values ${encoded.map(() => `(${marks(columns)})`).join(', ')} on conflict (id) do update set ${others
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}`,
    params: encoded.flatMap((row) => columns.map((column) => row[column] ?? null)),
  };
  return puts.map(({ row }) => ({
    table: resource.name,
    id: row.id,
    before: null,
    after: row,
    rev: 0,
    hidden: false,
  }));
}

function* purgeRow({ resource, id, seen }: Extract<Change, { op: 'purge' }>): Steps<CommittedRow[]> {
  if (resource.sync !== 'local')
    throw new Error(`purge is for local tables, ${resource.name} is synchronised`);
  const codec = codecOf(resource);
  const purged = yield {
    sql: `delete from ${resource.name} where id = ?${
      seen === undefined ? '' : ` and ${seen.column} = ?`
    } returning ${codec.columns.join(', ')}`,
    params: seen === undefined ? [id] : [id, seen.value],
  };
  if (seen !== undefined && purged.length === 0) throw new StaleError(`${resource.name} ${id}`);
  return purged.map((stored) => {
    const row = codec.decode(stored);
    return { table: resource.name, id, before: row, after: row, rev: 0, hidden: true };
  });
}

function* tellRow(
  { resource, id, streamId }: Extract<Change, { op: 'tell' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  yield* tellRows({ resource, ids: [id], streams: [streamId] }, log, context);
  return [];
}

function* eraseRow({ resource, id }: Extract<Change, { op: 'erase' }>): Steps<CommittedRow[]> {
  if (resource.sync === 'local')
    throw new Error(`erase is for synchronised tables, ${resource.name} is local`);
  // nobody could see it before either: there is nothing to tell
  yield {
    sql: `delete from ${resource.name} where id = ? and ${isHiddenIn(resource)} returning id`,
    params: [id],
  };
  return [];
}

function marks(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}

// A guard that nobody moved yet has no row: its number is 0.

/** Holds what a decision rests on until its unit ends; in one order, so that two units never wait for each other. */
function* holdGuards(guards: readonly GuardSeen[], { dialect }: UnitContext): Steps<void> {
  const inOrder = guards.toSorted((a, b) => order(a.entity, b.entity) || order(a.id, b.id));
  // on SQLite a unit is the only writer until it ends: parents need no lock, and are looked at together
  if (dialect === 'sqlite') yield* lookAtParents(inOrder.filter(({ isParent }) => isParent));
  for (const guard of inOrder) {
    if (guard.isParent && dialect === 'sqlite') continue;
    const holds = yield* guard.isParent ? lockParent(guard) : move(guard);
    if (!holds) throw stale(guard);
  }
}

function* lookAtParents(parents: readonly GuardSeen[]): Steps<void> {
  if (parents.length === 0) return;
  const numbers = parents.map(
    (_, place) => `(select n from guards where entity = ? and id = ?) as n${place}`,
  );
  const [row] = yield {
    sql: `select ${numbers.join(', ')}`,
    params: parents.flatMap(({ entity, id }) => [entity, id]),
  };
  parents.forEach((parent, place) => {
    if (Number(row?.[`n${place}`] ?? 0) !== parent.n) throw stale(parent);
  });
}

/** Keeps a parent from moving until the unit ends; false when it moved since it was read. */
function* lockParent({ entity, id, n }: GuardSeen): Steps<boolean> {
  const locked = { sql: 'select n from guards where entity = ? and id = ? for share', params: [entity, id] };
  const [row] = yield locked;
  if (row !== undefined) return Number(row['n']) === n;
  yield {
    sql: 'insert into guards (entity, id, n) values (?, ?, 0) on conflict do nothing',
    params: [entity, id],
  };
  const [made] = yield locked;
  return Number(made?.['n']) === n;
}

/** Moves a guard on; false when somebody else did since it was read. */
function* move({ entity, id, n }: GuardSeen): Steps<boolean> {
  const moved = yield n === 0
    ? {
        sql: `insert into guards (entity, id, n) values (?, ?, 1)
          on conflict (entity, id) do update set n = guards.n + 1 where guards.n = 0 returning n`,
        params: [entity, id],
      }
    : {
        sql: 'update guards set n = n + 1 where entity = ? and id = ? and n = ? returning n',
        params: [entity, id, n],
      };
  return moved.length > 0;
}
