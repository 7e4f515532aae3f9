import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { connectSqlite, openSqlite } from '#adapters/sql/open-sqlite.ts';
import type { RowOf } from '#contract/resource.ts';
import { delivery, instanceValue } from '#contract/resources/local-tables.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { notification } from '#contract/resources/notifications.ts';
import { user } from '#contract/resources/users.ts';
import { type Change, insert, insertIfAbsent, purge, put, rowsOf, update } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';
import { fastFolder } from '#test/fast-folder.ts';
import { putMigrated } from '#test/migrated-files.ts';

const AT = '2026-03-02T12:00:00.000Z';
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const ANA = id(1);

const aNotification = (n: number, set: Partial<RowOf<typeof notification>> = {}) =>
  insertIfAbsent(notification, {
    id: id(n),
    user_id: ANA,
    farm_id: null,
    type: 'SYSTEM',
    title: `notice ${n}`,
    message: 'x'.repeat(2_000),
    data: { severity: 'HIGH' },
    is_read: false,
    read_at: null,
    created_at: AT,
    ...set,
  });

const aDelivery = (n: number, set: Partial<RowOf<typeof delivery>> = {}) =>
  insertIfAbsent(delivery, {
    id: id(n),
    notification_id: null,
    channel_id: id(7),
    user_id: ANA,
    kind: 'EMAIL',
    purpose: 'NOTICE',
    is_critical: true,
    body: null,
    state: 'PENDING',
    attempts: 0,
    next_at: AT,
    last_error: null,
    created_at: AT,
    done_at: null,
    ...set,
  });

describe('messages that a full disk refuses', () => {
  let folder: string;
  let database: Database;
  let heard: string[];
  beforeEach(async () => {
    folder = mkdtempSync(join(fastFolder(), 'unsaved-'));
    putMigrated(join(folder, 'farm.db'));
    const stamping = { now: () => Date.parse(AT), monotonic: () => 0, bootId: 'b', node: '01234567' };
    database = openSqlite(
      connectSqlite(join(folder, 'farm.db')),
      { ...stamping, streams: 'own' },
      (error) => {
        throw error;
      },
    );
    heard = [];
    await commit(insert(user, aUser()), aNotification(10), aDelivery(20));
    database.onCommit((committed) =>
      heard.push(...rowsOf(committed, notification).map(({ after }) => after.title)),
    );
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const commit = (...changes: Change[]) => database.commit({ changes, actor: null });
  /** What a full disk answers, SQLite answers then; what is free inside the file is used up. */
  async function fill(): Promise<void> {
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(database.read);
    await sql.raw(`pragma max_page_count = ${rows[0]?.page_count ?? 1}`).execute(database.read);
    for (let size = 100_000; size > 10; size = Math.floor(size / 2)) {
      const isTaken = () =>
        commit(put(instanceValue, { id: `${size}-${Math.random()}`, value: 'x'.repeat(size) })).then(
          () => true,
          () => false,
        );
      while (await isTaken());
    }
  }
  const free = () => sql.raw('pragma max_page_count = 1000000').execute(database.read);
  const notices = async (db = database.read) =>
    (await db.selectFrom('notifications').select(['title', 'is_read']).orderBy('id').execute()).map(
      ({ title, is_read }) => `${title}${is_read === 1 ? ' (read)' : ''}`,
    );
  const deliveries = async () =>
    (await database.read.selectFrom('deliveries').select(['state', 'attempts']).orderBy('id').execute()).map(
      ({ state, attempts }) => `${state} ${attempts}`,
    );

  it('are answered while many rows are written in the background', async () => {
    await fill();
    await commit(aNotification(11));
    await free();
    const many = Array.from({ length: 3_000 }, (_, n) => put(instanceValue, { id: `many ${n}`, value: 'x' }));
    let hasEnded = false;
    const done = database
      .commit({ changes: many, actor: null, isBackground: true })
      .finally(() => (hasEnded = true));
    while (!hasEnded) {
      expect(await notices()).toEqual(['notice 10', 'notice 11']);
      await new Promise((resolve) => void setImmediate(resolve));
    }
    await done;
  });

  it('are answered by every query at once, heard by everybody, and stored when there is room', async () => {
    await fill();
    const committed = await commit(aNotification(11), aDelivery(21));
    expect(committed).toMatchObject({ unsaved: 'full', rows: [{ rev: 1 }, { rev: 0 }] });
    expect(heard).toEqual(['notice 11']);
    expect(await notices()).toEqual(['notice 10', 'notice 11']);
    expect(await notices(database.readLong)).toEqual(['notice 10', 'notice 11']);
    // what holds for stored rows holds for these: a cause counts once, and they change
    expect((await commit(aNotification(11))).rows).toEqual([]);
    await commit(update(notification, id(11), { is_read: true }), update(delivery, id(21), { attempts: 1 }));
    expect(await notices()).toEqual(['notice 10', 'notice 11 (read)']);
    await free();
    await database.storeUnsaved(database.commit);
    expect(database.hasUnsaved()).toBe(false);
    expect(await notices()).toEqual(['notice 10', 'notice 11 (read)']);
    expect(await deliveries()).toEqual(['PENDING 0', 'PENDING 1']);
    const { rows } = await sql`select 1 from sqlite_temp_master`.execute(database.read);
    expect(rows).toEqual([]);
  });

  it('may be about rows that are stored: they are shown as they stand now', async () => {
    await fill();
    await commit(update(notification, id(10), { is_read: true }), purge(delivery, id(20)));
    expect([await notices(), await deliveries()]).toEqual([['notice 10 (read)'], []]);
    await free();
    // whoever changes such a row first stores what is kept of it
    await commit(update(notification, id(10), { read_at: AT }));
    await database.storeUnsaved(database.commit);
    expect([await notices(), await deliveries()]).toEqual([['notice 10 (read)'], []]);
    expect(database.hasUnsaved()).toBe(false);
  });

  it('are all that is kept: what else is refused stays refused, and leaves nothing', async () => {
    await fill();
    const large = put(instanceValue, { id: 'large', value: 'x'.repeat(200_000) });
    await expect(commit(large)).rejects.toThrow(StorageUnavailable);
    await expect(commit(large, aNotification(12))).rejects.toThrow(StorageUnavailable);
    const entry = insert(logEntry, {
      id: id(30),
      farm_id: null,
      entity_type: 'SYSTEM',
      entity_id: id(31),
      entity_name: 'x'.repeat(20_000),
      action: 'status_changed',
      user_id: null,
      origin: null,
      details: null,
      timestamp: AT,
      clock_quality: 'trusted',
    });
    await expect(commit(entry)).rejects.toThrow(StorageUnavailable);
    expect(await notices()).toEqual(['notice 10']);
    expect(database.hasUnsaved()).toBe(false);
  });

  it('whose reader is gone by then are forgotten, and hold up no other', async () => {
    await fill();
    await commit(aNotification(13, { user_id: id(99) }), aNotification(14));
    expect(await notices()).toHaveLength(3);
    await free();
    await database.storeUnsaved(database.commit);
    expect(await notices()).toEqual(['notice 10', 'notice 14']);
    expect(database.hasUnsaved()).toBe(false);
  });

  it('have a bound, and half of it is kept for what is critical', async () => {
    await fill();
    const many = (from: number, severity: string) =>
      Array.from({ length: 2_000 }, (_, n) => aNotification(from + n, { message: '', data: { severity } }));
    await commit(...many(1_000, 'LOW'));
    await commit(...many(4_000, 'LOW'));
    const last_error = 'x'.repeat(50_000);
    await expect(commit(aDelivery(22, { last_error, is_critical: false }))).rejects.toThrow(
      StorageUnavailable,
    );
    await expect(commit(aDelivery(23, { last_error }))).resolves.toMatchObject({ unsaved: 'full' });
  });
});

function aUser(): RowOf<typeof user> {
  return {
    id: ANA,
    numeric_id: 1,
    email: 'ana@fazenda.example',
    email_key: 'ana@fazenda.example',
    name: 'Ana',
    phone_number: null,
    role: 'OWNER',
    is_active: true,
    password_hash: 'x',
    password_version: 1,
    language: null,
    created_at: AT,
    updated_at: null,
  };
}
