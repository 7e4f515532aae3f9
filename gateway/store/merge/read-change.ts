import type { Resource } from '#contract/resource.ts';
import { isStorable } from '#contract/stored-text.ts';
import { OPS, SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import { LIFE, NO_STAMP } from '../register.ts';
import type { Edit, Fields, Row } from './edit.ts';
import { isTold, resourceOfEntity } from './shared-tables.ts';

/**
 * Why a change is kept aside; a colon and what exactly follows.
 * - `schema`: written under a newer schema, `entity`: of a table this program does not know: both until an upgrade
 * - `parent`: a row it names has not come; `absent`: a part of a row that has not come: both until it comes
 * - `refused`: the row is not one; `tenant`: of a farm or person that is not this gateway's
 */
export const PARK_REASONS = ['schema', 'entity', 'parent', 'absent', 'refused', 'tenant'] as const;
export type ParkReason = (typeof PARK_REASONS)[number];

export type ReadChange = { resource: Resource; edit: Edit };
export type NotApplied = { parked: `${ParkReason}:${string}` };

/** Checks a change as it came against what a row must be. */
export function readChange(change: WireChange): ReadChange | NotApplied {
  if (change.sv > SYNC_SCHEMA) return { parked: `schema:${change.sv}` };
  const resource = resourceOfEntity(change.entity);
  if (resource === null) return { parked: `entity:${change.entity}` };
  if (!isTold(resource)) return { parked: `refused:${resource.name} stays where it is` };
  const { cl, hlc, base, body } = change;
  if (resource.sync === 'fact') return readFact(resource, change);
  if (change.op === OPS.delete) {
    if (cl % 2 === 1) return { parked: 'refused:deleted, and alive' };
    return { resource, edit: { is: 'delete', cl, hlc, seen: base } };
  }
  if (base !== null && change.op === OPS.put) return readGroups(resource, change, base);
  const row = rowOf(resource, change.id, body ?? {});
  if ('parked' in row) return row;
  const over = stampsOf(resource, change.over ?? {});
  return { resource, edit: { is: 'whole', cl, hlc: making(hlc), over, ...row } };
}

/** Inserted once: nobody edits or deletes it. */
function readFact(resource: Resource, { op, id, cl, hlc, base, body }: WireChange): ReadChange | NotApplied {
  if (op === OPS.delete || base !== null || cl !== 1)
    return { parked: refusal(`${resource.name}: never change`) };
  const row = rowOf(resource, id, body ?? {});
  return 'parked' in row ? row : { resource, edit: { is: 'whole', cl, hlc: making(hlc), over: {}, ...row } };
}

const making = (hlc: string): string => (hlc === NO_STAMP ? '' : hlc);

/** Stamps of what a row has. */
const stampsOf = ({ groups }: Resource, over: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(over).filter(([group]) => group === LIFE || Object.hasOwn(groups, group)),
  );

function rowOf(
  resource: Resource,
  id: string,
  body: Fields,
): { row: Row; unsaid?: readonly string[] } | NotApplied {
  const parsed = resource.row.safeParse(body);
  if (!parsed.success) return { parked: refusedBy(parsed.error.issues[0]) };
  // every shared row is an object of its columns
  const row = parsed.data as Row;
  if (row.id !== id) return { parked: 'refused:id: is another one' };
  const unfit = unfitField(row);
  if (unfit !== null) return { parked: refusal(unfit) };
  const unsaid = Object.keys(row).filter((field) => !Object.hasOwn(body, field));
  return unsaid.length === 0 ? { row } : { row, unsaid };
}

function readGroups(
  resource: Resource,
  { cl, hlc, body }: WireChange,
  base: Readonly<Record<string, string>>,
): ReadChange | NotApplied {
  const groups: Record<string, Fields> = {};
  for (const [name, value] of Object.entries(body ?? {})) {
    if (name === 'updated_at') continue;
    const group = resource.groups[name];
    if (group === undefined || typeof value !== 'object' || value === null)
      return { parked: refusal(`${name}: is no group of ${resource.name}`) };
    const read = fieldsOfGroup(resource, group.fields, value as Fields);
    if ('parked' in read) return read;
    groups[name] = read.fields;
  }
  const updatedAt = body?.['updated_at'];
  if (updatedAt !== undefined && !resource.row.shape['updated_at']?.safeParse(updatedAt).success)
    return { parked: 'refused:updated_at' };
  return { resource, edit: { is: 'groups', cl, hlc, base, groups, updatedAt } };
}

/** Fields of a group that this program knows; others it passes over, missing ones stay as they are. */
function fieldsOfGroup(
  resource: Resource,
  fields: readonly string[],
  value: Fields,
): { fields: Fields } | NotApplied {
  const read: Record<string, unknown> = {};
  for (const field of fields) {
    if (!(field in value)) continue;
    const parsed = resource.row.shape[field]?.safeParse(value[field]);
    if (parsed === undefined) continue;
    if (!parsed.success) return { parked: refusedBy(parsed.error.issues[0], field) };
    read[field] = parsed.data;
  }
  const unfit = unfitField(read);
  return unfit === null ? { fields: read } : { parked: refusal(unfit) };
}

function refusedBy(
  issue: { path: PropertyKey[]; message: string } | undefined,
  field?: string,
): `refused:${string}` {
  const path = [...(field === undefined ? [] : [field]), ...(issue?.path ?? [])].map(String).join('.');
  return refusal(`${path}: ${issue?.message ?? 'is wrong'}`);
}

/** Names in it may be anything that somebody sent. */
const refusal = (why: string): `refused:${string}` =>
  `refused:${why.slice(0, 300).replaceAll(/[^\x20-\x7e]/g, '?')}`;

/** Columns of free text under an index. PostgreSQL refuses a row with more than a third of a page there. */
const INDEXED = new Set(['email_key', 'cod', 'device_id', 'batch_code', 'entity_id', 'payment_customer_id']);
const MOST_INDEXED_BYTES = 2_000;

/** What one of both engines could not take, or give back as it came. */
function unfitField(fields: Fields): string | null {
  for (const [field, value] of Object.entries(fields)) {
    if (!isFit(value)) return `${field}: holds what no text can`;
    if (INDEXED.has(field) && typeof value === 'string' && Buffer.byteLength(value) > MOST_INDEXED_BYTES)
      return `${field}: is too long`;
  }
  return null;
}

function isFit(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, part]) => isStorable(name) && isFit(part));
}
