import canonicalize from 'canonicalize';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { decodeRow } from '#adapters/sql/tables.ts';
import { farm } from '#contract/resources/farms.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { insert } from '#core/changes.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { REFERENCES } from '#store/merge/shared-tables.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';
import { aFarm, aPond, aUser } from './rows.ts';
import { logged } from './two-sides.ts';

onBothEngines('what is stored', (open, engine) => {
  let opened: TestDatabase;
  beforeAll(async () => {
    opened = await open();
    await opened.database.commit({ changes: [insert(user, aUser()), insert(farm, aFarm())], actor: null });
  });
  afterAll(() => opened.close());

  it('comes back with the same canonical text and chain, whatever the number or letters', async () => {
    const { database } = opened;
    let n = 100;
    await fc.assert(
      fc.asyncProperty(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.oneof(
          fc.constantFrom(0, -0, 5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1e21),
          fc.double({ noNaN: true, noDefaultInfinity: true }),
        ),
        fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
        fc.maxSafeInteger(),
        async (size_m2, depth_m, cod, aerator_count) => {
          n += 1;
          const row = aPond(n, { size_m2, depth_m, cod, aerator_count });
          await database.commit({ changes: [insert(pond, row)], actor: null });
          const stored = await database.read
            .selectFrom('ponds')
            .selectAll()
            .where('id', '=', row.id)
            .executeTakeFirstOrThrow();
          const { rev: _rev, ...decoded } = decodeRow(pond, stored);
          expect(canonicalize(decoded)).toBe(canonicalize(row));
        },
      ),
      { numRuns: 60 },
    );
    let chain = '';
    for (const change of await logged(database, 1)) {
      // as it comes over the wire
      chain = chainAfter(chain, JSON.parse(JSON.stringify(change)));
      expect(change.chain).toBe(chain);
    }
  });

  it('names other rows by the columns the sync knows', async () => {
    const { read } = opened.database;
    for (const [table, columns] of Object.entries(REFERENCES)) {
      const { rows } =
        engine === 'sqlite'
          ? await sql<{
              from: string;
              to: string;
            }>`select "from", "table" as "to" from pragma_foreign_key_list(${table})`.execute(read)
          : await sql<{ from: string; to: string }>`
              select a.attname as "from", c.confrelid::regclass::text as "to" from pg_constraint c
              join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
              where c.contype = 'f' and c.conrelid = ${table}::regclass`.execute(read);
      expect([table, Object.fromEntries(rows.map((row) => [row.from, row.to]))]).toEqual([table, columns]);
    }
  });
});
