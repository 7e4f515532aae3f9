import type { Resource } from '#contract/resource.ts';
import type { Statement, Steps, UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import type { Work } from './working-set.ts';

// Many rows at once: one statement with one parameter of JSON on PostgreSQL, where each statement is a journey; one
// prepared statement per row on SQLite, where it is a call.

type Value = string | number | null;
type Encoded = Readonly<Record<string, Value>>;

/** Inserts rows of encoded columns; `conflict` is what follows, for example `on conflict (id) do nothing`. */
export function* insertMany(
  {
    table,
    columns,
    rows,
    conflict = '',
  }: { table: string; columns: readonly string[]; rows: readonly Encoded[]; conflict?: string },
  context: UnitContext,
): Steps<readonly Record<string, unknown>[]> {
  if (rows.length === 0) return [];
  const names = columns.join(', ');
  if (context.dialect === 'postgres') {
    return yield {
      sql: `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, ?::json) ${conflict}`,
      params: [JSON.stringify(rows)],
    };
  }
  const sql = `insert into ${table} (${names}) values (${columns.map(() => '?').join(', ')}) ${conflict}`;
  const answers: Record<string, unknown>[] = [];
  for (const row of rows)
    answers.push(...(yield { sql, params: columns.map((column) => row[column] ?? null) }));
  return answers;
}

/** Writes rows of a shared table as they stand; each counts one change more. */
function* updateMany(resource: Resource, works: readonly Work[], context: UnitContext): Steps<void> {
  if (works.length === 0) return;
  const { name } = resource;
  if (context.dialect === 'sqlite') {
    for (const work of works) yield updateOne(work);
    return;
  }
  const columns = [...codecOf(resource).columns.filter((column) => column !== 'id'), 'hidden'];
  yield {
    sql: `update ${name} set ${columns.map((column) => `${column} = new.${column}`).join(', ')}, rev = ${name}.rev + 1
      from json_populate_recordset(null::${name}, ?::json) as new where ${name}.id = new.id`,
    params: [JSON.stringify(works.map(encodedWork))],
  };
}

/** What changed alone: SQLite writes every index anew that has one of the columns named, whatever their values. */
function updateOne(work: Work): Statement {
  const { resource, id, before } = work;
  const was = codecOf(resource).encode(before?.row ?? {});
  const is = encodedWork(work);
  // a row that goes with its parent may have been hidden with it a moment ago
  const mayBeHidden = resource.goesBy !== 'parent' || before?.hidden !== work.hidden;
  const columns = Object.keys(is).filter((column) =>
    column === 'hidden' ? mayBeHidden : is[column] !== was[column],
  );
  return {
    sql: `update ${resource.name} set ${[...columns.map((column) => `${column} = ?`), 'rev = rev + 1'].join(', ')} where id = ?`,
    params: [...columns.map((column) => is[column] ?? null), id],
  };
}

const encodedWork = ({ resource, row, hidden }: Work): Encoded => ({
  ...codecOf(resource).encode(row ?? {}),
  hidden: hidden ? 1 : 0,
});

/** Rows of one table: new ones inserted, changed ones written anew. */
export function* writeWorks(resource: Resource, works: readonly Work[], context: UnitContext): Steps<void> {
  const changed = works.filter(({ isChanged, row }) => isChanged && row !== null);
  const made = changed
    .filter(({ before }) => before === null)
    .map((work) => ({ ...encodedWork(work), rev: 1 }));
  yield* insertMany(
    { table: resource.name, columns: [...codecOf(resource).columns, 'rev', 'hidden'], rows: made },
    context,
  );
  yield* updateMany(
    resource,
    changed.filter(({ before }) => before !== null),
    context,
  );
}

/** Registers of many rows. */
export function* writeRegisters(works: readonly Work[], context: UnitContext): Steps<void> {
  const rows = works.flatMap(({ resource, id, register, isRegisterChanged }) =>
    register !== null && isRegisterChanged && resource.sync !== 'fact'
      ? [
          {
            entity: resource.entity,
            id,
            cl: register.cl,
            hlc: register.hlc,
            over_json: JSON.stringify(register.over),
          },
        ]
      : [],
  );
  yield* insertMany(
    {
      table: 'sync_register',
      columns: ['entity', 'id', 'cl', 'hlc', 'over_json'],
      rows,
      conflict:
        'on conflict (entity, id) do update set cl = excluded.cl, hlc = excluded.hlc, over_json = excluded.over_json',
    },
    context,
  );
}

/** Takes rows out of the way of unique indexes, which count visible ones, until they are written as they end up. */
export function outOfTheWay(resource: Resource, ids: readonly string[]): Statement {
  return {
    sql: `update ${resource.name} set hidden = 1 where id in (${ids.map(() => '?').join(', ')})`,
    params: ids,
  };
}
