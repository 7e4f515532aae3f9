import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CardFacts } from '#features/doctor/ports.ts';

// What a card and its file system tell of their health beside the wear: SD cards say no more than their name and age.

const SECTOR_BYTES = 512;
const NOTHING: CardFacts = {
  name: null,
  madeInYear: null,
  writtenBytes: null,
  upS: null,
  fileSystemErrors: null,
};

/** Of the block device behind a mount, for example `/dev/mmcblk0p2`. `root`: of the machine. */
export async function cardFacts(source: string, root = '/'): Promise<CardFacts> {
  const block = await realpath(join(root, 'sys/class/block', basename(source))).catch(() => null);
  if (block === null) return NOTHING;
  const parent = dirname(block);
  const disk = (await textOf(join(block, 'partition'))) === null ? block : parent;
  const [name, date, stat, uptime] = await Promise.all([
    textOf(join(disk, 'device/name')),
    textOf(join(disk, 'device/date')),
    textOf(join(disk, 'stat')),
    textOf(join(root, 'proc/uptime')),
  ]);
  const year = Number(/^\d\d\/(\d{4})$/.exec(date ?? '')?.[1] ?? Number.NaN);
  // field 7 of a block device's statistics: sectors written since the start of the machine
  const sectors = Number(stat?.split(/\s+/)[6] ?? Number.NaN);
  const upS = Number(uptime?.split(' ')[0] ?? Number.NaN);
  return {
    name,
    madeInYear: Number.isInteger(year) ? year : null,
    writtenBytes: Number.isFinite(sectors) ? sectors * SECTOR_BYTES : null,
    upS: Number.isFinite(upS) ? upS : null,
    fileSystemErrors: await errorsOf(basename(block), root),
  };
}

/** ext4 counts what went wrong on its disk, over restarts; null: another file system. */
async function errorsOf(partition: string, root: string): Promise<number | null> {
  const folder = join(root, 'sys/fs/ext4');
  const known = await readdir(folder).catch((): string[] => []);
  if (!known.includes(partition)) return null;
  const count = Number((await textOf(join(folder, partition, 'errors_count'))) ?? Number.NaN);
  return Number.isInteger(count) ? count : null;
}

async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
}
