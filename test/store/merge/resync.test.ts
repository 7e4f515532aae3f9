import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '#adapters/sql/database.ts';
import { snapshotPages } from '#adapters/sync/snapshot-pages.ts';
import { farm } from '#contract/resources/farms.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { pond } from '#contract/resources/ponds.ts';
import { measurement } from '#contract/resources/water-quality.ts';
import { insert, remove, update } from '#core/changes.ts';
import { onBothEngines, openTestDatabase, type TestDatabase } from '#test/databases.ts';
import { aFarm, aMeasurement, ana, aPond, at, idOf, norte } from './rows.ts';
import { logged, pair, pull, push, registers, STREAM, shown, streamOf } from './two-sides.ts';

onBothEngines('a resync', (open) => {
  let opened: TestDatabase[] = [];
  let gateway: Database;
  let hosted: Database;
  beforeEach(async () => {
    opened = [
      await openTestDatabase('sqlite', { node: '0aaa0001' }),
      await open({ streams: 'by scope', node: 'c0000001' }),
    ];
    [gateway, hosted] = opened.map(({ database }) => database) as [Database, Database];
    await pair(hosted);
    await pull(gateway, hosted);
  });
  afterEach(async () => {
    for (const { close } of opened) await close();
  });

  const anEntry = (n: number) =>
    insert(logEntry, {
      id: idOf(7, n),
      farm_id: norte,
      entity_type: 'SENSOR',
      entity_id: norte,
      entity_name: 'Norte',
      action: 'create',
      user_id: ana,
      origin: 'LOCAL',
      details: null,
      timestamp: at,
      clock_quality: 'trusted',
    });

  /** As the two sides do it over the wire; answers how many rows were told anew. */
  async function resync(device: Database, epoch: number, limit = 3): Promise<number> {
    const { core_seq: seq, core_chain: chain } = await streamOf(hosted, STREAM);
    await hosted.commit({
      actor: null,
      changes: [],
      stream: {
        id: STREAM,
        expect: {},
        set: { epoch, in_core_seq: 0, in_core_chain: '', in_history_seq: 0, in_history_chain: '' },
      },
    });
    await device.commit({
      actor: null,
      changes: [],
      stream: { id: 1, expect: {}, set: { resync: 'because' } },
    });
    const page = snapshotPages(hosted.read);
    let after: Parameters<typeof page>[1]['after'] = null;
    let isFirst = true;
    do {
      const { rows, next } = await page(STREAM, { epoch, after, limit: 4, historyFrom: null });
      await device.commit({ actor: null, changes: [], snapshot: { streamId: 1, rows, isFirst } });
      isFirst = false;
      after = next;
    } while (after !== null);
    let told = 0;
    for (;;) {
      const { difference } = await device.commit({
        actor: null,
        changes: [],
        difference: { streamId: 1, epoch, cursor: { seq, chain }, limit },
      });
      told += difference?.logged ?? 0;
      if (difference?.isDone === true) return told;
    }
  }

  /** What somebody signs in with is each side's own. */
  const plain = async (side: Database, table: Parameters<typeof shown>[1]) =>
    (await shown(side, table)).map((row) => Object.assign({}, row, { password_hash: '' }));
  const same = async (device: Database) => {
    for (const table of ['users', 'farms', 'ponds', 'measurements', 'logs'] as const)
      expect(await plain(device, table)).toEqual(await plain(hosted, table));
    expect(await registers(device)).toEqual(await registers(hosted));
  };

  async function aSeason(): Promise<void> {
    await gateway.commit({
      actor: ana,
      changes: [
        insert(farm, aFarm()),
        ...[1, 2, 3, 4, 5].map((n) => insert(pond, aPond(n))),
        insert(measurement, aMeasurement(1)),
        anEntry(1),
      ],
    });
    await gateway.commit({
      actor: ana,
      changes: [update(pond, aPond(1).id, { cod: 'Neu' }), remove(pond, aPond(2).id)],
    });
  }

  /** Ids of a table that one comparison is told, page by page, each by the process that `at` answers. */
  async function told(
    table: number,
    epoch: number,
    at: (page: number) => ReturnType<typeof snapshotPages>,
    between: (page: number) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<string[]> {
    const ids: string[] = [];
    let after: Parameters<ReturnType<typeof snapshotPages>>[1]['after'] = null;
    let count = 0;
    do {
      await between(count);
      const { rows, next } = await at(count)(STREAM, { epoch, after, limit: 3, historyFrom: null });
      ids.push(...rows.filter(({ entity }) => entity === table).map(({ id }) => id));
      count += 1;
      after = next;
    } while (after !== null);
    return ids;
  }
  const readings = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_none, place) => insert(measurement, aMeasurement(from + place)));
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_none, place) => idOf(5, to - place));

  it('goes on at any process, and knows what came after an older comparison', async () => {
    await aSeason();
    await gateway.commit({ actor: ana, changes: readings(2, 9) });
    await push(gateway, hosted);
    const [one, other] = [snapshotPages(hosted.read), snapshotPages(hosted.read)];
    expect(await told(measurement.entity, 2, () => other)).toEqual(numbered(1, 9));
    await gateway.commit({ actor: ana, changes: readings(10, 14) });
    await push(gateway, hosted);
    expect(await told(measurement.entity, 3, (page) => (page % 2 === 0 ? one : other))).toEqual(
      numbered(1, 14),
    );
  });

  it('tells nothing of a farm that was taken from the gateway between two pages', async () => {
    await aSeason();
    await gateway.commit({ actor: ana, changes: readings(2, 14) });
    await push(gateway, hosted);
    const page = snapshotPages(hosted.read);
    const seen: number[] = [];
    const ids = await told(
      measurement.entity,
      2,
      () => page,
      async (count) => {
        seen.push(count);
        if (count === 5) await hosted.read.deleteFrom('sync_farms').where('id', '=', norte).execute();
      },
    );
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(14);
  });

  it('tells a hosted instance of everything a gateway had before they met', async () => {
    await aSeason();
    expect(await resync(gateway, 2)).toBe(9);
    expect(await streamOf(gateway, 1)).toMatchObject({
      epoch: 2,
      resync: null,
      core_seq: 7,
      history_seq: 2,
      acked_core_seq: 0,
    });
    expect(await gateway.read.selectFrom('sync_seen').select('id').execute()).toEqual([]);
    await push(gateway, hosted);
    await pull(gateway, hosted);
    await same(gateway);
    expect(await shown(hosted, 'ponds')).toHaveLength(4);
  });

  it('gives a new gateway everything back, deleted rows too, and tells nothing of it again', async () => {
    await aSeason();
    await push(gateway, hosted);
    const fresh = await openTestDatabase('sqlite', { node: '0bbb0001' });
    opened.push(fresh);
    expect(await resync(fresh.database, 2)).toBe(0);
    await same(fresh.database);
    expect(await logged(fresh.database, 1)).toEqual([]);
    await fresh.database.commit({ actor: ana, changes: [insert(pond, aPond(8))] });
    await push(fresh.database, hosted);
    await same(fresh.database);
  });

  it('brings together what both sides did since an older image of the card', async () => {
    await aSeason();
    await push(gateway, hosted);
    const image = await openTestDatabase('sqlite', { node: '0ccc0001' });
    opened.push(image);
    await resync(image.database, 2);
    // what the hosted instance got from the life of the card that is lost
    await gateway.commit({ actor: ana, changes: [update(pond, aPond(4).id, { cod: 'Lost' })] });
    const lost = await logged(gateway, 1, 'core', 8);
    await hosted.commit({
      actor: null,
      changes: [],
      incoming: { from: 'gateway', streamId: STREAM, lane: 'core', changes: lost },
    });
    await image.database.commit({
      actor: ana,
      changes: [update(pond, aPond(5).id, { cod: 'Kept' }), insert(measurement, aMeasurement(2))],
    });
    await hosted.commit({ actor: ana, changes: [update(pond, aPond(3).id, { cod: 'Hosted' })] });
    expect(await resync(image.database, 3)).toBe(2);
    await push(image.database, hosted);
    await pull(image.database, hosted);
    await same(image.database);
    expect((await shown(hosted, 'ponds')).map((row) => (row as { cod: string }).cod)).toEqual([
      'Neu',
      'Hosted',
      'Lost',
      'Kept',
    ]);
  });
});
