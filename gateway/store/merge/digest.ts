import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { FieldGroup, Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { HOSTED_TABLES, SCOPES } from '#contract/sync/scopes.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { isAlive, NO_STAMP } from '../register.ts';
import { knownFields, stepsOf } from './schemas.ts';

// Sums over rows, by which two instances find out cheaply whether people see the same on both. A sum does not depend on
// the order of the rows, so each side adds them up as its database hands them out.

export const BUCKETS = 64;
const MASK = (1n << 64n) - 1n;

/** A row with its stamps, as a snapshot or a repair carries it. */
export type StampedRow = {
  id: string;
  cl: number;
  hlc: string;
  over: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>>;
};

/** What is compared of a table's rows, in one order. */
type Compared = {
  entity: number;
  isFact: boolean;
  /** Facts whose id was made of their cause are compared by the id alone. */
  isByCause: boolean;
  groups: [string, FieldGroup][];
  fixed: string[];
};

/**
 * Schema from which a fact of one cause is one fact, whatever its words: after a card or a database that went back, the
 * same cause is told anew at another moment, the side that had heard it keeps the words it heard, and neither changes them.
 */
const BY_CAUSE = 9;

/** Made of a name (UUID v5). */
const isMadeOfCause = (id: string): boolean => id[14] === '5';

/** By table: what programs of each schema compare of its rows, the newest first. */
const comparedByTable = new Map<string, readonly [schema: number, compared: Compared][]>(
  // rows of different tables; here only their being rows counts
  (Object.values(sharedResources) as unknown as readonly Resource[])
    .filter(({ name }) => isCompared(name))
    .map((resource) => [
      resource.name,
      waysOf(resource).map((schema) => [schema, comparedOf(resource, schema)]),
    ]),
);

/** Schemas with which the way to compare a table's rows changes, the newest first. */
function waysOf(resource: Resource): readonly number[] {
  const steps = new Set(stepsOf(resource, SYNC_SCHEMA));
  if (resource.sync === 'fact') steps.add(BY_CAUSE);
  return [...steps].toSorted((a, b) => b - a);
}

/** Schemas up to one by which rows of a table are compared in different ways, the newest first; none: not at all. */
export const waysToCompare = (table: string, most: number): readonly number[] =>
  (comparedByTable.get(table) ?? []).flatMap(([schema]) => (schema <= most ? schema : []));

/** Tables that both sides hold alike. What one of them alone has to say is judged by nobody. */
export function isCompared(table: string): boolean {
  const scopes: Readonly<Record<string, { by: string }>> = SCOPES;
  const scope = scopes[table];
  // the names of the list are tables
  return scope !== undefined && scope.by !== 'nobody' && !(HOSTED_TABLES as ReadonlySet<string>).has(table);
}

/**
 * Groups with an owner are left out: the other side's copy of them is only heard of, and on a gateway it may rightly
 * differ (a password changed there, an account that stands there alone). `updated_at` follows whatever else changed.
 */
function comparedOf(resource: Resource, schema: number): Compared {
  const { entity, sync, groups, row } = resource;
  const known = (fields: readonly string[]) => knownFields(resource, fields, schema);
  // what is changed since then alone is part of the making for programs before
  const changeable = Object.entries(groups).filter(([, { since = 1 }]) => since <= schema);
  const grouped = new Set(changeable.flatMap(([, { fields }]) => fields));
  return {
    entity,
    isFact: sync === 'fact',
    isByCause: sync === 'fact' && schema >= BY_CAUSE,
    groups: changeable
      .filter(([, { owner, fields }]) => owner === undefined && known(fields).length > 0)
      .map(([name, group]) => [name, { ...group, fields: known(group.fields) }]),
    fixed: known(Object.keys(row.shape)).filter((field) => field !== 'updated_at' && !grouped.has(field)),
  };
}

/** Which of a table's sums a row is part of. */
export function bucketOf(id: string): number {
  // FNV-1a: spread evenly, and cheap
  let sum = 0x811c9dc5;
  for (let at = 0; at < id.length; at += 1) sum = Math.imul(sum ^ id.charCodeAt(at), 0x01000193);
  return (sum >>> 0) % BUCKETS;
}

/** 64 bits of a row as it stands; equal on both sides when they agree on it. A row that is deleted counts as none. */
export function digestOf(table: string, row: StampedRow, schema = SYNC_SCHEMA): bigint {
  const compared = comparedByTable.get(table)?.find(([step]) => step <= schema)?.[1];
  if (compared === undefined || !isAlive(row)) return 0n;
  const { body } = row;
  const said: unknown[] = [compared.entity, row.id];
  const isOneFact = compared.isByCause && isMadeOfCause(row.id);
  // a fact has no stamps: nobody changes it
  if (!compared.isFact) said.push(row.cl, stamp(row.hlc));
  if (!isOneFact) for (const field of compared.fixed) said.push(plain(body[field]));
  for (const [group, { fields, isLater = false }] of compared.groups) {
    if (isLater && fields.every((field) => plain(body[field]) === null)) continue;
    said.push(stamp(row.over[group] ?? row.hlc));
    for (const field of fields) said.push(plain(body[field]));
  }
  return BigInt(`0x${hash('sha256', JSON.stringify(said), 'hex').slice(0, 16)}`);
}

/**
 * Was it changed in what programs of a schema take for part of its making? They have it as it was made, and no sum of
 * theirs can be that of the row as it stands.
 */
export function isBeyond(
  { groups }: Pick<Resource, 'groups'>,
  { hlc, over }: Pick<StampedRow, 'hlc' | 'over'>,
  schema: number,
): boolean {
  return Object.entries(groups).some(
    ([name, { since = 1 }]) => since > schema && (over[name] ?? hlc) !== hlc,
  );
}

const stamp = (hlc: string): string => (hlc === NO_STAMP ? '' : hlc);

function plain(value: unknown): unknown {
  if (value === undefined || value === null) return null;
  // the order of names in a list of settings is nobody's word
  return typeof value === 'object' ? canonicalize(value) : value;
}

/** By table: sums in each way that was asked for. */
export type Sums = Map<string, readonly bigint[][]>;

export const noSums = (): bigint[] => Array.from({ length: BUCKETS }, () => 0n);

export function addTo(sums: bigint[], id: string, digest: bigint): void {
  const bucket = bucketOf(id);
  sums[bucket] = ((sums[bucket] ?? 0n) + digest) & MASK;
}

/** As they go over the line. */
export const hexOf = (sums: readonly bigint[]): string[] => sums.map((sum) => sum.toString(16));
