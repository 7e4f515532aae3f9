import type * as z from 'zod';
import type { Resource } from '#contract/resource.ts';

// Both engines store the same plain values: text, numbers, 0 or 1 for booleans, JSON text for lists and objects.
// Instants are ISO 8601 UTC text, whose order is time order.

type ColumnKind = 'plain' | 'boolean' | 'json';
export type Encoded = Record<string, string | number | null>;

export type RowCodec = {
  columns: readonly string[];
  /** Inserts a whole row: its `values`. */
  insertSql: string;
  /** The same unless there is a row of that id; answers the id when it was inserted. */
  insertIfAbsentSql: string;
  /** A whole row in the order of the columns. */
  values(row: Record<string, unknown>): (string | number | null)[];
  encode(row: Record<string, unknown>): Encoded;
  decode(stored: Record<string, unknown>): Record<string, unknown>;
};

const codecs = new WeakMap<object, RowCodec>();

/** The codec of a resource, made once. */
export function codecOf(resource: Resource): RowCodec {
  const known = codecs.get(resource);
  if (known) return known;
  const codec = makeCodec(resource);
  codecs.set(resource, codec);
  return codec;
}

function makeCodec(resource: Resource): RowCodec {
  const kinds = Object.entries(resource.row.shape).map(
    ([column, schema]) => [column, kindOf(schema)] as const,
  );
  const kindByColumn = new Map(kinds);
  const columns = kinds.map(([column]) => column);
  const isShared = resource.sync !== 'local';
  const insertSql = `insert into ${resource.name} (${columns.join(', ')}${isShared ? ', rev, hidden' : ''}) values (${columns
    .map(() => '?')
    .join(', ')}${isShared ? ', 1, 0' : ''})`;
  return {
    columns,
    insertSql,
    insertIfAbsentSql: `${insertSql} on conflict (id) do nothing returning id`,
    values: (row) => kinds.map(([column, kind]) => encodeValue(kind, row[column])),
    encode(row) {
      const encoded: Encoded = {};
      for (const [column, value] of Object.entries(row)) {
        const kind = kindByColumn.get(column);
        if (kind !== undefined) encoded[column] = encodeValue(kind, value);
      }
      return encoded;
    },
    decode(stored) {
      const row: Record<string, unknown> = {};
      for (const [column, kind] of kinds) row[column] = decodeValue(kind, stored[column]);
      return row;
    },
  };
}

function encodeValue(kind: ColumnKind, value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (kind === 'boolean') return value ? 1 : 0;
  if (kind === 'json') return JSON.stringify(value);
  if (typeof value === 'string' || typeof value === 'number') return value;
  throw new Error(`a column cannot hold ${typeof value}`);
}

function decodeValue(kind: ColumnKind, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'boolean') return value === 1 || value === true;
  if (kind === 'json' && typeof value === 'string') return JSON.parse(value);
  return value;
}

function kindOf(schema: z.ZodType): ColumnKind {
  const { type } = schema.def;
  if (type === 'nullable' || type === 'optional' || type === 'default') {
    // these wrappers keep what they wrap in innerType
    return kindOf((schema.def as unknown as { innerType: z.ZodType }).innerType);
  }
  if (type === 'boolean') return 'boolean';
  return type === 'array' || type === 'object' || type === 'record' ? 'json' : 'plain';
}
