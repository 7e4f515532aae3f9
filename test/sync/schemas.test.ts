import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Resource } from '#contract/resource.ts';
import { alert } from '#contract/resources/alerts.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { SYNC_SCHEMA } from '#contract/sync/wire.ts';
import { defaultsOf, knownFields, schemaOfChange, schemaOfGroup } from '#store/merge/schemas.ts';
import { TABLES_IN_ORDER } from '#store/merge/shared-tables.ts';
import { onBothEngines } from '#test/databases.ts';

// What is synchronised, as it was with each schema: by table and group ('' for what never changes, or did not until the
// schema of its group), the schema and a fingerprint of its fields. Entries are only ever added: programs that are out there know no other ones.

type Entry = readonly [schema: number, fingerprint: string];
type Schemas = Record<string, Record<string, Entry[]>>;
// written by people, as the failing test below says
const RECORDED = JSON.parse(
  readFileSync(new URL('./schemas.json', import.meta.url), 'utf8'),
) as unknown as Schemas;

type Group = { name: string; fields: readonly string[]; owner?: string; since?: number };

function groupsOf({ groups, row }: Resource): Group[] {
  const grouped = new Set(
    Object.values(groups).flatMap(({ fields, since }) => (since === undefined ? fields : [])),
  );
  return [
    { name: '', fields: Object.keys(row.shape).filter((field) => !grouped.has(field)) },
    ...Object.entries(groups).map(([name, group]) => ({ name, ...group })),
  ];
}

function fingerprintOf({ entity, sync, lane, row }: Resource, { fields, owner = '' }: Group): string {
  const said = fields.map((field) => {
    const schema = z.toJSONSchema(row.shape[field] ?? z.never(), { unrepresentable: 'any' });
    // in what words a library says it is not what is said
    return [
      field,
      JSON.parse(JSON.stringify(schema, (key, value) => (WORDING.has(key) ? undefined : value))),
    ];
  });
  return hash('sha256', canonicalize([entity, sync, lane, owner, said]) ?? '').slice(0, 12);
}

const WORDING: ReadonlySet<string> = new Set(['$schema', 'pattern', 'description']);

/** What a change of a table lacks; each is a sentence that says what to do. */
function lacking(resource: Resource, recorded: Record<string, Entry[]> = {}): string[] {
  const { name } = resource;
  return groupsOf(resource).flatMap((group) => {
    const entries = recorded[group.name] ?? [];
    const entry: Entry = [schemaOfGroup(resource, group.fields), fingerprintOf(resource, group)];
    const [last] = entries.slice(-1);
    if (last?.[0] === entry[0] && last[1] === entry[1]) return [];
    const named = group.name === '' ? `${name}, what never changes` : `${name}.${group.name}`;
    if (last !== undefined && entry[0] <= last[0])
      return `${named} is otherwise than with schema ${last[0]}: raise SYNC_SCHEMA, and name the fields with that number under \`later\` (new ones, with a default that is the column's) or \`widened\` (new words) of ${name}`;
    return `${named} has no entry for schema ${entry[0]}: add ${JSON.stringify(entry)} to test/sync/schemas.json`;
  });
}

describe('the schema of what is synchronised', () => {
  test('counts every table, group, field and word: none comes without a number of its own', () => {
    expect(TABLES_IN_ORDER.flatMap((resource) => lacking(resource, RECORDED[resource.name]))).toEqual([]);
    expect(Object.keys(RECORDED).toSorted()).toEqual(TABLES_IN_ORDER.map(({ name }) => name).toSorted());
    const entries = Object.values(RECORDED).flatMap((groups) => Object.values(groups));
    for (const group of entries) {
      const numbers = group.map(([schema]) => schema);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    }
    expect(Math.max(...entries.flat().map(([schema]) => schema))).toBe(SYNC_SCHEMA);
  });

  test('is missed by a field, a group, a word or an owner that came without one', () => {
    // a row of some fields more is one, too
    const resource = controlPoint as unknown as Resource;
    const { row, groups } = resource;
    const rowOf = (more: Record<string, z.ZodType>): Resource['row'] =>
      // a row of other fields is one, too
      z.object({ ...row.shape, ...more }) as unknown as Resource['row'];
    const shape = { colour: z.string().nullable().default(null) };
    const changed: Partial<Resource>[] = [
      { row: rowOf(shape) },
      { row: rowOf(shape), groups: { ...groups, paint: { fields: ['colour'] } } },
      {
        row: rowOf({ fail_safe: z.enum(['HOLD', 'ON', 'BLINK']) }),
      },
      { groups: { ...groups, cod: { fields: ['cod'], owner: 'hosted' } } },
    ];
    for (const change of changed)
      expect(lacking({ ...resource, ...change }, RECORDED['control_points'])).toHaveLength(1);
    expect(lacking({ ...resource, entity: 99, name: 'other' })).not.toEqual([]);
    const numbered = {
      ...resource,
      row: rowOf(shape),
      later: { ...resource.later, colour: SYNC_SCHEMA + 1 },
    };
    expect(lacking(numbered, RECORDED['control_points'])).toEqual([
      expect.stringContaining(`has no entry for schema ${SYNC_SCHEMA + 1}: add`),
    ]);
  });

  test('is told with a change as the least that takes all of it', () => {
    const points = controlPoint as unknown as Resource;
    const alerts = alert as unknown as Resource;
    const settings = { fail_safe: 'OFF', min_on_s: 0, is_siren: false };
    const of = (body: Record<string, unknown>, before = {}, resource = points) =>
      schemaOfChange(resource, { base: {}, body, before });
    expect(of({ settings })).toBe(1);
    expect(of({ settings: { ...settings, is_siren: true } })).toBe(2);
    // a siren that becomes an aerator again: who does not know of sirens would go on with what lies in its column
    expect(of({ settings }, { ...settings, is_siren: true })).toBe(2);
    // a group that is not known is refused by name
    expect(of({ unkeyed: { allow_unkeyed: null } })).toBe(6);
    expect(of({ acknowledged: { acknowledge_note: null } }, {}, alerts)).toBe(1);
    expect(of({ acknowledged: { acknowledge_note: 'no fuse' } }, {}, alerts)).toBe(3);
    expect(schemaOfChange(points, { base: null, body: { is_simulated: true, is_siren: true } })).toBe(4);
    expect(schemaOfChange(points, { base: null, body: { is_simulated: false, allow_unkeyed: null } })).toBe(
      1,
    );
    expect(knownFields(points, ['cod', 'is_siren', 'is_simulated'], 3)).toEqual(['cod', 'is_siren']);
  });
});

onBothEngines('a field that came later', (open, engine) => {
  const LATER = TABLES_IN_ORDER.filter(({ later }) => Object.keys(later).length > 0);

  test('has the same default in the contract as in the column that its migration added', async () => {
    const { database, close } = await open();
    try {
      for (const resource of LATER) {
        for (const [field, expected] of Object.entries(defaultsOf(resource))) {
          const { rows } =
            engine === 'sqlite'
              ? await sql<{ given: string | null }>`
                  select dflt_value as given from pragma_table_info(${resource.name}) where name = ${field}`.execute(
                  database.read,
                )
              : await sql<{ given: string | null }>`
                  select column_default as given from information_schema.columns
                  where table_name = ${resource.name} and column_name = ${field}`.execute(database.read);
          const given = rows[0]?.given?.replace(/::.*$/, '').replaceAll(/^'|'$/g, '') ?? null;
          expect({ field, given }).toEqual({
            field,
            given: typeof expected === 'boolean' ? String(Number(expected)) : expected,
          });
        }
      }
    } finally {
      await close();
    }
  });
});
