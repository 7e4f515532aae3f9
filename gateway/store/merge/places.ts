import type { Resource } from '#contract/resource.ts';
import { OPS } from '#contract/sync/wire.ts';
import type { Unit } from '#core/changes.ts';
import type { Steps, UnitContext } from '../register.ts';
import { inList, listOf, rowsByIds } from './id-lists.ts';
import { isTold, resourceOfEntity, resourceOfTable, scopeOf } from './shared-tables.ts';

// Where the rows of a unit belong on a hosted instance: farms, or people and through them the farms they may see.

export type Place = {
  farms: readonly string[];
  /** Through the farms that they own or work on. */
  people: readonly string[];
  /** Through the farms that they own. */
  owners: readonly string[];
};
export type Places = Map<string, Place>;

export const idsOfPlace = (resource: Resource, id: string): string => `${resource.name} ${id}`;

type Fields = Readonly<Record<string, unknown>>;
/** A row that is logged: what is known of it from the unit alone. */
type Named = { resource: Resource; id: string; fields: Fields[]; isStored: boolean };

/** Columns that tell where a row belongs. */
export function placeColumns(resource: Resource): string[] {
  const scope = scopeOf(resource);
  switch (scope.by) {
    case 'farm':
      return scope.person === undefined ? [scope.column] : [scope.column, scope.person];
    case 'parent':
    case 'user':
    case 'owner':
      return [scope.column];
    case 'named':
      // whose it is; the farms that name it are asked for themselves
      return ['user_id'];
    case 'nobody':
      return [];
    default:
      return scope satisfies never;
  }
}

/** Places of the rows a unit logs; of what came from a gateway only what people see elsewhere, too. */
export function* placesOf(unit: Unit, context: UnitContext): Steps<Places> {
  const named = [...namedByChanges(unit), ...namedByIncoming(unit)];
  for (const [resource, rows] of byTable(named.filter(({ isStored }) => isStored))) {
    const stored = yield rowsByIds(
      {
        table: resource.name,
        columns: ['id', ...otherThanId(placeColumns(resource))],
        ids: rows.map(({ id }) => id),
      },
      context,
    );
    const fieldsById = new Map(stored.map((row) => [String(row['id']), row]));
    for (const row of rows) row.fields.push(fieldsById.get(row.id) ?? {});
  }
  const farmsByParent = yield* farmsOfParents(named, unit, context);
  const ofNamed = named.filter(({ resource }) => scopeOf(resource).by === 'named').map(({ id }) => id);
  const naming = yield* farmsNaming(new Set(ofNamed), unit, context);
  return new Map(
    named.map((row) => [
      idsOfPlace(row.resource, row.id),
      scopeOf(row.resource).by === 'named'
        ? {
            farms: naming.filter(({ id }) => id === row.id).map(({ farmId }) => farmId),
            people: [],
            owners: [],
          }
        : placeOf(row, farmsByParent),
    ]),
  );
}

/** Farms that name some of these addresses, as stored or from this unit on. */
export function* farmsNaming(
  ids: ReadonlySet<string>,
  unit: Unit,
  context: UnitContext,
): Steps<{ id: string; farmId: string }[]> {
  if (ids.size === 0) return [];
  const stored = yield {
    sql: `select id, address_id from farms where ${inList('address_id', context)}`,
    params: [listOf(ids)],
  };
  return [
    ...addressesSet(unit).filter(({ id }) => ids.has(id)),
    ...stored.map((row) => ({ id: String(row['address_id']), farmId: String(row['id']) })),
  ];
}

/** Addresses that this unit has farms name. */
export const addressesSet = ({ changes }: Unit): { id: string; farmId: string }[] =>
  changes.flatMap((change) => {
    if (change.resource.name !== 'farms') return [];
    if (change.op === 'insert' && typeof change.row['address_id'] === 'string')
      return [{ id: change.row['address_id'], farmId: change.row.id }];
    if (change.op === 'update' && typeof change.set['address_id'] === 'string')
      return [{ id: change.set['address_id'], farmId: change.id }];
    return [];
  });

const otherThanId = (columns: readonly string[]): string[] => columns.filter((column) => column !== 'id');

function namedByChanges({ changes }: Unit): Named[] {
  return changes.flatMap((change): Named[] => {
    const { resource } = change;
    if (!isTold(resource)) return [];
    switch (change.op) {
      case 'insert':
        return [{ resource, id: change.row.id, fields: [change.row], isStored: false }];
      case 'update':
      case 'blank':
        return [{ resource, id: change.id, fields: [change.set], isStored: true }];
      case 'delete':
      case 'restore':
        return [{ resource, id: change.id, fields: [], isStored: true }];
      default:
        return [];
    }
  });
}

function namedByIncoming({ incoming }: Unit): Named[] {
  if (incoming?.from !== 'gateway') return [];
  return incoming.changes.flatMap((change): Named[] => {
    const resource = resourceOfEntity(change.entity);
    if (resource === null || !isTold(resource) || !['user', 'named'].includes(scopeOf(resource).by))
      return [];
    const isWhole = change.base === null && change.op !== OPS.delete;
    return [{ resource, id: change.id, fields: isWhole ? [change.body ?? {}] : [], isStored: !isWhole }];
  });
}

function byTable(named: readonly Named[]): Map<Resource, Named[]> {
  const rows = new Map<Resource, Named[]>();
  for (const row of named) rows.set(row.resource, [...(rows.get(row.resource) ?? []), row]);
  return rows;
}

/** Farms of the rows that others name as their parent: from the unit itself or as stored. */
function* farmsOfParents(
  named: readonly Named[],
  unit: Unit,
  context: UnitContext,
): Steps<ReadonlyMap<string, string>> {
  const idsByTable = new Map<string, Set<string>>();
  for (const { resource, fields } of named) {
    const scope = scopeOf(resource);
    if (scope.by !== 'parent') continue;
    const ids = idsByTable.get(scope.table) ?? new Set();
    for (const row of fields) if (typeof row[scope.column] === 'string') ids.add(String(row[scope.column]));
    idsByTable.set(scope.table, ids);
  }
  const farms = new Map<string, string>();
  for (const [table, ids] of idsByTable) {
    const stored = yield rowsByIds({ table, columns: ['id', 'farm_id'], ids }, context);
    for (const row of stored) farms.set(`${table} ${row['id']}`, String(row['farm_id']));
  }
  for (const change of unit.changes) {
    if (change.op === 'insert' && idsByTable.has(change.resource.name))
      farms.set(
        idsOfPlace(resourceOfTable(change.resource.name), change.row.id),
        String(change.row['farm_id']),
      );
  }
  return farms;
}

function placeOf({ resource, id, fields }: Named, farmsByParent: ReadonlyMap<string, string>): Place {
  const scope = scopeOf(resource);
  const values = (column: string): string[] =>
    column === 'id'
      ? [id]
      : [...new Set(fields.map((row) => row[column]).filter((value) => typeof value === 'string'))];
  switch (scope.by) {
    case 'farm':
      return { farms: values(scope.column), people: [], owners: [] };
    case 'parent':
      return {
        farms: values(scope.column).flatMap((parent) => farmsByParent.get(`${scope.table} ${parent}`) ?? []),
        people: [],
        owners: [],
      };
    case 'user':
      return { farms: [], people: values(scope.column), owners: [] };
    case 'owner':
      return { farms: [], people: [], owners: values(scope.column) };
    case 'named':
    case 'nobody':
      return { farms: [], people: [], owners: [] };
    default:
      return scope satisfies never;
  }
}
