import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeWhole } from '#adapters/backup/safe-files.ts';
import { runBackup } from '#cli/backup.ts';
import { doJob } from '#operations/backup/do-job.ts';
import { testClock } from '#test/app.ts';
import { aFarmOn, damageTable, follow, newFolder, removeFolders, startBox, targets } from './a-box.ts';

const START = Date.UTC(2026, 2, 2, 12);
const mounted: string[] = [];

/** A disk of that size; null where this machine does not let us mount one. */
function smallDisk(kilobytes: number): string | null {
  const folder = newFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder]);
  if (status !== 0) return null;
  mounted.push(folder);
  return folder;
}
const probe = smallDisk(64);
const readOnly = (folder: string) => spawnSync('mount', ['-o', 'remount,ro', folder]);

/** Fills it to the last byte. */
function fill(folder: string): void {
  for (const size of [65_536, 4_096, 1]) {
    for (let n = 0; n < 4_096; n += 1) {
      try {
        writeFileSync(join(folder, `filling-${size}-${n}`), Buffer.alloc(size));
      } catch {
        rmSync(join(folder, `filling-${size}-${n}`), { force: true });
        break;
      }
    }
  }
}

describe.skipIf(probe === null)('a disk that is full', () => {
  let killed: string;
  const all = { 'aer-1': 'ON', 'aer-2': 'ON', 'aer-3': 'OFF' };
  beforeAll(async () => {
    const clock = testClock(START);
    const box = await startBox(newFolder(), clock);
    await aFarmOn(box, clock);
    await follow(box, clock);
    await box.settle();
    await box.backup?.tick(doJob);
    killed = box.killed();
    await box.close();
  });
  afterAll(() => {
    for (const folder of mounted) spawnSync('umount', ['-l', folder]);
    removeFolders();
  });

  /** That box on a full disk of its own, after something happened to it. */
  function onFullDisk(harm: (data: string) => void): string {
    const disk = smallDisk(4_000) ?? '';
    cpSync(killed, disk, { recursive: true });
    harm(disk);
    rmSync(join(disk, 'farm.db-shm'), { force: true });
    fill(disk);
    return disk;
  }

  it('under a sound database lets the gateway start and control', async () => {
    const disk = onFullDisk(() => undefined);
    const clock = testClock(START + 3_600_000);
    const box = await startBox(disk, clock);
    expect((await box.checks())['boot']).toMatchObject({ ok: true });
    await follow(box, clock);
    expect(targets(box)).toEqual(all);
    await box.close();
  });

  it('under a broken database leaves control in memory, nothing acknowledged, and the broken file where it is', async () => {
    const disk = onFullDisk((data) => damageTable(join(data, 'farm.db'), 'control_points'));
    const size = statSync(join(disk, 'farm.db')).size;
    const clock = testClock(START + 3_600_000);
    const box = await startBox(disk, clock);
    const check = (await box.checks())['boot'];
    // where a name can still change, the recovery may find room; else memory has to do
    expect(check).toMatchObject({ ok: false, detail: expect.stringContaining('nothing is saved') });
    await follow(box, clock);
    expect(targets(box)).toEqual(all);
    expect(statSync(join(disk, 'farm.db')).size).toBe(size);
    const register = await box.call('POST', '/api/v1/auth/register', {
      body: { email: 'b@fazenda.example', password: 'camarao-do-sul', name: 'B', role: 'OWNER' },
    });
    expect(register.status).toBeGreaterThanOrEqual(500);
    expect(box.sentences).toContainEqual(
      expect.objectContaining({ level: 'error', sentence: 'started on a lower rung of the boot ladder' }),
    );
    await box.close();
  });

  it('that is a stick, or a stick that is read-only, refuses a backup in one sentence and keeps no half of it', async () => {
    const data = newFolder();
    cpSync(killed, data, { recursive: true });
    const stick = smallDisk(40) ?? '';
    const back = async () => {
      const lines: string[] = [];
      const ask = {
        environment: {},
        print: (line: string) => void lines.push(line),
        input: Readable.from([]),
      };
      const code = await runBackup(['--data', data, '--to', stick], ask, () => START);
      return { code, last: lines.at(-1) };
    };
    await back();
    fill(stick);
    expect(await back()).toMatchObject({ code: 1, last: expect.stringContaining('no space left') });
    expect(readdirSync(stick).filter((name) => name.includes('unfinished'))).toEqual([]);
    readOnly(stick);
    expect(await back()).toMatchObject({ code: 1, last: expect.stringContaining('read-only') });
  });
});

describe('a stick that is pulled in the middle', () => {
  afterAll(removeFolders);

  it('leaves no file that looks like a backup', async () => {
    const stick = join(newFolder(), 'stick');
    mkdirSync(stick);
    async function* bytes() {
      yield Buffer.alloc(100_000);
      rmSync(stick, { recursive: true });
      yield Buffer.alloc(100_000);
    }
    await expect(writeWhole(join(stick, 'farm.backup'), bytes())).rejects.toThrow();
  });
});
