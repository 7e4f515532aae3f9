import { afterEach, describe, expect, test } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { farm } from '#contract/resources/farms.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { user } from '#contract/resources/users.ts';
import { insert, update } from '#core/changes.ts';
import { idOfCause } from '#runtime/world.ts';
import { chainAfter } from '#store/merge/canonical-change.ts';
import { openTestDatabase } from '#test/databases.ts';
import { gatewayStore } from '../../gateway/adapters/sync/gateway-store.ts';
import {
  logSize,
  shortenOwnLog,
  syncCounts,
  waitingRows,
} from '../../gateway/adapters/sync/log-retention.ts';
import { syncStatusQueries } from '../../gateway/adapters/sync/sync-status-queries.ts';
import { whyUnsound } from '../../gateway/sync/gateway/ask-pull.ts';
import { aFarmRow, aLogRow, aUserRow } from './gateway-rows.ts';

const BEGIN = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function aGateway() {
  const clock = { now: BEGIN };
  const now = () => clock.now;
  const { database, close } = await openTestDatabase('sqlite', { now });
  closing.push(close);
  const store = gatewayStore({ now, idOf: idOfCause, database });
  const owner = aUserRow(1);
  const home = aFarmRow(1, owner.id);
  await database.commit({ actor: null, changes: [insert(user, owner), insert(farm, home)] });
  return { database, store, clock, now, owner, home };
}

type Gateway = Awaited<ReturnType<typeof aGateway>>;

async function rename({ database, home }: Gateway, name: string): Promise<void> {
  await database.commit({ actor: null, changes: [update(farm, home.id, { name })] });
}

/** So many readings, each a transaction of its own, or all in one. */
async function logs({ database, home }: Gateway, from: number, count: number, inOne = false): Promise<void> {
  const rows = Array.from({ length: count }, (_, n) => insert(logEntry, aLogRow(from + n, home.id)));
  if (inOne) await database.commit({ actor: null, changes: rows });
  else for (const row of rows) await database.commit({ actor: null, changes: [row] });
}

async function acked({ database, store }: Gateway, lane: 'core' | 'history', seq: number): Promise<void> {
  const chain = (await store.chainAt(lane, seq)) ?? '';
  const set =
    lane === 'core'
      ? { acked_core_seq: seq, acked_core_chain: chain }
      : { acked_history_seq: seq, acked_history_chain: chain };
  await database.commit({ actor: null, changes: [], stream: { id: 1, expect: {}, set } });
}

const MANY = { coreAcked: 0, rows: 500, bytes: 1_000_000 };

describe('what a gateway sends', () => {
  test('are the rows of its log in order, with the chain the other side computes, too', async () => {
    const gateway = await aGateway();
    await rename(gateway, 'Fazenda Sul');
    const { rows, isFull } = await gateway.store.outRows({ lane: 'core', after: 0, ...MANY });
    expect(isFull).toBe(false);
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(whyUnsound({ chainAfter }, { seq: 0, chain: '' }, rows)).toBeNull();
    expect((await gateway.store.points()).core_chain).toBe(rows.at(-1)?.chain);
  });

  test('is cut where a transaction ends', async () => {
    const gateway = await aGateway();
    const { rows } = await gateway.store.outRows({ lane: 'core', after: 0, ...MANY, rows: 1 });
    // one transaction made owner and farm: it is larger than the bound, so it is cut all the same
    expect(rows).toHaveLength(1);
    await logs(gateway, 1, 3, true);
    await logs(gateway, 4, 2, true);
    await acked(gateway, 'core', 2);
    const cut = await gateway.store.outRows({ lane: 'history', after: 0, ...MANY, coreAcked: 2, rows: 4 });
    expect(cut.rows.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(cut.isFull).toBe(true);
  });

  test('is bounded in bytes, and one row always goes', async () => {
    const gateway = await aGateway();
    const { rows } = await gateway.store.outRows({ lane: 'core', after: 1, ...MANY, bytes: 10 });
    expect(rows).toHaveLength(1);
  });

  test('holds readings back whose farm is not confirmed, and only those', async () => {
    const gateway = await aGateway();
    const history = { lane: 'history', after: 0, ...MANY } as const;
    await logs(gateway, 1, 2);
    expect((await gateway.store.outRows(history)).rows).toEqual([]);
    await rename(gateway, 'Fazenda Sul');
    await logs(gateway, 3, 1);
    const { rows } = await gateway.store.outRows({ ...history, coreAcked: 2 });
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test('its chain is known at any kept number, at the head and where it was confirmed', async () => {
    const gateway = await aGateway();
    const { rows } = await gateway.store.outRows({ lane: 'core', after: 0, ...MANY });
    expect(await gateway.store.chainAt('core', 0)).toBe('');
    expect(await gateway.store.chainAt('core', 1)).toBe(rows[0]?.chain);
    expect(await gateway.store.chainAt('core', 2)).toBe(rows[1]?.chain);
    expect(await gateway.store.chainAt('core', 3)).toBeNull();
  });
});

describe('how much waits', () => {
  test('rows and the age of the oldest, by lane', async () => {
    const gateway = await aGateway();
    gateway.clock.now += 60_000;
    await logs(gateway, 1, 4);
    await acked(gateway, 'history', 1);
    expect(await waitingRows(gateway.database.read)).toEqual({
      core: { waitingRows: 2, oldestAtMs: BEGIN },
      history: { waitingRows: 3, oldestAtMs: BEGIN + 60_000 },
    });
  });

  test('a day of readings tells how fast the log grows', async () => {
    const gateway = await aGateway();
    for (let day = 0; day < 3; day += 1) {
      await logs(gateway, 1 + day * 20, 20);
      gateway.clock.now += DAY;
    }
    await logs(gateway, 100, 5);
    const { written, logBytes } = await logSize(gateway.database.read, gateway.clock.now);
    const history = written.find(({ rows }) => rows > 2);
    // of the last 24 hours: those a day ago to the millisecond, and the last five
    expect(history).toMatchObject({ rows: 25, overMs: DAY });
    expect(logBytes).toBeGreaterThan(65 * 300);
  });
});

describe('how long the log is kept', () => {
  const kept = async ({ database }: { database: Database }, lane: string) =>
    (
      await database.read
        .selectFrom('sync_change')
        .select('seq')
        .where('lane', '=', lane)
        .orderBy('seq')
        .execute()
    ).map(({ seq }) => seq);

  test('a week after it was confirmed; what is not confirmed stays for ever', async () => {
    const gateway = await aGateway();
    await logs(gateway, 1, 3);
    gateway.clock.now += 8 * DAY;
    await logs(gateway, 4, 2);
    await acked(gateway, 'history', 2);
    await shortenOwnLog(gateway.database, { now: gateway.now, isPaired: true });
    expect(await kept(gateway, 'history')).toEqual([3, 4, 5]);
    expect(await kept(gateway, 'core')).toEqual([1, 2]);
    await acked(gateway, 'history', 5);
    await shortenOwnLog(gateway.database, { now: gateway.now, isPaired: true });
    expect(await kept(gateway, 'history')).toEqual([4, 5]);
    // the confirmed point is known without its row
    gateway.clock.now += 8 * DAY;
    await shortenOwnLog(gateway.database, { now: gateway.now, isPaired: true });
    expect(await kept(gateway, 'history')).toEqual([]);
    expect(await gateway.store.chainAt('history', 5)).not.toBeNull();
  });

  test('a gateway that belongs to nobody keeps all of a short log', async () => {
    const gateway = await aGateway();
    gateway.clock.now += 400 * DAY;
    await shortenOwnLog(gateway.database, { now: gateway.now, isPaired: false });
    expect(await kept(gateway, 'core')).toEqual([1, 2]);
  });
});

describe('rows that are kept aside', () => {
  test('at the other end are shown here, once, and forgotten when everything was told anew', async () => {
    const gateway = await aGateway();
    const sent = await gateway.store.outRows({ lane: 'core', after: 0, ...MANY });
    const rows = sent.rows.filter(({ id }) => id === gateway.home.id);
    await gateway.store.noteKeptAside('core', rows);
    await gateway.store.noteKeptAside('core', rows);
    const queries = syncStatusQueries(gateway.database.read);
    const { rows: shown, total } = await queries.parked({ skip: 0, limit: 10 });
    expect(total).toBe(1);
    expect(shown).toMatchObject([{ isThere: true, lane: 'core', table: 'farms', rowId: gateway.home.id }]);
    expect(await syncCounts(gateway.database.read)).toEqual({
      parkedHere: 0,
      parkedThere: 1,
      conflictsOpen: 0,
    });
    const end = { epoch: 2, cursor: { seq: 7, chain: '0'.repeat(32) } };
    for (let slice = 0; !(await gateway.store.logDifference(end)); slice += 1)
      expect(slice).toBeLessThan(100);
    expect((await queries.parked({ skip: 0, limit: 10 })).total).toBe(0);
    const points = await gateway.store.points();
    expect(points).toMatchObject({ epoch: 2, in_core_seq: 7, acked_core_seq: 0, core_seq: 2, resync: null });
  });

  test('at the other end are a thousand at most here: one that keeps everything aside fills no card', async () => {
    const gateway = await aGateway();
    const sent = await gateway.store.outRows({ lane: 'core', after: 0, ...MANY });
    const [row] = sent.rows;
    if (row === undefined) throw new Error('nothing was logged');
    for (let from = 1; from <= 1_400; from += 200) {
      const rows = Array.from({ length: 200 }, (_, n) => ({ ...row, seq: from + n }));
      await gateway.store.noteKeptAside('core', rows);
    }
    const queries = syncStatusQueries(gateway.database.read);
    expect((await queries.parked({ skip: 0, limit: 10 })).total).toBe(1_000);
  });
});
