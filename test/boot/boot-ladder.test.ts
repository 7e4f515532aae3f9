import { cpSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doJob } from '#operations/backup/do-job.ts';
import { testClock } from '#test/app.ts';
import {
  aFarmOn,
  broken,
  damageTable,
  follow,
  logIn,
  newFolder,
  removeFolders,
  type Settled,
  startBox,
  targets,
  withoutLog,
} from './a-box.ts';

const START = Date.UTC(2026, 2, 2, 12);
const LOWER = 'started on a lower rung of the boot ladder';

describe('a gateway that starts', () => {
  /** As a box lies there after its power was cut: log beside the database, configuration saved, one snapshot. */
  let killed: string;
  let farm: Settled;
  let epoch: string;
  beforeAll(async () => {
    const clock = testClock(START);
    const box = await startBox(newFolder(), clock);
    farm = await aFarmOn(box, clock);
    await follow(box, clock);
    await box.settle();
    await box.backup?.tick(doJob);
    epoch = epochOf(box);
    killed = box.killed();
    await box.close();
  });
  afterAll(removeFolders);

  const epochOf = (box: Awaited<ReturnType<typeof startBox>>) =>
    [...box.control.registry.all()][0]?.row.epoch ?? '';

  /** Starts on a copy of that box after something happened to it. */
  async function startAfter(harm: (data: string) => void, { from = killed } = {}) {
    const data = copyOf(from);
    harm(data);
    const clock = testClock(START + 3_600_000);
    return { data, clock, box: await startBox(data, clock) };
  }
  const copyOf = (from: string) => {
    const data = newFolder();
    cpSync(from, data, { recursive: true });
    return data;
  };
  const database = (data: string) => join(data, 'farm.db');
  const noSnapshots = (data: string) => rmSync(join(data, 'snapshots'), { recursive: true, force: true });
  const noLastGood = (data: string) => rmSync(join(data, 'last-good.json'), { force: true });
  const all = { 'aer-1': 'ON', 'aer-2': 'ON', 'aer-3': 'OFF' };

  it('for the first time is on the top rung and says nothing of it', async () => {
    const box = await startBox(newFolder(), testClock(START));
    expect((await box.checks())['boot']).toEqual({ ok: true, rung: 'normal', detail: 'first start' });
    expect(box.sentences.filter(({ level }) => level === 'error')).toEqual([]);
    await box.close();
  });

  it('after a cut of the power has everything that was acknowledged', async () => {
    const { box } = await startAfter(() => undefined);
    expect((await box.checks())['boot']).toMatchObject({ ok: true, rung: 'wal' });
    expect(box.sentences).toContainEqual(
      expect.objectContaining({ level: 'info', sentence: 'the database was recovered from its log' }),
    );
    expect(targets(box)).toEqual(all);
    expect(epochOf(box)).toBe(epoch);
    await box.close();
  });

  it.each<[string, (data: string) => void]>([
    ['with a broken page under its control points', (data) => damageTable(database(data), 'control_points')],
    ['with a broken page under its schedules', (data) => damageTable(database(data), 'schedules')],
    [
      'with half of its database',
      (data) => {
        damageTable(database(data), 'presence');
        truncateSync(database(data), Math.floor(statSync(database(data)).size / 2));
      },
    ],
    [
      'with an empty file for a database',
      (data) => {
        truncateSync(database(data), 0);
        rmSync(`${database(data)}-wal`, { force: true });
      },
    ],
    [
      'with text for a database',
      (data) => {
        withoutLog(database(data));
        writeFileSync(database(data), 'no database '.repeat(1_000));
      },
    ],
    ['without its database', (data) => rmSync(database(data))],
  ])('%s goes on from its snapshot, in a new epoch', async (_title, harm) => {
    const { box, clock, data } = await startAfter(harm);
    const check = (await box.checks())['boot'];
    expect(check).toMatchObject({ ok: false, rung: 'snapshot' });
    expect(box.sentences).toContainEqual(
      expect.objectContaining({
        level: 'error',
        sentence: LOWER,
        fields: expect.objectContaining({ rung: 'snapshot' }),
      }),
    );
    await follow(box, clock);
    expect(targets(box)).toEqual(all);
    expect(epochOf(box)).not.toBe(epoch);
    expect(box.sentences.filter(({ sentence }) => sentence.includes('failed'))).toEqual([]);
    // told to the people and in the audit, once
    await box.backup?.tick(doJob);
    await box.backup?.tick(doJob);
    const token = await logIn(box);
    const notices = (await box.call('GET', '/api/v1/notifications/?type=SYSTEM', { token })).body;
    expect(notices['notifications']).toHaveLength(1);
    // and the second start is an ordinary one
    const { box: again } = await startAfter(() => undefined, { from: box.killed() });
    expect((await again.checks())['boot']).toMatchObject({ ok: true });
    expect(targets(again)).toEqual(all);
    await again.close();
    await box.close();
    if (statSync(database(data)).size > 0 && _title !== 'without its database')
      expect(broken(data)).toContainEqual(expect.stringMatching(/^farm\.db\.broken-20260302T130000Z$/));
  });

  it('with a broken database and no snapshot goes on from the last known good configuration', async () => {
    const { box, clock, data } = await startAfter((folder) => {
      damageTable(database(folder), 'control_points');
      noSnapshots(folder);
    });
    expect((await box.checks())['boot']).toMatchObject({ ok: false, rung: 'last_good' });
    expect(box.sentences).toContainEqual(
      expect.objectContaining({ sentence: LOWER, fields: expect.objectContaining({ rung: 'last_good' }) }),
    );
    await follow(box, clock);
    expect(targets(box)).toEqual(all);
    expect(epochOf(box)).not.toBe(epoch);
    // people can log in, controllers with their keys are served, ones without are not
    const token = await logIn(box);
    expect((await box.call('GET', '/api/v1/control-points/', { token })).body).toHaveLength(3);
    const beat = (key?: string) =>
      box.call('POST', '/api/v1/devices/heartbeat', {
        body: { device_id: 'aer-2', current_status: 'ON' },
        ...(key === undefined ? {} : { token: key }),
      });
    expect((await beat(farm.points[1]?.key)).body).toMatchObject({
      target_status: 'ON',
      epoch: epochOf(box),
    });
    expect((await beat('x'.repeat(43))).status).toBe(401);
    expect(broken(data)).toHaveLength(1);
    await box.close();
  });

  it('with broken database, snapshot and configuration tells no controller anything, and says it loudly', async () => {
    const { box, clock, data } = await startAfter((folder) => {
      damageTable(database(folder), 'control_points');
      for (const name of readdirSync(join(folder, 'snapshots')))
        truncateSync(join(folder, 'snapshots', name), 1_000);
      writeFileSync(join(folder, 'last-good.json'), '{"sha256":"0","zstd":"e30="}');
    });
    const kept = readFileSync(join(data, broken(data).find((n) => n.startsWith('farm.db.')) ?? ''));
    expect(kept.length).toBeGreaterThan(4_096);
    expect((await box.checks())['boot']).toMatchObject({
      ok: false,
      rung: 'fail_safe',
      detail: expect.stringContaining('npm run restore'),
    });
    expect(box.sentences).toContainEqual(
      expect.objectContaining({
        level: 'error',
        sentence: LOWER,
        fields: expect.objectContaining({ rung: 'fail_safe' }),
      }),
    );
    await follow(box, clock);
    expect(box.control.levels()).toEqual([]);
    const beat = await box.call('POST', '/api/v1/devices/heartbeat', {
      body: { device_id: 'aer-2', current_status: 'ON' },
    });
    // no answer that a controller could take for an order
    expect(beat.status).toBe(404);
    expect(beat.body).not.toHaveProperty('target_status');
    expect((await box.call('GET', '/metrics')).body['text']).toContain('boot_rung 5');
    await box.close();
    const again = await startBox(data, clock);
    expect(again.control.levels()).toEqual([]);
    await again.close();
  });

  it.each<[string, (data: string) => void]>([
    ['lost', (data) => rmSync(`${database(data)}-wal`)],
    ['overwritten', (data) => writeFileSync(`${database(data)}-wal`, Buffer.alloc(40_000, 0x5a))],
  ])('whose log was %s has the newer configuration all the same, in a new epoch', async (what, harm) => {
    const { box, clock, data } = await startAfter((folder) => {
      rmSync(`${database(folder)}-shm`, { force: true });
      harm(folder);
    });
    const check = (await box.checks())['boot'];
    expect(['rolled_back', 'snapshot']).toContain(check?.['rung']);
    await follow(box, clock);
    expect(targets(box)).toEqual(all);
    expect(epochOf(box)).not.toBe(epoch);
    if (what === 'overwritten')
      expect(broken(data)).toContainEqual(expect.stringMatching(/^farm\.db-wal\.broken/));
    await box.close();
  });

  it('killed at any point of a recovery recovers at the next start', async () => {
    // the states between two steps of putting a new database in place
    const states: ((data: string) => void)[] = [
      (data) => writeFileSync(`${database(data)}.unfinished`, 'half a database'),
      (data) => rmSync(database(data)),
      (data) => {
        rmSync(database(data));
        writeFileSync(`${database(data)}.unfinished`, readFileSync(join(killed, 'farm.db')));
      },
    ];
    for (const state of states) {
      const { box, clock, data } = await startAfter((folder) => {
        damageTable(database(folder), 'control_points');
        state(folder);
      });
      expect((await box.checks())['boot']).toMatchObject({ rung: 'snapshot' });
      await follow(box, clock);
      expect(targets(box)).toEqual(all);
      expect(readdirSync(data).filter((name) => name.includes('unfinished'))).toEqual([]);
      await box.close();
    }
  });

  it('with a broken page beside the tables of control starts as ever, controls, and finds it later', async () => {
    const { box, clock, data } = await startAfter((folder) => damageTable(database(folder), 'notifications'));
    expect((await box.checks())['boot']).toMatchObject({ ok: true, rung: 'normal' });
    await follow(box, clock);
    expect(targets(box)).toEqual(all);
    const snapshots = readdirSync(join(data, 'snapshots'));
    clock.advance(3_600_000);
    await box.backup?.tick(doJob);
    // a copy of damage would push out the sound one
    expect(readdirSync(join(data, 'snapshots'))).toEqual(snapshots);
    expect(box.sentences).toContainEqual(
      expect.objectContaining({ level: 'error', sentence: 'a snapshot failed; it is tried again' }),
    );
    expect((await box.checks())['boot']).toMatchObject({
      ok: false,
      detail: expect.stringContaining('damage beside the tables of control'),
    });
    expect(box.sentences).toContainEqual(
      expect.objectContaining({
        level: 'error',
        sentence: expect.stringContaining('damaged outside the tables'),
      }),
    );
    await box.close();
  });

  it('beside one that runs on the same damaged files leaves them to it', async () => {
    const data = newFolder();
    cpSync(killed, data, { recursive: true });
    const clock = testClock(START + 3_600_000);
    const first = await startBox(data, clock);
    const holder = new BetterSqlite(database(data));
    holder.prepare('select count(*) from farms').get();
    damageTable(database(data), 'control_points');
    await expect(startBox(data, clock)).rejects.toThrow(/another program uses it/);
    expect(broken(data)).toEqual([]);
    holder.close();
    await first.close();
  });

  it('with both configuration and snapshot unreadable still starts on a sound database', async () => {
    const { box } = await startAfter((folder) => {
      noSnapshots(folder);
      noLastGood(folder);
    });
    expect(targets(box)).toEqual(all);
    await box.close();
  });
});
