import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type * as z from 'zod';
import { connectPostgres, openPostgres } from '#adapters/sql/open-postgres.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import type { Resource } from '#contract/resource.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { REFERENCES, TABLES_IN_ORDER } from '#store/merge/shared-tables.ts';

// Writes rows of every table that is synchronised, as the version does whose sources these imports lead to: it is run
// from the folder of that version, by its own contract, and needs of it no more than stood in the first that syncs. What
// it wrote goes to the output, a line a row.

export type WriterJob = {
  /** A file, or the URL of a database. */
  sqlite?: string;
  postgres?: string;
  farmId: string;
  ownerId: string;
  /** Somebody else of the farm, whom the hosted instance alone lets in. */
  memberId: string;
  /** Values differ from round to round. */
  round: number;
  /** Makes rows numbered so. */
  make?: number;
  /** Edits every group of the rows of these numbers that are there, one after the other. */
  edit?: readonly number[];
};
export type Written = { table: string; id: string; fields: Record<string, unknown> };

/** An account is one instance's, and so is who pays. */
const NOT_WRITTEN = new Set(['users', 'subscriptions']);

const job = JSON.parse(await text(process.stdin)) as WriterJob;

const idIn = (entity: number, n: number): string =>
  `0190c0de-${entity.toString(16).padStart(4, '0')}-7000-9000-${n.toString(16).padStart(12, '0')}`;
const tables = TABLES_IN_ORDER.filter(({ name }) => !NOT_WRITTEN.has(name));
const references = (name: string): Readonly<Record<string, string>> =>
  (REFERENCES as Readonly<Record<string, Readonly<Record<string, string>>>>)[name] ?? {};

function idOf(table: string, n: number): string {
  if (table === 'users') return job.ownerId;
  if (table === 'farms') return job.farmId;
  return idIn(TABLES_IN_ORDER.find(({ name }) => name === table)?.entity ?? 999, n);
}

/** What the running program calculates with must be right. */
const FIXED: Readonly<Record<string, (round: number) => unknown>> = {
  timezone: (round) => (round % 2 === 0 ? 'America/Fortaleza' : 'America/Recife'),
  start_time: (round) => new Date(Date.UTC(2026, 0, 1, 3, round)).toISOString(),
  end_time: (round) => new Date(Date.UTC(2026, 0, 1, 13, round)).toISOString(),
  days_of_week: (round) => [1 + (round % 7)],
  lat: (round) => `-3.${round}`,
  lng: (round) => `-38.${round}`,
  wall: (round) => [{ pond_id: idOf('ponds', 1), column: round, row: 0 }],
  alarm_responses: (round) => ({ LOW_OXYGEN: `round ${round}` }),
};

function valueOf(resource: Resource, field: string, schema: z.ZodType, n: number): unknown {
  const { round } = job;
  const referred = references(resource.name)[field];
  if (resource.name === 'farm_members' && field === 'user_id') return job.memberId;
  if (referred !== undefined) return idOf(referred, n);
  if (field === 'farm_id') return job.farmId;
  if (/(^user_id|^owner_id|_by|^issued_by)$/.test(field)) return job.ownerId;
  const fixed = FIXED[field];
  if (fixed !== undefined) return fixed(round);
  const def = schema.def as unknown as Record<string, unknown> & { type: string };
  switch (def.type) {
    case 'nullable':
    case 'optional':
    case 'default':
      return valueOf(resource, field, def['innerType'] as z.ZodType, n);
    case 'string':
      if (def['format'] === 'datetime') return new Date(Date.UTC(2026, 0, n, 0, round)).toISOString();
      if (def['format'] === 'date') return `2026-01-${String(10 + (round % 10)).padStart(2, '0')}`;
      return def['format'] === 'uuid' ? idIn(900, n) : `${field} ${n} ${round}`;
    case 'number':
      return field === 'numeric_id' ? 7_000 + n : 1 + (round % 5);
    case 'boolean':
      return round % 2 === 1;
    case 'enum': {
      const words = Object.values(def['entries'] as Record<string, string>);
      return words[(round + n) % words.length];
    }
    case 'array':
      return [];
    default:
      return { note: round };
  }
}

function fieldsOf(resource: Resource, fields: readonly string[], n: number): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const schema = resource.row.shape[field];
      return schema === undefined ? [] : [[field, valueOf(resource, field, schema, n)]];
    }),
  );
}

const isHosted = job.postgres !== undefined;
const stamping = {
  streams: isHosted ? ('by scope' as const) : ('own' as const),
  now: Date.now,
  monotonic: () => performance.now(),
  bootId: randomBytes(4).toString('hex'),
  node: `${isHosted ? 'c000' : '0abc'}${randomBytes(2).toString('hex')}`,
};
const onError = (error: unknown) => {
  throw error;
};
const database =
  job.postgres === undefined
    ? openSqlite(connectSqlite(job.sqlite ?? ''), stamping, onError)
    : openPostgres(connectPostgres(job.postgres, 2), stamping, onError);

async function write(change: Change, written: Written): Promise<void> {
  try {
    await database.commit({ actor: job.ownerId, changes: [change] });
  } catch (cause) {
    throw new Error(`not written: ${JSON.stringify(written)}`, { cause });
  }
  console.log(JSON.stringify(written));
}

/** A farm has one of them, a person is its member once. */
const ONCE = new Set(['farm_console', 'farm_science', 'farm_members']);

async function standing(
  table: string,
  id: string,
): Promise<(Record<string, unknown> & { hidden: number }) | undefined> {
  // the table is one of the version's own
  const query = database.read
    .selectFrom(table as 'farms')
    .selectAll()
    .where('id', '=', id);
  return query.executeTakeFirst();
}

/** What stands there already is no edit, however late it is said: one of the other side that was not heard of counts. */
function isSaidAnew(fields: Record<string, unknown>, row: Record<string, unknown>): boolean {
  const stored = (value: unknown): unknown =>
    typeof value === 'boolean'
      ? Number(value)
      : typeof value === 'object' && value !== null
        ? JSON.stringify(value)
        : value;
  return Object.entries(fields).some(([name, value]) => String(stored(value)) !== String(row[name]));
}

if (job.make !== undefined)
  for (const resource of tables) {
    const { name } = resource;
    if (name === 'farms' || (name === 'farm_members' && !isHosted)) continue;
    const n = ONCE.has(name) ? 1 : job.make;
    const id = idOf(name, n);
    if ((await standing(name, id)) !== undefined) continue;
    const row = { ...fieldsOf(resource, Object.keys(resource.row.shape), n), id };
    await write(insert(resource, row), { table: name, id, fields: row });
  }
const owner = isHosted ? 'hosted' : 'gateway';
for (const n of job.edit ?? [])
  for (const resource of tables.filter(({ sync }) => sync === 'editable')) {
    const id = idOf(resource.name, n);
    const found = await standing(resource.name, id);
    if (found === undefined || found.hidden !== 0) continue;
    if (resource.name === 'farms' && n !== 1) continue;
    for (const group of Object.values(resource.groups)) {
      if (group.owner !== undefined && (group.owner !== owner || group.fields.includes('owner_id'))) continue;
      const fields = fieldsOf(resource, group.fields, n);
      // an address that no farm names is at home on one side
      const { address_id: address } = fields;
      if (typeof address === 'string' && (await standing('addresses', address)) === undefined) continue;
      if (!isSaidAnew(fields, found)) continue;
      await write(update(resource, id, fields), { table: resource.name, id, fields });
    }
  }
await database.close();
