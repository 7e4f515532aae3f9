import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, rmSync, truncateSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doJob } from '#operations/backup/do-job.ts';
import { testClock } from '#test/app.ts';
import { childFile } from '../../scripts/built-program.ts';
import { aFarmOn, damageTable, follow, newFolder, removeFolders, startBox, targets } from './a-box.ts';

const START = Date.UTC(2026, 2, 2, 12);

/** Starts the real program on a folder and kills it at its n-th change of a file there; false: it was not that many. */
async function killAtChange(data: string, n: number): Promise<boolean> {
  let seen = 0;
  let child: ChildProcess | null = null;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const watcher = watch(data, () => {
    seen += 1;
    if (seen !== n) return;
    child?.kill('SIGKILL');
    resolve(true);
  });
  child = spawn(
    process.execPath,
    [
      childFile('test/support/gateway-child.ts'),
      '--data',
      data,
      '--host',
      '127.0.0.1',
      '--http-port',
      '0',
      '--mqtt-port',
      '0',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, TEST_CLOCK: `${Date.now()} ${START} 1` } },
  );
  const exited = once(child, 'exit');
  child.stdout?.on('data', (chunk: Buffer) => {
    if (chunk.toString().includes('"ready"')) resolve(false);
  });
  const wasKilled = await promise;
  child.kill('SIGKILL');
  await exited;
  watcher.close();
  return wasKilled;
}

describe('a recovery that is killed', () => {
  let killed: string;
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
  afterAll(removeFolders);

  it.each<[string, (data: string) => void]>([
    ['on the snapshot', () => undefined],
    ['on the last known good configuration', (data) => rmSync(join(data, 'snapshots'), { recursive: true })],
    [
      'on the configuration behind a broken snapshot',
      (data) => {
        for (const name of readdirSync(join(data, 'snapshots')))
          truncateSync(join(data, 'snapshots', name), 900);
      },
    ],
  ])(
    'again and again %s ends in control, with what was broken kept',
    async (_rung, harm) => {
      const data = newFolder();
      cpSync(killed, data, { recursive: true });
      damageTable(join(data, 'farm.db'), 'control_points');
      harm(data);
      const kills: boolean[] = [];
      for (const n of [1, 4, 9]) kills.push(await killAtChange(data, n));
      expect(kills).toContain(true);
      const clock = testClock(START + 3_600_000);
      const box = await startBox(data, clock);
      await follow(box, clock);
      expect(targets(box)).toEqual({ 'aer-1': 'ON', 'aer-2': 'ON', 'aer-3': 'OFF' });
      expect(readdirSync(data).some((name) => name.startsWith('farm.db.broken-'))).toBe(true);
      expect(readdirSync(data).filter((name) => name.includes('unfinished'))).toEqual([]);
      await box.close();
    },
    180_000,
  );
});
