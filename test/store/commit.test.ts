import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import type { RowOf } from '#contract/resource.ts';
import { farm } from '#contract/resources/farms.ts';
import { instanceValue, presence } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { asParent, type Change, type GuardSeen, insert, put, remove, update } from '#core/changes.ts';
import { StaleError, UniqueViolation } from '#core/errors.ts';
import { onBothEngines, type TestDatabase } from '#test/databases.ts';

const at = '2026-03-01T12:00:00.000Z';
const anOwner = (fields: Partial<RowOf<typeof user>> = {}): RowOf<typeof user> => ({
  id: '01900000-0000-7000-8000-000000000001',
  numeric_id: 1,
  email: 'Ana@farm.br',
  email_key: 'ana@farm.br',
  name: 'Ana',
  phone_number: null,
  role: 'OWNER',
  is_active: true,
  password_hash: 'x',
  password_version: 1,
  language: null,
  created_at: at,
  updated_at: null,
  ...fields,
});
const aFarm = (fields: Partial<RowOf<typeof farm>> = {}): RowOf<typeof farm> => ({
  id: '01900000-0000-7000-8000-000000000002',
  name: 'Norte',
  description: null,
  owner_id: anOwner().id,
  address_id: null,
  lat: null,
  lng: null,
  timezone: 'America/Fortaleza',
  created_at: at,
  updated_at: null,
  ...fields,
});
const aPond = (fields: Partial<RowOf<typeof pond>> = {}): RowOf<typeof pond> => ({
  id: '01900000-0000-7000-8000-000000000003',
  numeric_id: 3,
  farm_id: aFarm().id,
  cod: 'V-01',
  pond_type: null,
  size_m2: 2000,
  depth_m: 1.5,
  lat: null,
  lng: null,
  aerator_count: 0,
  control_point_id: null,
  created_at: at,
  updated_at: null,
  ...fields,
});

onBothEngines('commit', (open) => {
  let opened: TestDatabase | null = null;
  afterEach(async () => {
    await opened?.close();
    opened = null;
  });
  async function aDatabase(): Promise<Database> {
    opened = await open();
    return opened.database;
  }
  const write = (database: Database, changes: readonly Change[]) =>
    database.commit({ changes, actor: anOwner().id });
  const changeLog = (database: Database) =>
    database.read
      .selectFrom('sync_change')
      .select(['lane', 'seq', 'tx', 'entity', 'id', 'op', 'cl', 'hlc', 'base_json', 'body_json', 'chain'])
      .orderBy('lane')
      .orderBy('seq')
      .execute();

  it('stores the rows, their registers and one gapless, chained change log entry each', async () => {
    const database = await aDatabase();
    await write(database, [insert(farm, aFarm()), insert(user, anOwner())]);
    await write(database, [update(farm, aFarm().id, { name: 'Sul', updated_at: at })]);
    const entries = await changeLog(database);
    expect(entries.map(({ seq, tx, entity, op, cl }) => ({ seq, tx, entity, op, cl }))).toEqual([
      { seq: 1, tx: 1, entity: 3, op: 1, cl: 1 },
      { seq: 2, tx: 1, entity: 1, op: 1, cl: 1 },
      { seq: 3, tx: 2, entity: 3, op: 1, cl: 1 },
    ]);
    expect(JSON.parse(entries[2]?.body_json ?? '')).toEqual({ name: { name: 'Sul' }, updated_at: at });
    expect(JSON.parse(entries[2]?.base_json ?? '')).toEqual({ name: entries[0]?.hlc });
    expect(new Set(entries.map((entry) => entry.chain)).size).toBe(3);
    expect([...entries].sort((a, b) => (a.hlc < b.hlc ? -1 : 1))).toEqual(entries);
  });

  it('chains each entry to the one before by the canonical form of what it stores', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner({ name: 'Ana "Açaí" 🦐\n' })), insert(farm, aFarm())]);
    await write(database, [insert(pond, aPond({ depth_m: 1e-7, size_m2: 1e21 }))]);
    await write(database, [update(farm, aFarm().id, { name: 'Sul', updated_at: at })]);
    await write(database, [remove(pond, aPond().id)]);
    const entries = await changeLog(database);
    expect(entries).toHaveLength(5);
    let chain = '';
    for (const { entity, id, op, cl, hlc, base_json, body_json, ...stored } of entries) {
      const base = JSON.parse(base_json ?? 'null');
      const body = JSON.parse(body_json ?? 'null');
      const entry = canonicalize({ entity, id, op, cl, hlc, base, body, sv: 1 }) ?? '';
      const digest = createHash('sha256').update(Buffer.from(chain, 'hex')).update(entry).digest('hex');
      chain = digest.slice(0, 32);
      expect(stored.chain).toBe(chain);
    }
  });

  it('refuses a row that changed since it was read, and writes nothing of the unit', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const read = { ...aFarm(), rev: 1 };
    await write(database, [update(farm, read, { name: 'Sul' })]);
    const before = await changeLog(database);
    const late = write(database, [insert(pond, aPond()), update(farm, read, { name: 'Leste' })]);
    await expect(late).rejects.toBeInstanceOf(StaleError);
    expect(await changeLog(database)).toEqual(before);
    expect(await database.read.selectFrom('ponds').select('id').execute()).toEqual([]);
  });

  it('lets one of two units that rest on the same guard win', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const guards = [{ entity: 'farm', id: aFarm().id, n: 0 }];
    const results = await Promise.allSettled([
      database.commit({ changes: [insert(pond, aPond())], guards, actor: null }),
      database.commit({ changes: [remove(farm, aFarm().id)], guards, actor: null }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('refuses what rests on a guard that moved since, whether it moved first or again', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const seen = (n: number) => ({ entity: 'farm', id: aFarm().id, n });
    const rename = (name: string, guard: GuardSeen) =>
      database.commit({ changes: [update(farm, aFarm().id, { name })], guards: [guard], actor: null }).then(
        () => 'done',
        (error: unknown) => error instanceof StaleError && 'stale',
      );
    const inTurn: unknown[] = [];
    for (const [name, guard] of [
      ['a', asParent(seen(1))],
      ['b', asParent(seen(0))],
      ['c', seen(1)],
      ['d', seen(0)],
      ['e', seen(0)],
      ['f', asParent(seen(0))],
      ['g', asParent(seen(1))],
      ['h', seen(1)],
      ['i', seen(1)],
      ['j', asParent(seen(2))],
    ] as const) {
      inTurn.push([name, await rename(name, guard)]);
    }
    expect(inTurn).toEqual([
      ['a', 'stale'],
      ['b', 'done'],
      ['c', 'stale'],
      ['d', 'done'],
      ['e', 'stale'],
      ['f', 'stale'],
      ['g', 'done'],
      ['h', 'done'],
      ['i', 'stale'],
      ['j', 'done'],
    ]);
  });

  it('leaves nothing of a unit that fails, alone or among others, and takes the others', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const id = (n: number) => `01900000-0000-7000-8000-00000000030${n}`;
    const half = () =>
      write(database, [insert(pond, aPond({ id: id(0) })), update(farm, { ...aFarm(), rev: 9 }, {})]);
    const whole = (n: number) => write(database, [insert(pond, aPond({ id: id(n), numeric_id: n }))]);
    await expect(half()).rejects.toBeInstanceOf(StaleError);
    const among = await Promise.allSettled([whole(1), half(), whole(2)]);
    expect(among.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await whole(3);
    const stored = await database.read.selectFrom('ponds').select('id').orderBy('id').execute();
    expect(stored).toEqual([{ id: id(1) }, { id: id(2) }, { id: id(3) }]);
    expect((await changeLog(database)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('takes the units beside one that fails only when all is written', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const id = (n: number) => `01900000-0000-7000-8000-00000000040${n}`;
    const whole = (n: number) => write(database, [insert(pond, aPond({ id: id(n), numeric_id: n }))]);
    // of a farm that there is not: the databases look at that at the very end
    const orphan = () => write(database, [insert(pond, aPond({ id: id(0), farm_id: id(9) }))]);
    await expect(orphan()).rejects.toThrow();
    const among = await Promise.allSettled([whole(1), orphan(), whole(2)]);
    expect(among.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((await changeLog(database)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('lets many creates under one farm go side by side, and none after its end', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const seen = { entity: 'farm', id: aFarm().id, n: 0 };
    const id = (n: number) => `01900000-0000-7000-8000-00000000020${n}`;
    const create = (n: number) =>
      database.commit({
        changes: [insert(pond, aPond({ id: id(n), numeric_id: n }))],
        guards: [asParent(seen)],
        actor: null,
      });
    await Promise.all([create(1), create(2), create(3)]);
    await database.commit({ changes: [remove(farm, aFarm().id)], guards: [seen], actor: null });
    await expect(create(4)).rejects.toBeInstanceOf(StaleError);
  });

  it('hides what lies below a deleted farm, without tombstones of its own, and frees unique values', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm()), insert(pond, aPond())]);
    const told: string[] = [];
    database.onCommit(({ rows }) => told.push(...rows.map(({ table, hidden }) => `${table} ${hidden}`)));
    await write(database, [remove(farm, aFarm().id)]);
    expect(told).toEqual(['farms true', 'ponds true']);
    expect(await database.read.selectFrom('ponds').select(['hidden']).execute()).toEqual([{ hidden: 1 }]);
    const last = (await changeLog(database)).at(-1);
    expect({ entity: last?.entity, op: last?.op, cl: last?.cl }).toEqual({ entity: 3, op: 2, cl: 2 });
  });

  it('tells which unique value is taken and writes nothing', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner())]);
    const twice = write(database, [insert(user, anOwner({ id: '01900000-0000-7000-8000-000000000009' }))]);
    await expect(twice).rejects.toBeInstanceOf(UniqueViolation);
    expect(await database.read.selectFrom('users').select('id').execute()).toHaveLength(1);
  });

  it('keeps a change log gapless and in commit order under many writers at once', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const id = (n: number) => `01900000-0000-7000-8000-0000000001${String(n).padStart(2, '0')}`;
    await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        write(database, [insert(pond, aPond({ id: id(n), numeric_id: 100 + n }))]),
      ),
    );
    const seqs = (await changeLog(database)).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 42 }, (_, n) => n + 1));
  });

  it('refuses to change rows of the product behind the back of commit', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner())]);
    const behind = database.read.updateTable('users').set({ name: 'Eve' }).execute();
    await expect(behind).rejects.toThrow(/through commit only/);
  });

  it('changes nothing and logs nothing when the new values are the old ones', async () => {
    const database = await aDatabase();
    await write(database, [insert(user, anOwner()), insert(farm, aFarm())]);
    const before = await changeLog(database);
    await write(database, [update(farm, aFarm().id, { name: 'Norte' })]);
    expect(await changeLog(database)).toEqual(before);
  });

  it('whatever many controllers were heard in one moment, the last word of each stands', async () => {
    const database = await aDatabase();
    const heard = fc.array(
      fc.record({
        point: fc.nat(150),
        heard_at_ms: fc.nat(),
        consumption: fc.nat(900),
        isPoint: fc.boolean(),
      }),
      { minLength: 1, maxLength: 400 },
    );
    const idOf = (point: number) => `01900000-0000-7000-8000-${String(point).padStart(12, '0')}`;
    await fc.assert(
      fc.asyncProperty(heard, async (words) => {
        await write(
          database,
          words.map(({ point, heard_at_ms, consumption, isPoint }) =>
            isPoint
              ? put(presence, { id: idOf(point), heard_at_ms, consumption })
              : put(instanceValue, { id: `${point}`, value: `${consumption}` }),
          ),
        );
        const last = new Map(words.filter(({ isPoint }) => isPoint).map((word) => [idOf(word.point), word]));
        const rows = await database.read
          .selectFrom('presence')
          .selectAll()
          .where('id', 'in', [...last.keys(), idOf(999)])
          .execute();
        expect(new Map(rows.map((row) => [row.id, [row.heard_at_ms, row.consumption]]))).toEqual(
          new Map([...last].map(([id, word]) => [id, [word.heard_at_ms, word.consumption]])),
        );
      }),
      { numRuns: 20 },
    );
  });
});
