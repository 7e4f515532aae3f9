import BetterSqlite from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { planOnceDialect } from '#adapters/sql/plan-once.ts';

type Ponds = {
  ponds: { id: string; farm_id: string; cod: string; depth_m: number; hidden: number };
  farms: { id: string; name: string; hidden: number };
};

describe('statements of SQLite', () => {
  let connection: BetterSqlite.Database;
  let db: Kysely<Ponds>;
  beforeEach(() => {
    connection = new BetterSqlite(':memory:');
    connection.exec(`
      create table farms (id TEXT primary key, name TEXT not null, hidden INTEGER not null) strict, without rowid;
      create table ponds (id TEXT primary key, farm_id TEXT not null, cod TEXT not null, depth_m REAL, hidden INTEGER not null)
        strict, without rowid;
      create index ponds_farm on ponds (farm_id, cod);
      create unique index ponds_cod on ponds (farm_id, cod) where hidden = 0;
      insert into farms values ('f1', 'Norte', 0), ('f2', 'Sul', 0);
      insert into ponds values ('p1', 'f1', 'V-01', 1, 0), ('p2', 'f1', 'V-02', 1.5, 0), ('p3', 'f2', 'V-01', 2, 1);`);
    const bySql = new Map<string, BetterSqlite.Statement<unknown[]>>();
    const prepare = (text: string) => {
      const statement = bySql.get(text) ?? connection.prepare<unknown[]>(text);
      bySql.set(text, statement);
      return statement;
    };
    db = new Kysely<Ponds>({ dialect: planOnceDialect({ prepare, close: () => undefined }) });
  });
  afterEach(() => {
    connection.close();
  });

  /** The driver compiles a function for the rows of a plan; how often it did is how often there was a new one. */
  async function plansDuring(work: () => unknown): Promise<number> {
    const { Function: compile } = globalThis;
    let count = 0;
    const counting = (...parts: string[]): unknown => {
      count += 1;
      return compile(...parts);
    };
    try {
      Object.assign(globalThis, { Function: counting });
      await work();
    } finally {
      Object.assign(globalThis, { Function: compile });
    }
    return count;
  }

  const pondOf = (id: string) =>
    db
      .selectFrom('ponds')
      .innerJoin('farms', 'farms.id', 'ponds.farm_id')
      .select(['ponds.cod', 'farms.name'])
      .where('ponds.id', '=', id)
      .where('ponds.hidden', '=', 0)
      .limit(5);

  test('a statement is planned once, whatever it is asked', async () => {
    const asked: unknown[] = [];
    const plans = await plansDuring(async () => {
      for (const id of ['p1', 'p2', 'p1', 'p3', 'p2']) asked.push(...(await pondOf(id).execute()));
    });
    expect(plans).toBe(1);
    expect(asked.map((row) => Object.values(row ?? {}))).toEqual([
      ['V-01', 'Norte'],
      ['V-02', 'Norte'],
      ['V-01', 'Norte'],
      ['V-02', 'Norte'],
    ]);
  });

  test('with bare marks it would be planned at every run', async () => {
    const { sql: text } = pondOf('p1').compile();
    const statement = connection.prepare(text.replaceAll('+?', '?'));
    const plans = await plansDuring(() => {
      for (const id of ['p1', 'p2', 'p1', 'p2']) statement.all(id, 5);
    });
    expect(plans).toBe(4);
  });

  test('an index of what is not hidden is used, and so are those for a value and a range', () => {
    const planOf = ({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) =>
      (connection.prepare(`explain query plan ${text}`).all(...parameters) as { detail: string }[]).map(
        ({ detail }) => detail,
      );
    const ofFarm = db.selectFrom('ponds').select('id').where('farm_id', '=', 'f1');
    expect(planOf(ofFarm.where('hidden', '=', 0).where('cod', '=', 'V-01').compile())).toEqual([
      'SEARCH ponds USING COVERING INDEX ponds_cod (farm_id=? AND cod=?)',
    ]);
    expect(planOf(ofFarm.where('cod', '>', 'V-01').compile())).toEqual([
      'SEARCH ponds USING COVERING INDEX ponds_farm (farm_id=? AND cod>?)',
    ]);
  });

  test('values mean what they mean when they are bound', async () => {
    const ids = async (query: { execute: () => Promise<{ id: string }[]> }) =>
      (await query.execute()).map(({ id }) => id);
    const all = db.selectFrom('ponds').select('id').orderBy('id');
    expect(await ids(all.where('depth_m', '=', 1))).toEqual(['p1']);
    expect(await ids(all.where('depth_m', '>', 1).where('depth_m', '<=', 2))).toEqual(['p2', 'p3']);
    expect(await ids(all.where('id', 'in', ['p1', 'p3', 'x']))).toEqual(['p1', 'p3']);
    expect(await ids(all.where('cod', 'like', 'v-%'))).toEqual(['p1', 'p2', 'p3']);
    expect(await ids(all.where(sql<boolean>`(farm_id, cod) > (${'f1'}, ${'V-01'})`))).toEqual(['p2', 'p3']);
    expect(await ids(all.limit(1).offset(1))).toEqual(['p2']);
    expect(await ids(all.limit(2).offset(2))).toEqual(['p3']);
    await db
      .insertInto('ponds')
      .values({ id: 'p4', farm_id: 'f2', cod: '1', depth_m: 0, hidden: 1 })
      .execute();
    const made = await db.selectFrom('ponds').selectAll().where('cod', '=', '1').execute();
    expect(made).toEqual([{ id: 'p4', farm_id: 'f2', cod: '1', depth_m: 0, hidden: 1 }]);
  });
});
