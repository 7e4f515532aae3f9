import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { CardFacts } from '#features/system/doctor/ports.ts';
import type { BlockDevice } from './block-device.ts';
import { textOf } from './text-of.ts';

// What a card and its file system tell of their health beside the wear: SD cards say no more than their name and age.

const SECTOR_BYTES = 512;

/** Of the disk behind a mount. `root`: of the machine. */
export async function cardFacts({ volume, disk }: BlockDevice, root = '/'): Promise<CardFacts> {
  const [name, model, date, stat, uptime] = await Promise.all([
    textOf(join(disk, 'device/name')),
    textOf(join(disk, 'device/model')),
    textOf(join(disk, 'device/date')),
    textOf(join(disk, 'stat')),
    textOf(join(root, 'proc/uptime')),
  ]);
  const year = Number(/^\d\d\/(\d{4})$/.exec(date ?? '')?.[1] ?? Number.NaN);
  // field 7 of a block device's statistics: sectors written since the start of the machine
  const sectors = Number(stat?.split(/\s+/)[6] ?? Number.NaN);
  const upS = Number(uptime?.split(' ')[0] ?? Number.NaN);
  return {
    device: basename(disk),
    name: name ?? model,
    madeInYear: Number.isInteger(year) ? year : null,
    writtenBytes: Number.isFinite(sectors) ? sectors * SECTOR_BYTES : null,
    upS: Number.isFinite(upS) ? upS : null,
    fileSystemErrors: await errorsOf(volume, root),
  };
}

/** ext4 counts what went wrong on its disk, over restarts; null: another file system. */
async function errorsOf(volume: string, root: string): Promise<number | null> {
  const folder = join(root, 'sys/fs/ext4');
  const known = await readdir(folder).catch((): string[] => []);
  if (!known.includes(volume)) return null;
  const count = Number((await textOf(join(folder, volume, 'errors_count'))) ?? Number.NaN);
  return Number.isInteger(count) ? count : null;
}
