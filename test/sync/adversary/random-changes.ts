import fc from 'fast-check';
import { sql } from 'kysely';
import type { Resource } from '#contract/resource.ts';
import { allResources, sharedResources } from '#contract/resources/all.ts';
import { SYNC_SCHEMA, type WireChange } from '#contract/sync/wire.ts';
import type { App } from '#test/app.ts';

// Rows as somebody makes them up who knows all that there are: real ones with other ids, names, parts and stamps.

// rows of different tables; here only their being rows counts
const SHARED = Object.values(sharedResources) as unknown as readonly Resource[];

/** By table and id: the row as text. */
export type Rows = Map<string, string>;
export type KnownRow = { resource: Resource; row: Record<string, unknown> };

/** Every row of every table but those. */
export async function rowsIn(app: Pick<App, 'database'>, without: ReadonlySet<string>): Promise<Rows> {
  const rows: Rows = new Map();
  for (const { name } of allResources) {
    if (without.has(name)) continue;
    const { rows: stored } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
      app.database.read,
    );
    for (const row of stored) rows.set(`${name} ${String(row['id'])}`, JSON.stringify(row));
  }
  return rows;
}

/** Those of tables that are synchronised. */
export const sharedRows = (rows: Rows): KnownRow[] =>
  [...rows].flatMap(([key, text]) => {
    const [table = ''] = key.split(' ');
    const resource = SHARED.find(({ name }) => name === table);
    return resource === undefined ? [] : [{ resource, row: JSON.parse(text) as Record<string, unknown> }];
  });

export type RandomChange = Omit<WireChange, 'seq' | 'chain' | 'tx'>;

const WORDS = ['name', 'title', 'message', 'notes', 'cod', 'street', 'phone_number', 'password_hash'];

export function randomChanges(of: {
  known: readonly KnownRow[];
  /** Beside those of the rows. */
  ids: readonly string[];
  actor: string;
  nextHlc: () => string;
}): fc.Arbitrary<RandomChange> {
  const ids = [...new Set([...of.known.map(({ row }) => String(row['id'])), ...of.ids])];
  const anId = fc.oneof(fc.constantFrom(...ids), fc.uuid({ version: 4 }));
  return fc
    .record({
      of: fc.constantFrom(...of.known),
      id: fc.option(anId, { nil: undefined }),
      op: fc.constantFrom(1, 2, 3, 4),
      cl: fc.constantFrom(1, 1, 2, 3, 4, 9),
      kind: fc.constantFrom('whole', 'groups'),
      swaps: fc.array(fc.tuple(fc.nat(), anId), { maxLength: 3 }),
      word: fc.string({ minLength: 1, maxLength: 12 }),
      group: fc.nat(),
    })
    .map((told): RandomChange => {
      const { resource, row: stored } = told.of;
      const fields: Record<string, unknown> = {};
      for (const field of Object.keys(resource.row.shape))
        fields[field] = wire(resource, field, stored[field]);
      const references = Object.keys(fields).filter(
        (field) => field.endsWith('_id') || field === 'issued_by',
      );
      for (const [at, other] of told.swaps) {
        const field = references[at % Math.max(1, references.length)];
        if (field !== undefined) fields[field] = other;
      }
      for (const field of WORDS) if (field in fields) fields[field] = told.word;
      const id = told.id ?? String(stored['id']);
      fields['id'] = id;
      const groups = Object.keys(resource.groups);
      const group = groups[told.group % Math.max(1, groups.length)];
      const isWhole = told.kind === 'whole' || group === undefined;
      const part = Object.fromEntries(
        (resource.groups[group ?? '']?.fields ?? []).map((name) => [name, fields[name]]),
      );
      return {
        entity: resource.entity,
        id,
        op: told.op as WireChange['op'],
        cl: told.cl,
        hlc: of.nextHlc(),
        over: null,
        base: isWhole ? null : { [group]: '' },
        body: told.op === 2 ? null : isWhole ? fields : { [group]: part },
        actor: of.actor,
        sv: SYNC_SCHEMA,
      };
    });
}

/** A stored column as the wire has it. */
function wire(resource: Resource, field: string, value: unknown): unknown {
  const schema = resource.row.shape[field];
  if (value === null || value === undefined) return null;
  if (schema?.safeParse(value).success === true) return value;
  if (value === 0 || value === 1) return value === 1;
  if (typeof value === 'string') {
    try {
      return JSON.parse(value);
    } catch {
      return value;
    }
  }
  return value;
}

/** Values of an arbitrary, one after another; the same for the same seed. */
export function draw<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): () => Value {
  let waiting: Value[] = [];
  let n = 0;
  return () => {
    if (waiting.length === 0) {
      n += 1;
      waiting = fc.sample(arbitrary, { numRuns: 50, seed: seed * 1_000 + n });
    }
    return waiting.pop() as Value;
  };
}
