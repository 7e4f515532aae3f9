import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import { farm } from '#contract/resources/farms.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { user } from '#contract/resources/users.ts';
import { insert, put } from '#core/changes.ts';
import { UniqueViolation } from '#core/errors.ts';
import { idOfCause } from '#runtime/world.ts';
import { fastFolder } from '#test/fast-folder.ts';
import { putMigrated } from '#test/migrated-files.ts';
import { gatewayStore } from '../../../gateway/adapters/sync/gateway-store.ts';
import { aFarmRow, aLogRow, aUserRow } from '../../sync/gateway-rows.ts';

const AT = Date.parse('2026-03-02T12:00:00.000Z');
const ROWS = 3_000;
const owner = aUserRow(1);
const home = aFarmRow(1, owner.id);

describe('many rows that are written in the background', () => {
  let folder: string;
  let database: Database;
  let hasEnded: boolean;
  beforeEach(async () => {
    folder = mkdtempSync(join(fastFolder(), 'background-'));
    putMigrated(join(folder, 'farm.db'));
    const stamping = {
      now: () => AT,
      monotonic: () => 0,
      bootId: 'b',
      node: '01234567',
      streams: 'own' as const,
    };
    database = openSqlite(connectSqlite(join(folder, 'farm.db')), stamping, (error) => {
      throw error;
    });
    await database.commit({ actor: null, changes: [insert(user, owner), insert(farm, home)] });
    hasEnded = false;
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const rows = Array.from({ length: ROWS }, (_, n) => insert(logEntry, aLogRow(1 + n, home.id)));
  const aTurn = () => new Promise((resolve) => void setImmediate(resolve));
  const count = async () =>
    Number(
      (
        await database.read
          .selectFrom('logs')
          .select(({ fn }) => fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow()
      ).n,
    );
  /** Resolves when some of them are written, and more are to come. */
  async function begun(changes = rows) {
    const committed = database
      .commit({ actor: null, changes, isBackground: true })
      .finally(() => (hasEnded = true));
    // who waits for it hears of its failure below
    committed.catch(() => undefined);
    while ((await count()) === 0 && !hasEnded) await aTurn();
    return { committed };
  }

  test('leave the loop to heartbeats again and again before the last of them is written', async () => {
    const { committed } = await begun();
    let turns = 0;
    for (; !hasEnded; turns += 1) await aTurn();
    expect((await committed).rows).toHaveLength(ROWS);
    expect(turns).toBeGreaterThan(10);
  });

  test('an order that comes meanwhile is on disk at once, and they are, too', async () => {
    await begun();
    expect(hasEnded).toBe(false);
    await database.commit({ actor: null, changes: [put(instanceValue, { id: 'order', value: 'ON' })] });
    expect(hasEnded).toBe(true);
    expect(await count()).toBe(ROWS);
  });

  test('of which one cannot be stored none stays; what was written by itself meanwhile does', async () => {
    const twice = [...rows, insert(logEntry, { ...aLogRow(ROWS, home.id) })];
    const { committed } = await begun(twice);
    expect(hasEnded).toBe(false);
    await database.read.insertInto('instance_values').values({ id: 'seen', value: 'yes' }).execute();
    await expect(committed).rejects.toThrow(UniqueViolation);
    expect(await count()).toBe(0);
    const kept = await database.read
      .selectFrom('instance_values')
      .select('value')
      .where('id', '=', 'seen')
      .execute();
    expect(kept).toEqual([{ value: 'yes' }]);
  });

  test('go from the log to their places before a commit would have to bring them there', async () => {
    const size = () => statSync(join(folder, 'farm.db')).size;
    const before = size();
    // some 500 pages: a commit does it from 1,000 on
    await database.commit({ actor: null, changes: rows.slice(0, 1_800), isBackground: true });
    expect(size()).toBeGreaterThan(before + 200_000);
  });

  test('are told to the cloud when all of them are written, and not before', async () => {
    const store = gatewayStore({ now: () => AT, idOf: idOfCause, database });
    const { core_seq: coreAcked } = await store.points();
    const all = {
      lane: 'history',
      after: 0,
      coreAcked,
      rows: 5 * ROWS,
      bytes: Number.MAX_SAFE_INTEGER,
    } as const;
    const { committed } = await begun();
    const whileWritten = store.outRows(all);
    expect(hasEnded).toBe(false);
    expect((await whileWritten).rows).toEqual([]);
    await committed;
    expect((await store.outRows(all)).rows).toHaveLength(ROWS);
  });
});
