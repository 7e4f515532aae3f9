import { readdir, realpath, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CardFacts, DiskFacts } from '#features/system/doctor/ports.ts';
import { textOf } from './machine-facts.ts';

type BlockDevice = {
  /** Name of what holds the file system: a partition, or what lies on it when it is encrypted. */
  volume: string;
  /** Folder in /sys of the disk below. */
  disk: string;
};

/** What is encrypted or joined lies on something else, seldom deeper. */
const LAYERS = 4;

/**
 * The disk behind a mount. `number`: as the kernel counts it, `179:2`; a source may be called `/dev/root` or by the name of
 * an encrypted volume. `root`: of the machine. null: the machine does not tell.
 */
export async function blockDevice(
  { source, number }: { source: string; number: string },
  root: string,
): Promise<BlockDevice | null> {
  const folder =
    (await folderOf(join(root, 'sys/dev/block', number))) ??
    (await folderOf(join(root, 'sys/class/block', basename(source))));
  if (folder === null) return null;
  const lowest = await below(folder);
  const isPartition = (await textOf(join(lowest, 'partition'))) !== null;
  return { volume: basename(folder), disk: isPartition ? dirname(lowest) : lowest };
}

async function below(folder: string): Promise<string> {
  let lowest = folder;
  for (let layer = 0; layer < LAYERS; layer += 1) {
    const [first, ...others] = await readdir(join(lowest, 'slaves')).catch((): string[] => []);
    const next = first === undefined ? null : await folderOf(join(lowest, 'slaves', first));
    // of several disks none stands for all
    if (next === null || others.length > 0) return lowest;
    lowest = next;
  }
  return lowest;
}

const folderOf = (path: string): Promise<string | null> => realpath(path).catch(() => null);

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

/** `number`: of the device, as the kernel counts it. */
type Mount = { point: string; options: string; source: string; number: string };

/** The disk under a folder: room, how it is mounted, and how worn it is where it says so. `root`: of the machine. */
export async function diskFacts(folder: string, root = '/'): Promise<Omit<DiskFacts, 'writes'>> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const mount = await mountOf(await realpath(folder), root);
  const device = mount === null ? null : await blockDevice(mount, root);
  return {
    folder,
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    isReadOnly: mount === null ? null : mount.options.split(',').includes('ro'),
    ...(device === null ? { card: null, wearPercent: null, spares: null } : await cardOf(device.disk)),
    health: device === null ? null : await cardFacts(device, root),
  };
}

/** The mount a folder lies in; null where the machine does not tell. */
async function mountOf(folder: string, root: string): Promise<Mount | null> {
  const mounts = ((await textOf(join(root, 'proc/self/mountinfo'))) ?? '').split('\n').flatMap(readMount);
  const around = mounts.filter(
    ({ point }) => point === '/' || folder === point || folder.startsWith(`${point}/`),
  );
  // of two on one point the later lies on top
  return around.reduce<Mount | null>(
    (best, mount) => (best === null || mount.point.length >= best.point.length ? mount : best),
    null,
  );
}

/** `36 35 98:0 / /data rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw,errors=remount-ro` */
function readMount(line: string): Mount[] {
  const [before, behind] = line.split(' - ');
  const [, , number, , point, options] = (before ?? '').split(' ');
  const [, source, superOptions] = (behind ?? '').split(' ');
  if (number === undefined || point === undefined || options === undefined || source === undefined) return [];
  const plain = point.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return [{ point: plain, options: `${options},${superOptions ?? ''}`, source, number }];
}

/** An SSD tells its wear to tools with the rights of root alone. */
const SSD = /^(?:sd[a-z]+|nvme\d+n\d+)$/;

async function cardOf(disk: string): Promise<Pick<DiskFacts, 'card' | 'wearPercent' | 'spares'>> {
  const none = { card: null, wearPercent: null, spares: null };
  const name = basename(disk);
  if (SSD.test(name))
    return { ...none, card: (await textOf(join(disk, 'queue/rotational'))) === '0' ? 'ssd' : null };
  if (!/^mmcblk\d+$/.test(name)) return none;
  if ((await textOf(join(disk, 'device/type'))) !== 'MMC') return { ...none, card: 'sd' };
  return {
    card: 'emmc',
    wearPercent: wearOf(await textOf(join(disk, 'device/life_time'))),
    spares: sparesOf(await textOf(join(disk, 'device/pre_eol_info'))),
  };
}

/** `0x02 0x03`: two kinds of cells, each in steps of ten percent; 0x0b is more than its life. */
export function wearOf(text: string | null): number | null {
  const steps = (text ?? '')
    .trim()
    .split(/\s+/)
    .map((word) => Number.parseInt(word, 16));
  const worst = Math.max(...steps.filter((step) => step >= 1 && step <= 11));
  return Number.isFinite(worst) ? worst * 10 : null;
}

function sparesOf(text: string | null): DiskFacts['spares'] {
  const step = Number.parseInt(text ?? '', 16);
  return step === 1 ? 'normal' : step === 2 ? 'warning' : step === 3 ? 'urgent' : null;
}
