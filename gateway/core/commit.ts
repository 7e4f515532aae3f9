import type { Resource } from '#contract/resource.ts';
import { type ChangeLog, closeLog, openLog } from './change-log.ts';
import type { Change, Committed, CommittedRow, GuardSeen, Unit } from './changes.ts';
import { StaleError } from './errors.ts';
import { newestOf, readRegister, writeRegister } from './register.ts';
import { codecOf } from './row-codec.ts';
import type { Steps, UnitContext } from './statements.ts';

// The one way rows of the product change, as a generator of statements: SQLite's driver runs it without a pause
// between BEGIN and COMMIT, PostgreSQL's awaits each statement. Placeholders are `?`.

export function* applyUnit(unit: Unit, context: UnitContext): Steps<Committed> {
  const log = yield* openLog(unit, context);
  for (const guard of sorted(unit.guards ?? [], (g) => `${g.entity} ${g.id}`))
    yield* holdGuard(guard, context);
  const rows: CommittedRow[] = [];
  for (const change of sorted(unit.changes, changeOrder))
    rows.push(...(yield* applyChange(change, log, context)));
  yield* closeLog(log);
  return { rows };
}

function changeOrder(change: Change): string {
  return `${change.resource.name} ${'row' in change ? change.row.id : change.id}`;
}

function sorted<Item>(items: readonly Item[], key: (item: Item) => string): Item[] {
  return items
    .map((item) => [key(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
}

function* holdGuard({ entity, id, n, isParent }: GuardSeen, context: UnitContext): Steps<void> {
  yield {
    sql: 'insert into guards (entity, id, n) values (?, ?, 0) on conflict do nothing',
    params: [entity, id],
  };
  const held = yield {
    sql: isParent
      ? `select n from guards where entity = ? and id = ? and n = ?${context.dialect === 'postgres' ? ' for share' : ''}`
      : 'update guards set n = n + 1 where entity = ? and id = ? and n = ? returning n',
    params: [entity, id, n],
  };
  if (held.length === 0) throw new StaleError(`${entity} ${id}`);
}

function applyChange(change: Change, log: ChangeLog, context: UnitContext): Steps<CommittedRow[]> {
  switch (change.op) {
    case 'insert':
      return insertRow(change, log);
    case 'update':
      return updateRow(change, log, context);
    case 'delete':
      return deleteRow(change, log, context);
    case 'put':
      return putRow(change);
    case 'purge':
      return purgeRow(change);
  }
}

function* insertRow(change: Extract<Change, { op: 'insert' }>, log: ChangeLog): Steps<CommittedRow[]> {
  const { resource } = change;
  const encoded = codecOf(resource).encode(change.row);
  const columns = Object.keys(encoded);
  const kernel = resource.sync === 'local' ? '' : ', rev, hidden';
  const kernelValues = resource.sync === 'local' ? '' : ', 1, 0';
  const inserted = yield {
    sql: `insert into ${resource.name} (${columns.join(', ')}${kernel}) values (${marks(columns)}${kernelValues})${
      change.ifAbsent ? ' on conflict (id) do nothing' : ''
    } returning id`,
    params: Object.values(encoded),
  };
  if (inserted.length === 0) return [];
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
  change: Extract<Change, { op: 'update' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id } = change;
  const stored = yield* lockRow(resource, id, context);
  if (stored === null || stored.hidden) throw new StaleError(`${resource.name} ${id}`);
  if (change.expectRev !== null && change.expectRev !== stored.rev)
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
  if (resource.sync !== 'local') yield* logUpdate({ resource, id, changed, after }, log);
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
  edit: { resource: Resource; id: string; changed: readonly string[]; after: Record<string, unknown> },
  log: ChangeLog,
): Steps<void> {
  const { resource, id, changed, after } = edit;
  const groups = Object.entries(resource.groups).filter(([, group]) =>
    group.fields.some((f) => changed.includes(f)),
  );
  const register = (yield* readRegister(resource, id)) ?? { cl: 1, hlc: '', over: {} };
  const base: Record<string, string> = {};
  const body: Record<string, unknown> = {};
  const stamp = log.stamp(newestOf(register));
  for (const [name, group] of groups) {
    base[name] = register.over[name] ?? register.hlc;
    body[name] = Object.fromEntries(group.fields.map((field) => [field, after[field]]));
    register.over[name] = stamp;
  }
  // `updated_at` and other ungrouped fields follow the groups; alone they are nothing to merge
  if (groups.length === 0) return;
  if ('updated_at' in after) body['updated_at'] = after['updated_at'];
  yield* writeRegister(resource, id, register);
  yield* log.write({ resource, id, op: 'put', cl: register.cl, hlc: stamp, base, body });
}

function* deleteRow(
  change: Extract<Change, { op: 'delete' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id } = change;
  const stored = yield* lockRow(resource, id, context);
  if (stored === null || stored.hidden) throw new StaleError(`${resource.name} ${id}`);
  if (change.expectRev !== null && change.expectRev !== stored.rev)
    throw new StaleError(`${resource.name} ${id}`);
  yield { sql: `update ${resource.name} set hidden = 1, rev = rev + 1 where id = ?`, params: [id] };
  const register = (yield* readRegister(resource, id)) ?? { cl: 1, hlc: '', over: {} };
  const cl = register.cl + 1;
  const stamp = log.stamp(newestOf(register));
  yield* writeRegister(resource, id, { ...register, cl });
  yield* log.write({ resource, id, op: 'delete', cl, hlc: stamp, base: null, body: null });
  const gone: CommittedRow = {
    table: resource.name,
    id,
    before: stored.row,
    after: stored.row,
    rev: stored.rev + 1,
    hidden: true,
  };
  return [gone, ...(yield* hideChildren(resource.name, id, context))];
}

/** Children carry no tombstone of their own: they are hidden because an ancestor is. */
function* hideChildren(table: string, id: string, context: UnitContext): Steps<CommittedRow[]> {
  const rows: CommittedRow[] = [];
  for (const { resource, column } of context.childrenOf.get(table) ?? []) {
    const codec = codecOf(resource);
    const hidden = yield {
      sql: `update ${resource.name} set hidden = 1, rev = rev + 1 where ${column} = ? and hidden = 0 returning rev, ${codec.columns.join(', ')}`,
      params: [id],
    };
    for (const stored of hidden) {
      const row = codec.decode(stored);
      const childId = String(row['id']);
      rows.push({
        table: resource.name,
        id: childId,
        before: row,
        after: row,
        rev: Number(stored['rev'] ?? 0),
        hidden: true,
      });
      rows.push(...(yield* hideChildren(resource.name, childId, context)));
    }
  }
  return rows;
}

function* putRow({ resource, row }: Extract<Change, { op: 'put' }>): Steps<CommittedRow[]> {
  if (resource.sync !== 'local') throw new Error(`put is for local tables, ${resource.name} is synchronised`);
  const encoded = codecOf(resource).encode(row);
  const columns = Object.keys(encoded);
  const others = columns.filter((column) => column !== 'id');
  yield {
    sql: `insert into ${resource.name} (${columns.join(', ')}) values (${marks(columns)}) on conflict (id) do update set ${others
      .map((column) => `${column} = excluded.${column}`)
      .join(', ')}`,
    params: Object.values(encoded),
  };
  return [{ table: resource.name, id: row.id, before: null, after: row, rev: 0, hidden: false }];
}

function* purgeRow({ resource, id }: Extract<Change, { op: 'purge' }>): Steps<CommittedRow[]> {
  if (resource.sync !== 'local')
    throw new Error(`purge is for local tables, ${resource.name} is synchronised`);
  const codec = codecOf(resource);
  const purged = yield {
    sql: `delete from ${resource.name} where id = ? returning ${codec.columns.join(', ')}`,
    params: [id],
  };
  return purged.map((stored) => {
    const row = codec.decode(stored);
    return { table: resource.name, id, before: row, after: row, rev: 0, hidden: true };
  });
}

function marks(columns: readonly string[]): string {
  return columns.map(() => '?').join(', ');
}

function* lockRow(
  resource: Resource,
  id: string,
  context: UnitContext,
): Steps<{ row: Record<string, unknown>; rev: number; hidden: boolean } | null> {
  const codec = codecOf(resource);
  const kernel = resource.sync === 'local' ? '' : ', rev, hidden';
  const [stored] = yield {
    sql: `select ${codec.columns.join(', ')}${kernel} from ${resource.name} where id = ?${
      context.dialect === 'postgres' ? ' for update' : ''
    }`,
    params: [id],
  };
  if (stored === undefined) return null;
  return { row: codec.decode(stored), rev: Number(stored['rev'] ?? 0), hidden: stored['hidden'] === 1 };
}
