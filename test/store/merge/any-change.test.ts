import * as fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import type { Resource } from '#contract/resource.ts';
import { sharedResources } from '#contract/resources/all.ts';
import { farm } from '#contract/resources/farms.ts';
import { user } from '#contract/resources/users.ts';
import { OPS, type WireChange, type WireRow, wireChange, wireRow } from '#contract/sync/wire.ts';
import { insert } from '#core/changes.ts';
import { formatHlc } from '#store/hlc.ts';
import { changeOf } from '#store/merge/note-seen.ts';
import { isTold, REFERENCES, resourceOfTable } from '#store/merge/shared-tables.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { anyBatch, idIn } from './any-change.ts';
import { aFarm, ana, aUser, norte } from './rows.ts';
import { pair, STREAM } from './two-sides.ts';

// rows of different tables have different fields; here only their being rows counts
const TABLES = Object.values(sharedResources) as unknown as readonly Resource[];

it('knows every row that a row names by a foreign key', async () => {
  const { database, close } = await openTestDatabase('sqlite');
  for (const { name } of TABLES) {
    const { rows } = await database.read.executeQuery<{ from: string; table: string }>({
      ...database.read.selectNoFrom((e) => e.val(1).as('one')).compile(),
      sql: `select "from", "table" from pragma_foreign_key_list('${name}')`,
      parameters: [],
    });
    const named = Object.fromEntries(rows.map((key) => [key.from, key.table]));
    expect({ [name]: named }).toEqual({ [name]: REFERENCES[name as keyof typeof REFERENCES] });
  }
  await close();
});

onBothEngines('any change that comes over the wire', (open) => {
  const opened: TestDatabase[] = [];
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });

  async function side(streams: 'own' | 'by scope'): Promise<Database> {
    const made = await open({ streams, node: streams === 'own' ? '0aaa0001' : 'c0000001' });
    opened.push(made);
    return made.database;
  }

  const batches = (seed: number): WireChange[][] => fc.sample(anyBatch, { numRuns: 240, seed });

  /** Nothing is seen below what is not, by the rows that go one by one. */
  async function orphans({ read }: Database): Promise<string[]> {
    const found: string[] = [];
    for (const resource of TABLES) {
      if (resource.goesBy !== 'row' || !isTold(resource)) continue;
      for (const [parent, column] of Object.entries(resource.parents)) {
        if (!isTold(resourceOfTable(parent))) continue;
        const compiled = read.selectNoFrom((e) => e.val(1).as('one')).compile();
        const { rows } = await read.executeQuery<{ id: string }>({
          ...compiled,
          sql: `select child.id from ${resource.name} as child join ${parent} as parent on parent.id = child.${column}
            where child.hidden = 0 and parent.hidden = 1`,
          parameters: [],
        });
        found.push(...rows.map(({ id }) => `${resource.name} ${id}`));
      }
    }
    return found;
  }

  async function hear(database: Database, from: 'gateway' | 'hosted', changes: readonly WireChange[]) {
    for (const change of changes) expect(wireChange.safeParse(change).error).toBeUndefined();
    const streamId = from === 'gateway' ? STREAM : 1;
    const { merged } = await database.commit({
      actor: null,
      changes: [],
      incoming: { from, streamId, lane: 'core', changes },
    });
    return merged;
  }

  it.each(['gateway', 'hosted'] as const)(
    'is applied, passed over or kept aside, and never stops the rest: from a %s one',
    async (from) => {
      const database = await side(from === 'gateway' ? 'by scope' : 'own');
      if (from === 'gateway') await pair(database);
      const mine = aUser({ id: idIn('users', 1), email: 'b@farm.br', email_key: 'b@farm.br' });
      await database.commit({
        actor: null,
        changes: [insert(user, mine), insert(farm, aFarm({ owner_id: from === 'gateway' ? ana : mine.id }))],
      });
      for (const changes of batches(from === 'gateway' ? 4 : 2)) {
        const merged = await hear(database, from, changes);
        expect({
          all: (merged?.applied ?? 0) - (merged?.unparked ?? 0) + (merged?.parked.length ?? 0),
        }).toEqual({ all: changes.length });
        expect(await orphans(database)).toEqual([]);
      }
      const heard = TABLES.filter(({ name }) => from === 'hosted' || name !== 'subscriptions').filter(isTold);
      for (const { name } of heard) {
        const some = await database.read
          .selectFrom(name as 'ponds')
          .select('id')
          .limit(1)
          .execute();
        expect({ [name]: some.length }).toEqual({ [name]: 1 });
      }
    },
    180_000,
  );

  it('ends, though two edits say that each was made over the other', async () => {
    const database = await side('own');
    const owner = aUser();
    await database.commit({
      actor: null,
      changes: [insert(user, owner), insert(farm, aFarm({ owner_id: owner.id }))],
    });
    const stamps = [1, 2].map((n) => formatHlc(Date.UTC(2026, 2, 1, 12) + n, 0, 'c0000001'));
    const told = stamps.map(
      (hlc, n): WireChange => ({
        seq: n + 1,
        tx: n + 1,
        entity: farm.entity,
        id: norte,
        op: OPS.put,
        cl: 1,
        hlc,
        over: null,
        base: { name: stamps[1 - n] ?? '' },
        body: { name: { name: `Norte ${n}` } },
        actor: null,
        sv: 1,
        chain: '',
      }),
    );
    expect((await hear(database, 'hosted', told))?.applied).toBe(2);
  });

  it('is taken as it can be where it comes in a snapshot, or was found by a comparison', async () => {
    const [gateway, hosted] = [await side('own'), await side('by scope')];
    await pair(hosted);
    await hosted.commit({ actor: null, changes: [insert(farm, aFarm())] });
    for (const changes of batches(3)) {
      const rows = changes.flatMap((change): WireRow[] => {
        const { success, data } = wireRow.safeParse({ ...change, over: change.over ?? {} });
        return success ? [data] : [];
      });
      await gateway.commit({ actor: null, changes: [], snapshot: { streamId: 1, rows } });
      const incoming = { lane: 'core', changes: rows.map(changeOf), isRepair: true } as const;
      await gateway.commit({
        actor: null,
        changes: [],
        incoming: { ...incoming, from: 'hosted', streamId: 1 },
      });
      await hosted.commit({
        actor: null,
        changes: [],
        incoming: { ...incoming, from: 'gateway', streamId: STREAM },
      });
      for (const database of [gateway, hosted]) expect(await orphans(database)).toEqual([]);
    }
  });
});
