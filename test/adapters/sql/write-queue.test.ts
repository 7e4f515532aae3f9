import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { connectSqlite } from '#adapters/sql/open-sqlite.ts';
import { createWriteQueue, logOnDisk } from '#adapters/sql/write-queue.ts';
import type { Committed, Unit } from '#core/changes.ts';
import { StorageUnavailable } from '#core/errors.ts';

const told: string[] = [];
afterEach(() => void told.splice(0));

const unit = (actor: string, isBackground?: true): Unit => ({
  changes: [],
  actor,
  ...(isBackground && { isBackground }),
});

/** A queue whose disk takes what was written only when `disk.takes()` is called. */
function queueWithDisk(slicesOf: (unit: Unit) => number = () => 1) {
  const waits: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const written: string[] = [];
  const writeAs =
    (how: string) =>
    ({ actor }: Unit): Committed => {
      written.push(`${how} ${actor}`);
      return { rows: [], merged: { applied: 0, parked: [], conflicts: 0, passedOver: 0, unparked: 0 } };
    };
  const queue = createWriteQueue({
    writeBatch: (units) => units.map(writeAs('at once')),
    openUnsynced(unit) {
      let slices = slicesOf(unit);
      return {
        goOn(forMs) {
          slices -= forMs === Number.POSITIVE_INFINITY ? slices : 1;
          if (slices > 0) written.push(`a slice of ${unit.actor}`);
          return slices > 0 ? null : writeAs('beside')(unit);
        },
      };
    },
    sync: () => new Promise((resolve, reject) => void waits.push({ resolve, reject })),
    tell: () => void told.push(written.at(-1) ?? ''),
    asExpected: (error) => error as Error,
  });
  const disk = {
    takes: () => waits.shift()?.resolve(),
    fails: () => waits.shift()?.reject(new Error('the card is gone')),
    isAsked: () => waits.length > 0,
  };
  return { queue, disk, written };
}

const turns = async (count = 5) => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('the order in which units are written', () => {
  test('a unit in the background is done when the disk has it, and not before', async () => {
    const { queue, disk } = queueWithDisk();
    let isDone = false;
    const done = queue.add(unit('import', true)).then((committed) => {
      isDone = true;
      return committed;
    });
    await turns();
    expect(disk.isAsked()).toBe(true);
    expect(isDone).toBe(false);
    expect(told).toEqual([]);
    disk.takes();
    expect((await done).tookMs).toBeGreaterThanOrEqual(0);
    expect(told).toHaveLength(1);
  });

  test('an order does not wait for the disk of an import, and makes it safe with itself', async () => {
    const { queue, disk, written } = queueWithDisk();
    const order: string[] = [];
    const background = queue.add(unit('import', true)).then(() => order.push('import'));
    await turns();
    const urgent = queue.add(unit('order')).then(() => order.push('order'));
    await Promise.all([background, urgent]);
    expect(disk.isAsked()).toBe(true);
    expect(written).toEqual(['beside import', 'at once order']);
    // what was written first is told first
    expect(order).toEqual(['import', 'order']);
    disk.takes();
    await queue.drained();
  });

  test('what control writes goes before all that waits in the background', async () => {
    const { queue, disk, written } = queueWithDisk();
    const all = [queue.add(unit('first rows', true)), queue.add(unit('more rows', true))];
    all.push(queue.add(unit('order')), queue.add(unit('heartbeat')));
    await turns();
    expect(written.slice(0, 2)).toEqual(['at once order', 'at once heartbeat']);
    while (disk.isAsked()) {
      disk.takes();
      await turns();
    }
    await Promise.all(all);
    expect(written.slice(2)).toEqual(['beside first rows', 'beside more rows']);
  });

  test('many rows are written in slices, between which heartbeats are heard', async () => {
    const { queue, disk, written } = queueWithDisk(() => 3);
    const done = queue.add(unit('import', true));
    await turns(1);
    expect(written).toEqual(['a slice of import']);
    await turns();
    expect(written).toEqual(['a slice of import', 'a slice of import', 'beside import']);
    disk.takes();
    await done;
  });

  test('an order that comes between two slices waits for the rest of that unit, and for no other', async () => {
    const { queue, disk, written } = queueWithDisk(() => 100);
    const all = [queue.add(unit('first rows', true)), queue.add(unit('more rows', true))];
    await turns(1);
    await Promise.all([all[0], queue.add(unit('order'))]);
    expect(written.slice(0, 3)).toEqual(['a slice of first rows', 'beside first rows', 'at once order']);
    disk.takes();
    await turns(110);
    disk.takes();
    await Promise.all(all);
    await queue.drained();
  });

  test('a disk that does not take a unit in the background fails it, and the next has its turn', async () => {
    const { queue, disk } = queueWithDisk();
    const first = queue.add(unit('first', true));
    const second = queue.add(unit('second', true));
    await turns();
    disk.fails();
    await expect(first).rejects.toThrow(StorageUnavailable);
    await turns();
    disk.takes();
    await expect(second).resolves.toMatchObject({ rows: [] });
    expect(told).toHaveLength(1);
    await queue.drained();
  });

  test('a database that closes waits for the disk', async () => {
    const { queue, disk } = queueWithDisk();
    void queue.add(unit('import', true));
    await turns();
    let isDrained = false;
    const drained = queue.drained().then(() => void (isDrained = true));
    await turns();
    expect(isDrained).toBe(false);
    disk.takes();
    await drained;
  });
});

test('the log that is brought to the disk is the one of the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'write-queue-'));
  const connection = connectSqlite(join(folder, 'farm.db'));
  const log = logOnDisk(connection);
  try {
    connection.exec('create table t (n integer)');
    await log.sync();
    connection.pragma('wal_checkpoint(truncate)');
    connection.exec('insert into t values (1)');
    await log.sync();
    expect(statSync(join(folder, 'farm.db-wal')).size).toBeGreaterThan(0);
    expect(connection.prepare('select n from t').get()).toEqual({ n: 1 });
  } finally {
    await log.close();
    connection.close();
    rmSync(folder, { recursive: true });
  }
});
