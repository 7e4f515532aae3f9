import { sql } from 'kysely';
import { allResources } from '#contract/resources/all.ts';
import type { ExportSection } from '#features/people/account-data/ports.ts';
import type { Db } from '../../database.ts';
import { rowsBelow } from '../rows-below.ts';

type Row = Record<string, unknown>;
type By = 'user' | 'access_token' | 'farm' | 'joined_farm' | 'pond' | 'control_point' | 'batch' | 'customer';
type Part = {
  section: string;
  table: string;
  /** What the column holds the id of. */
  by: By;
  column: string;
  /** Column of time that an index goes by, or by which few rows are sorted. */
  order: string;
  /** Secrets. */
  without?: readonly string[];
  /** Column that must name the person: on the farms of others only what the person did. */
  doneBy?: string;
};

const created = 'created_at';

/** What an export holds, list by list: first the person, then the farms the person owns. */
export const EXPORTED: readonly Part[] = [
  { section: 'addresses', table: 'addresses', by: 'user', column: 'user_id', order: created },
  { section: 'passkeys', table: 'passkeys', by: 'user', column: 'user_id', order: created },
  { section: 'subscription', table: 'subscriptions', by: 'user', column: 'user_id', order: created },
  { section: 'payment_customers', table: 'payment_objects', by: 'customer', column: 'id', order: created },
  { section: 'payments', table: 'payment_objects', by: 'customer', column: 'customer_id', order: created },
  {
    section: 'provider_subscriptions',
    table: 'provider_subscriptions',
    by: 'user',
    column: 'user_id',
    order: 'updated_at',
  },
  { section: 'usage_warnings', table: 'usage_crossings', by: 'user', column: 'user_id', order: 'crossed_at' },
  { section: 'sessions', table: 'sessions', by: 'user', column: 'user_id', order: created },
  {
    section: 'access_tokens',
    table: 'access_tokens',
    by: 'user',
    column: 'user_id',
    order: created,
    without: ['token_hash'],
  },
  {
    section: 'access_token_uses',
    table: 'token_uses',
    by: 'access_token',
    column: 'id',
    order: 'used_at',
  },
  {
    section: 'notification_channels',
    table: 'notification_channels',
    by: 'user',
    column: 'user_id',
    order: created,
    without: ['keys'],
  },
  { section: 'notifications', table: 'notifications', by: 'user', column: 'user_id', order: created },
  { section: 'deliveries', table: 'deliveries', by: 'user', column: 'user_id', order: created },
  {
    section: 'invitations_answered',
    table: 'invitations',
    by: 'user',
    column: 'answered_by',
    order: created,
    without: ['code_hash', 'email_key'],
  },
  { section: 'memberships', table: 'farm_members', by: 'user', column: 'user_id', order: created },
  {
    section: 'acts_on_other_farms',
    table: 'logs',
    by: 'joined_farm',
    column: 'farm_id',
    order: 'timestamp',
    doneBy: 'user_id',
  },
  {
    section: 'gateways',
    table: 'gateways',
    by: 'user',
    column: 'owner_id',
    order: 'paired_at',
    without: ['public_key', 'next_public_key', 'runs_json'],
  },
  { section: 'farms', table: 'farms', by: 'user', column: 'owner_id', order: created },
  { section: 'farm_members', table: 'farm_members', by: 'farm', column: 'farm_id', order: created },
  {
    section: 'invitations',
    table: 'invitations',
    by: 'farm',
    column: 'farm_id',
    order: created,
    without: ['code_hash'],
  },
  { section: 'farm_science', table: 'farm_science', by: 'farm', column: 'farm_id', order: created },
  { section: 'farm_console', table: 'farm_console', by: 'farm', column: 'farm_id', order: created },
  { section: 'ponds', table: 'ponds', by: 'farm', column: 'farm_id', order: created },
  { section: 'control_points', table: 'control_points', by: 'farm', column: 'farm_id', order: created },
  { section: 'aerators', table: 'aerators', by: 'pond', column: 'pond_id', order: created },
  {
    section: 'schedules',
    table: 'schedules',
    by: 'control_point',
    column: 'control_point_id',
    order: created,
  },
  {
    section: 'orders_from_afar',
    table: 'commands',
    by: 'control_point',
    column: 'control_point_id',
    order: 'issued_at_ms',
  },
  { section: 'sync_conflicts', table: 'sync_conflicts', by: 'farm', column: 'farm_id', order: 'found_at' },
  { section: 'orders', table: 'orders', by: 'control_point', column: 'control_point_id', order: 'issued_at' },
  { section: 'alerts', table: 'alerts', by: 'farm', column: 'farm_id', order: 'triggered_at' },
  {
    section: 'measurements',
    table: 'measurements',
    by: 'pond',
    column: 'pond_id',
    order: 'measurement_date',
  },
  { section: 'batches', table: 'batches', by: 'farm', column: 'farm_id', order: created },
  {
    section: 'survival_changes',
    table: 'survival_changes',
    by: 'batch',
    column: 'batch_id',
    order: 'changed_at',
  },
  { section: 'harvests', table: 'harvests', by: 'batch', column: 'batch_id', order: 'harvest_date' },
  { section: 'biometries', table: 'biometries', by: 'batch', column: 'batch_id', order: 'measurement_date' },
  {
    section: 'feeding_records',
    table: 'feeding_records',
    by: 'batch',
    column: 'batch_id',
    order: 'feed_date',
  },
  { section: 'transfers', table: 'transfers', by: 'batch', column: 'batch_id', order: 'transfer_date' },
  { section: 'expenses', table: 'expenses', by: 'batch', column: 'batch_id', order: 'expense_date' },
  { section: 'farm_records', table: 'farm_records', by: 'farm', column: 'farm_id', order: 'happened_at' },
  { section: 'feed_stock', table: 'feed_stock', by: 'farm', column: 'farm_id', order: 'happened_at' },
  { section: 'harvest_lots', table: 'harvest_lots', by: 'farm', column: 'farm_id', order: 'harvested_at' },
  { section: 'tasks', table: 'tasks', by: 'farm', column: 'farm_id', order: created },
  { section: 'task_marks', table: 'task_marks', by: 'farm', column: 'farm_id', order: 'due_on' },
  { section: 'photos', table: 'photos', by: 'farm', column: 'farm_id', order: 'taken_at' },
  { section: 'logs', table: 'logs', by: 'farm', column: 'farm_id', order: 'timestamp' },
];

const TABLES = new Map(allResources.map((resource) => [resource.name, resource]));

/** The lists of an export, one after the other; each is read while it is written out. */
export async function* accountSections(db: Db, userId: string): AsyncIterable<ExportSection> {
  const ids = await parentsOf(db, userId);
  for (const part of EXPORTED)
    yield { name: part.section, rows: rowsOf(db, part, { userId, parents: ids[part.by] }) };
}

/** Ids of everything that lists hang on: as many as a person has ponds and batches, never as many as records. */
async function parentsOf(db: Db, userId: string): Promise<Record<By, readonly string[]>> {
  const farm = await idsIn(db, 'farms', 'owner_id', [userId]);
  return {
    user: [userId],
    access_token: await idsIn(db, 'access_tokens', 'user_id', [userId]),
    farm,
    joined_farm: await joinedFarms(db, userId),
    pond: await idsIn(db, 'ponds', 'farm_id', farm),
    control_point: await idsIn(db, 'control_points', 'farm_id', farm),
    batch: await idsIn(db, 'batches', 'farm_id', farm),
    customer: await customerIdsOf(db, userId),
  };
}

/** What the person did on a farm is still the person's after leaving it. */
async function joinedFarms(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('farm_members')
    .select('farm_id')
    .distinct()
    .where('user_id', '=', userId)
    .orderBy('farm_id')
    .execute();
  return rows.map(({ farm_id }) => farm_id);
}

async function idsIn(
  db: Db,
  table: 'farms' | 'ponds' | 'control_points' | 'batches' | 'access_tokens',
  column: 'owner_id' | 'farm_id' | 'user_id',
  parents: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (const parent of parents) {
    const found = await sql<{ id: string }>`select id from ${sql.table(table)}
      where ${sql.ref(column)} = ${parent} and hidden = 0 order by id`.execute(db);
    ids.push(...found.rows.map(({ id }) => id));
  }
  return ids;
}

async function* rowsOf(
  db: Db,
  part: Part,
  { userId, parents }: { userId: string; parents: readonly string[] },
): AsyncIterable<Row> {
  const resource = TABLES.get(part.table);
  if (resource === undefined) throw new Error(`there is no table ${part.table}`);
  const { column, order, doneBy, without = [] } = part;
  const own = doneBy === undefined ? {} : { own: { column: doneBy, is: userId } };
  for (const parent of parents) {
    for await (const page of rowsBelow(db, resource, { column, parent, order, ...own })) {
      for (const row of page) {
        for (const field of without) delete row[field];
        yield row;
      }
    }
  }
}

/**
 * Ids under which the payment provider knows a person, also one whose subscription does not name them any more: a customer
 * of the built-in provider says itself whose it is.
 */
export async function customerIdsOf(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('subscriptions')
    .select('payment_customer_id as id')
    .where('user_id', '=', userId)
    .where('payment_customer_id', 'is not', null)
    .union(
      db
        .selectFrom('provider_subscriptions')
        .select('customer_id as id')
        .where('user_id', '=', userId)
        .where('customer_id', 'is not', null),
    )
    .union(
      db
        .selectFrom('payment_objects')
        .select('id')
        .where('kind', '=', 'customer')
        .where('body', 'like', `%"user_id":"${userId}"%`),
    )
    .execute();
  return rows.flatMap(({ id }) => (id === null ? [] : [id]));
}
