import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { SCOPES, type Scope } from '#contract/sync/scopes.ts';

// What the sync knows of the tables both instances share, by their name and by their number in the change log.

type SharedTable = keyof typeof sharedResources;

// rows of different tables have different fields; here only their being rows counts
const SHARED = Object.values(sharedResources) as unknown as readonly Resource[];

const byEntity = new Map(SHARED.map((resource) => [resource.entity, resource]));
const byName = new Map(SHARED.map((resource) => [resource.name, resource]));

export const resourceOfEntity = (entity: number): Resource | null => byEntity.get(entity) ?? null;

export function resourceOfTable(table: string): Resource {
  const resource = byName.get(table);
  if (resource === undefined) throw new Error(`${table} is not a shared table`);
  return resource;
}

export function scopeOf(resource: Resource): Scope {
  // every shared table has one: the type of SCOPES sees to it
  const scope = (SCOPES as Readonly<Record<string, Scope>>)[resource.name];
  if (scope === undefined) throw new Error(`${resource.name} is not a shared table`);
  return scope;
}

/** Is it logged at all? Local tables and what is nobody else's business are not. */
export const isTold = (resource: Resource): boolean =>
  resource.sync !== 'local' && scopeOf(resource).by !== 'nobody';

/** Columns that name a row of another shared table: it must stand before this one. */
export const REFERENCES: Readonly<Record<SharedTable, Readonly<Record<string, SharedTable>>>> = {
  users: {},
  addresses: { user_id: 'users' },
  subscriptions: { user_id: 'users' },
  farms: { owner_id: 'users', address_id: 'addresses' },
  farm_members: { farm_id: 'farms', user_id: 'users' },
  farm_science: { farm_id: 'farms' },
  farm_console: { farm_id: 'farms' },
  control_points: { farm_id: 'farms', owner_id: 'users' },
  ponds: { farm_id: 'farms', control_point_id: 'control_points' },
  aerators: { pond_id: 'ponds' },
  schedules: { control_point_id: 'control_points' },
  orders: { control_point_id: 'control_points' },
  alerts: { farm_id: 'farms', control_point_id: 'control_points', pond_id: 'ponds' },
  batches: { owner_id: 'users', farm_id: 'farms', pond_id: 'ponds' },
  survival_changes: { batch_id: 'batches', pond_id: 'ponds' },
  harvests: { batch_id: 'batches', pond_id: 'ponds' },
  transfers: { batch_id: 'batches', source_pond_id: 'ponds', destination_pond_id: 'ponds' },
  notifications: { user_id: 'users' },
  biometries: { batch_id: 'batches', pond_id: 'ponds' },
  feeding_records: { batch_id: 'batches', pond_id: 'ponds' },
  expenses: { batch_id: 'batches' },
  measurements: { pond_id: 'ponds' },
  farm_records: {
    farm_id: 'farms',
    pond_id: 'ponds',
    batch_id: 'batches',
    control_point_id: 'control_points',
  },
  feed_stock: { farm_id: 'farms' },
  harvest_lots: { farm_id: 'farms', batch_id: 'batches', harvest_id: 'harvests', pond_id: 'ponds' },
  tasks: { farm_id: 'farms', pond_id: 'ponds' },
  task_marks: { farm_id: 'farms', task_id: 'tasks' },
  photos: {
    farm_id: 'farms',
    pond_id: 'ponds',
    batch_id: 'batches',
    control_point_id: 'control_points',
    loss_id: 'survival_changes',
  },
  logs: {},
  notification_channels: { user_id: 'users' },
  access_tokens: { user_id: 'users' },
  invitations: { farm_id: 'farms' },
};

/**
 * References that may lead to another farm of the owner: animals are moved between farms, and are weighed and counted
 * where they are. Whatever else a row names lies on the row's own farm.
 */
const ACROSS_FARMS: Readonly<Partial<Record<SharedTable, readonly string[]>>> = {
  transfers: ['source_pond_id', 'destination_pond_id'],
  biometries: ['pond_id'],
  survival_changes: ['pond_id'],
};

export const mayLeadElsewhere = ({ name }: Pick<Resource, 'name'>, column: string): boolean =>
  (ACROSS_FARMS as Readonly<Record<string, readonly string[]>>)[name]?.includes(column) === true;

export function referencesOf(resource: Resource): readonly (readonly [column: string, table: string])[] {
  return Object.entries(
    (REFERENCES as Readonly<Record<string, Readonly<Record<string, string>>>>)[resource.name] ?? {},
  );
}

/** Tables in an order in which what a row names comes before it; what control needs first, what history tells last. */
export const TABLES_IN_ORDER: readonly Resource[] = Object.keys(REFERENCES)
  .map(resourceOfTable)
  .filter(isTold);

const rankOfTable = new Map(TABLES_IN_ORDER.map(({ name }, rank) => [name, rank]));
export const rankOf = (resource: Resource): number =>
  rankOfTable.get(resource.name) ?? TABLES_IN_ORDER.length;

/** Tables whose rows have a number of their own (numeric_ids), and the word it is claimed under. */
export const NUMBERED: Readonly<Record<string, string>> = {
  users: 'user',
  ponds: 'pond',
  batches: 'batch',
  transfers: 'transfer',
};
