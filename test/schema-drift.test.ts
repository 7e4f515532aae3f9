import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { Resource } from '#contract/resource.ts';
import { allResources } from '#contract/resources/all.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';

type Column = { name: string; kind: 'text' | 'integer' | 'real'; nullable: boolean };

/** Columns as the contract's row says they must be. */
function columnsOfContract(resource: Resource): Column[] {
  const kernel: Column[] = [
    { name: 'rev', kind: 'integer', nullable: false },
    { name: 'hidden', kind: 'integer', nullable: false },
  ];
  const own = Object.entries(resource.row.shape).map(([name, schema]) => columnOf(name, schema));
  return [...own, ...(resource.sync === 'local' ? [] : kernel)].sort(byName);
}

function columnOf(name: string, schema: z.ZodType): Column {
  if (schema.def.type === 'nullable') {
    // nullable keeps what it wraps in innerType
    const inner = (schema.def as unknown as { innerType: z.ZodType }).innerType;
    return { ...columnOf(name, inner), nullable: true };
  }
  if (schema.def.type === 'default')
    return columnOf(name, (schema.def as unknown as { innerType: z.ZodType }).innerType);
  if (schema.def.type === 'boolean') return { name, kind: 'integer', nullable: false };
  if (schema.def.type !== 'number') return { name, kind: 'text', nullable: false };
  const isWhole = (schema as z.ZodNumber).isInt;
  return { name, kind: isWhole ? 'integer' : 'real', nullable: false };
}

const byName = (a: Column, b: Column) => (a.name < b.name ? -1 : 1);

const KIND: Readonly<Record<string, Column['kind']>> = {
  TEXT: 'text',
  INTEGER: 'integer',
  REAL: 'real',
  text: 'text',
  bigint: 'integer',
  'double precision': 'real',
};

onBothEngines('the schema', (open, engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.close());

  async function columnsOfTable(table: string): Promise<Column[]> {
    const { read } = opened.database;
    if (engine === 'sqlite') {
      const { rows } = await sql<{ name: string; type: string; notnull: number; pk: number }>`
        select name, type, "notnull", pk from pragma_table_info(${table})`.execute(read);
      return rows
        .map(({ name, type, notnull, pk }) => ({
          name,
          kind: KIND[type] ?? 'text',
          nullable: notnull === 0 && pk === 0,
        }))
        .sort(byName);
    }
    const { rows } = await sql<{ name: string; type: string; nullable: string }>`
      select column_name as name, data_type as type, is_nullable as nullable
      from information_schema.columns where table_name = ${table} and table_schema = 'public'`.execute(read);
    return rows
      .map(({ name, type, nullable }) => ({ name, kind: KIND[type] ?? 'text', nullable: nullable === 'YES' }))
      .sort(byName);
  }

  it.each(allResources.map((resource) => [resource.name, resource] as const))(
    'has for %s the columns of the contract',
    async (name, resource) => {
      expect(await columnsOfTable(name)).toEqual(columnsOfContract(resource));
    },
  );
});

describe('the contract', () => {
  it('gives every synchronised table a number of its own', () => {
    const numbers = allResources.filter(({ sync }) => sync !== 'local').map(({ entity }) => entity);
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).not.toContain(0);
  });

  it('puts every field that can change into exactly one group of an editable table', () => {
    const doubled = allResources.flatMap(({ name, groups }) => {
      const fields = Object.values(groups).flatMap((group) => group.fields);
      return fields
        .filter((field, index) => fields.indexOf(field) !== index)
        .map((field) => `${name}.${field}`);
    });
    const unknown = allResources.flatMap(({ name, groups, row }) =>
      Object.values(groups)
        .flatMap((group) => group.fields)
        .filter((field) => !(field in row.shape))
        .map((field) => `${name}.${field}`),
    );
    expect({ doubled, unknown }).toEqual({ doubled: [], unknown: [] });
  });
});
