import * as fc from 'fast-check';
import type * as z from 'zod';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { OPS, type WireChange } from '#contract/sync/wire.ts';
import { numberOf } from '#core/numeric-id.ts';
import { formatHlc } from '#store/hlc.ts';
import { REFERENCES } from '#store/merge/shared-tables.ts';
import { LIFE } from '#store/register.ts';

// Changes that the wire lets through, about few rows of every table, so that they meet: the same codes, the same people,
// parents that come late or never, text that no database takes.

// rows of different tables have different fields; here only their being rows counts
const TABLES = Object.values(sharedResources) as unknown as readonly Resource[];
const ROWS_PER_TABLE = 3;

export const idIn = (table: string, n: number): string => {
  const place = TABLES.findIndex(({ name }) => name === table);
  return `01900000-00${place.toString(16).padStart(2, '0')}-7000-9000-${n.toString(16).padStart(12, '0')}`;
};

/** The last one is of no row that anybody makes. */
const anId = (table: string): fc.Arbitrary<string> =>
  fc
    .integer({ min: 1, max: ROWS_PER_TABLE * 8 })
    .map((n) => idIn(table, Math.min(n, 25) % (ROWS_PER_TABLE + 1)));

const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const texts = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('A', 'B', 'A~x', '', 'ç', 'ana@farm.br') },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('\0', 'a\0b', '\ud800', `${'ç'.repeat(3_000)}`, '{"a":1}') },
);
const json = fc.dictionary(
  texts,
  fc.oneof(texts, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)),
  {
    maxKeys: 2,
  },
);
const instants = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());

function valueOf(schema: z.ZodType): fc.Arbitrary<unknown> {
  // what zod keeps of a schema
  const def = schema.def as unknown as Record<string, unknown> & { type: string };
  switch (def.type) {
    case 'nullable':
    case 'optional':
      return fc.oneof(fc.constant(null), valueOf(def['innerType'] as z.ZodType));
    case 'default':
      return valueOf(def['innerType'] as z.ZodType);
    case 'string':
      if (def['format'] === 'datetime') return instants;
      if (def['format'] === 'date') return instants.map((at) => at.slice(0, 10));
      return def['format'] === 'uuid' ? anId('users') : texts;
    case 'number':
      return def['format'] === 'safeint'
        ? fc.oneof(fc.integer(), fc.maxSafeInteger())
        : fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'enum':
      return fc.constantFrom(...Object.values(def['entries'] as Record<string, string>));
    case 'array':
      return fc.array(valueOf(def['element'] as z.ZodType), { maxLength: 2 });
    default:
      return json;
  }
}

const referencesOf = (table: string): Readonly<Record<string, string>> =>
  (REFERENCES as Readonly<Record<string, Readonly<Record<string, string>>>>)[table] ?? {};

/** What the interface takes, too, where it refuses nearly all that may be drawn: else nothing lay below. */
const TAKEN: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  timezone: fc.constant('America/Fortaleza'),
  min_on_s: fc.integer({ min: 0, max: 3_600 }),
  min_off_s: fc.integer({ min: 0, max: 3_600 }),
};

function columnOf(resource: Resource, column: string, schema: z.ZodType): fc.Arbitrary<unknown> {
  const taken = TAKEN[column];
  if (taken !== undefined)
    return fc.oneof({ weight: 9, arbitrary: taken }, { weight: 1, arbitrary: valueOf(schema) });
  const table = referencesOf(resource.name)[column] ?? (column === 'farm_id' ? 'farms' : undefined);
  if (table === undefined) return valueOf(schema);
  const isNullable = schema.safeParse(null).success;
  return isNullable ? fc.oneof(fc.constant(null), anId(table)) : anId(table);
}

const columnsOf = (resource: Resource, fields: readonly string[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      fields.flatMap((field) => {
        const schema = resource.row.shape[field];
        return schema === undefined ? [] : [[field, columnOf(resource, field, schema)]];
      }),
    ),
  );

const stamps = fc
  .record({
    ms: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.constant(1e12)),
    node: fc.constantFrom('0aaa0001', 'c0000001'),
    end: fc.constantFrom('', '', '', '!'),
  })
  // around the moment of the test, or far ahead
  .map(({ ms, node, end }) => `${formatHlc(Date.UTC(2026, 2, 1, 12) + ms, 0, node)}${end}`);

const frame = {
  hlc: stamps,
  cl: fc.constantFrom(1, 1, 1, 2, 3, 4),
  sv: fc.constantFrom(1, 1, 1, 1, 1, 1, 1, 1, 2),
};
const overOf = ({ groups }: Resource) =>
  orNull(
    fc.dictionary(fc.constantFrom(...Object.keys(groups), LIFE, '__proto__', 'of another time'), stamps),
  );

function wholeOf(resource: Resource): fc.Arbitrary<Partial<WireChange>> {
  return fc
    .record({
      ...frame,
      id: anId(resource.name),
      body: columnsOf(resource, Object.keys(resource.row.shape)),
      over: overOf(resource),
      n: fc.integer({ min: 0, max: 1 }),
      op: fc.constantFrom(OPS.put, OPS.put, OPS.restore, OPS.fact),
    })
    .map(({ n, body, ...change }) => {
      // numbers beside the ids clash now and then
      const number = 'numeric_id' in body ? { numeric_id: n === 0 ? 77 : numberOf(change.id, 0) } : {};
      return { ...change, base: null, body: { ...body, ...number, id: change.id } };
    });
}

function partOf(resource: Resource): fc.Arbitrary<Partial<WireChange>> {
  const groups = Object.entries(resource.groups).map(([group, { fields }]) => [
    group,
    columnsOf(resource, fields),
  ]);
  return fc.record({
    ...frame,
    id: anId(resource.name),
    op: fc.constant(OPS.put),
    base: fc.dictionary(fc.constantFrom(...Object.keys(resource.groups), LIFE), stamps),
    body: fc.record(Object.fromEntries(groups), { requiredKeys: [] }),
  });
}

const deleteOf = (resource: Resource): fc.Arbitrary<Partial<WireChange>> =>
  fc.record({
    ...frame,
    id: anId(resource.name),
    op: fc.constant(OPS.delete),
    cl: fc.constantFrom(1, 2, 2, 2, 4),
    base: orNull(fc.dictionary(fc.constantFrom('', ...Object.keys(resource.groups)), stamps)),
    body: fc.constant(null),
  });

const ofTable = (resource: Resource): fc.Arbitrary<Partial<WireChange>> =>
  fc
    .oneof(
      { weight: 6, arbitrary: wholeOf(resource) },
      { weight: Object.keys(resource.groups).length === 0 ? 0 : 3, arbitrary: partOf(resource) },
      { weight: 1, arbitrary: deleteOf(resource) },
    )
    .map((change) => ({ entity: resource.entity, ...change }));

const strange: fc.Arbitrary<Partial<WireChange>> = fc.record({
  ...frame,
  entity: fc.constantFrom(999, ...TABLES.map(({ entity }) => entity)),
  id: fc.constantFrom('x', idIn('ponds', 1)),
  op: fc.constantFrom(...Object.values(OPS)),
  base: orNull(fc.dictionary(texts, texts)),
  body: orNull(fc.dictionary(texts, json, { maxKeys: 3 })),
});

/** A batch as it could come over the wire. */
export const anyBatch: fc.Arbitrary<WireChange[]> = fc
  .array(
    fc.oneof({ weight: 12, arbitrary: fc.oneof(...TABLES.map(ofTable)) }, { weight: 1, arbitrary: strange }),
    {
      minLength: 10,
      maxLength: 40,
    },
  )
  .map((changes) =>
    changes.map(
      (change, place): WireChange => ({
        seq: place + 1,
        tx: 1,
        entity: 0,
        id: '',
        op: OPS.put,
        cl: 1,
        hlc: '',
        over: null,
        base: null,
        body: null,
        actor: null,
        sv: 1,
        chain: '',
        ...change,
      }),
    ),
  );
