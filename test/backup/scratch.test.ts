import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { clearScratch, roomOfService, withScratch } from '#adapters/backup/safe-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'scratch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MB = 1_000_000;
type Group = { high?: number; max?: number; current: number; files?: number };

/** As the system tells of the groups that a service is in, from its own outwards. */
function aService(name: string, groups: Record<string, Group>, own: string) {
  const root = join(folder, name);
  for (const [path, { high, max, current, files = 0 }] of Object.entries(groups)) {
    mkdirSync(join(root, path), { recursive: true });
    const write = (file: string, text: string) => writeFileSync(join(root, path, file), `${text}\n`);
    write('memory.high', String(high ?? 'max'));
    write('memory.max', String(max ?? 'max'));
    write('memory.current', String(current));
    write('memory.stat', `anon 1\ninactive_file ${files / 2}\nactive_file ${files / 2}\nshmem 7`);
  }
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'own'), `1:name=systemd:/\n0::${own}\n`);
  return roomOfService({ own: join(root, 'own'), root });
}

describe('what the service may still take of memory', () => {
  test('is what lies below the tighter of its bounds; files that the system keeps in memory do not count', async () => {
    const unit = { high: 700 * MB, max: 900 * MB, current: 600 * MB, files: 400 * MB };
    expect(
      await aService('unit', { 'system.slice/gateway.service': unit }, '/system.slice/gateway.service'),
    ).toBe(500 * MB);
  });

  test('is bounded by a group around it, too', async () => {
    const groups = {
      'box/gateway': { max: 900 * MB, current: 100 * MB },
      box: { max: 500 * MB, current: 450 * MB },
    };
    expect(await aService('container', groups, '/box/gateway')).toBe(50 * MB);
  });

  test('is not bounded where nothing says so', async () => {
    expect(await aService('free', { user: { current: 100 * MB } }, '/user')).toBeNull();
    expect(await roomOfService({ own: join(folder, 'nowhere'), root: folder })).toBeNull();
  });
});

describe.skipIf(!existsSync('/dev/shm'))('a copy of the database', () => {
  test('that is too large for memory lies beside the database, and is gone afterwards', async () => {
    const lay = await withScratch(folder, 1e15, async (place, onCard) => [place.startsWith(folder), onCard]);
    expect([lay, readdirSync(folder).filter((name) => name.startsWith('farm-copy'))]).toEqual([
      [true, true],
      [],
    ]);
  });

  test('whose process was cut off is cleared away, in memory and on the card; that of one at work stays', async () => {
    // a process that cannot be: the system gives no number that high
    const dead = `farm-copy.unfinished-4194999-${process.pid}`;
    const alive = `farm-copy.unfinished-${process.ppid}-${process.pid}`;
    const places = [join('/dev/shm', dead), join(folder, dead), join(folder, alive)];
    for (const place of places) mkdirSync(place);
    await clearScratch(folder);
    expect(places.map((place) => existsSync(place))).toEqual([false, false, true]);
    rmSync(join(folder, alive), { recursive: true });
  });
});
