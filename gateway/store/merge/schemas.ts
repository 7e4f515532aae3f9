import canonicalize from 'canonicalize';
import type { Resource } from '#contract/resource.ts';
import type { WireChange, WireRow } from '#contract/sync/wire.ts';
import type { Claim } from './claims.ts';
import type { Fields } from './edit.ts';
import { resourceOfEntity } from './shared-tables.ts';

// What programs of which schema know of a row. A field that is absent is one its teller does not know, never an empty
// one; a field at its default beside another word under the same stamp is of a program that did not know it, either.

const defaults = new WeakMap<Resource, Fields>();

/** What stands in later fields of which nothing was said: here, and in the column that the migration adds. */
export function defaultsOf(resource: Resource): Fields {
  const known = defaults.get(resource);
  if (known !== undefined) return known;
  const made = Object.fromEntries(
    Object.keys(resource.later).map((field) => [field, resource.row.shape[field]?.parse(undefined)]),
  );
  defaults.set(resource, made);
  return made;
}

const text = (value: unknown): string => canonicalize(value ?? null) ?? '';

/** Whether a program without the field has what this row says. */
function isUnsaid(resource: Resource, field: string, value: unknown): boolean {
  return value === undefined || text(value) === text(defaultsOf(resource)[field]);
}

/** The schema that knows a group, with all its fields and their words; '' stands for what never changes. */
export function schemaOfGroup(
  { since, later, widened, groups }: Resource,
  fields: readonly string[],
): number {
  const group = Object.values(groups).find((one) => fields.every((field) => one.fields.includes(field)));
  return Math.max(
    since,
    group?.since ?? 1,
    ...fields.flatMap((field) => [later[field] ?? 1, widened[field] ?? 1]),
  );
}

/** What of a change says how much must be known; `hlc` and `over` of a row that is told as it stands. */
type Told = Pick<WireChange, 'base' | 'body'> & { hlc?: string; over?: WireChange['over'] };

/**
 * The least schema that takes all of a change: later fields that were at their default and stay there need none, because
 * who does not know them comes to have the same. A group that came later is refused by name, whatever stands in it.
 * A row whose fields were changed that never changed before would be taken for one that was made so.
 */
export function schemaOfChange(
  resource: Resource,
  { base, body, before = {}, hlc, over }: Told & { before?: Fields },
): number {
  const { groups, since } = resource;
  const later = Object.entries(resource.later);
  if (body === null) return since;
  const changed = Object.entries(groups).flatMap(([name, group]) => {
    if (group.since === undefined) return [];
    const isChanged = base === null ? (over?.[name] ?? hlc) !== hlc : name in body;
    return isChanged ? [group.since] : [];
  });
  const isTold = (field: string): boolean => {
    if (base === null) return !isUnsaid(resource, field, body[field]);
    const [name, group] = Object.entries(groups).find(([, { fields }]) => fields.includes(field)) ?? [];
    if (name === undefined || group === undefined || !(name in body)) return false;
    if (group.fields.every((one) => one in resource.later)) return true;
    // a group is an object of its fields
    const told = body[name] as Fields;
    return [told, before].some((row) => !isUnsaid(resource, field, row[field]));
  };
  return Math.max(since, ...changed, ...later.flatMap(([field, came]) => (isTold(field) ? came : [])));
}

/** The least schema that takes all that a row says as it stands. */
export function schemaOfRow({ entity, body, hlc, over }: WireRow): number {
  const resource = resourceOfEntity(entity);
  return resource === null ? 1 : schemaOfChange(resource, { base: null, body, hlc, over });
}

/** Fields of a list that a program of that schema knows. */
export const knownFields = (
  { later }: Resource,
  fields: readonly string[],
  schema: number,
): readonly string[] => fields.filter((field) => (later[field] ?? 1) <= schema);

/** Schemas up to one between which what is known of a table changes: programs between two of them know the same. */
export function stepsOf({ later, since, groups }: Resource, most: number): readonly number[] {
  const changed = Object.values(groups).flatMap((group) => group.since ?? []);
  const steps = new Set([since, ...Object.values(later), ...changed]);
  return [...steps].filter((step) => step <= most).toSorted((a, b) => a - b);
}

/**
 * Two words for one group under one stamp: one of both was kept by a program that did not know all of it. Each is filled
 * up by what the other says beyond the defaults.
 */
export function filledUp(resource: Resource, own: Claim, other: Claim): [Claim, Claim] {
  if (own.hlc !== other.hlc || Object.keys(resource.later).length === 0) return [own, other];
  return [withEntered(resource, own, other), withEntered(resource, other, own)];
}

function withEntered(resource: Resource, { hlc, value }: Claim, { value: beside }: Claim): Claim {
  return { hlc, value: { ...value, ...enteredBeside(resource, value, beside) } };
}

/** Later fields that are at their default in the one row, or unknown to it, and say something in the other. */
export function enteredBeside(resource: Resource, row: Fields, beside: Fields): Fields {
  return Object.fromEntries(
    Object.keys(resource.later).flatMap((field) =>
      field in beside && isUnsaid(resource, field, row[field]) && !isUnsaid(resource, field, beside[field])
        ? [[field, beside[field]]]
        : [],
    ),
  );
}
