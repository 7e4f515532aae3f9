import { readFile, realpath, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DiskFacts } from '#features/doctor/ports.ts';
import { cardFacts } from './card-health.ts';

type Mount = { point: string; options: string; source: string };

/** The disk under a folder: room, how it is mounted, and how worn it is where it says so. `root`: of the machine. */
export async function diskFacts(folder: string, root = '/'): Promise<Omit<DiskFacts, 'writes'>> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const mount = await mountOf(await realpath(folder), root);
  return {
    folder,
    freeBytes: bavail * bsize,
    totalBytes: blocks * bsize,
    isReadOnly: mount === null ? null : mount.options.split(',').includes('ro'),
    ...(await cardOf(mount, root)),
    health: mount === null ? null : await cardFacts(mount.source, root),
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
  const [, , , , point, options] = (before ?? '').split(' ');
  const [, source, superOptions] = (behind ?? '').split(' ');
  if (point === undefined || options === undefined || source === undefined) return [];
  const plain = point.replaceAll(/\\(\d{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
  return [{ point: plain, options: `${options},${superOptions ?? ''}`, source }];
}

async function cardOf(
  mount: Mount | null,
  root: string,
): Promise<Pick<DiskFacts, 'card' | 'wearPercent' | 'spares'>> {
  const none = { card: null, wearPercent: null, spares: null };
  if (mount === null || !mount.source.startsWith('/dev/mmcblk')) return none;
  const device = await deviceOf(basename(mount.source), root);
  if (device === null) return none;
  const type = (await textOf(join(device, 'type')))?.trim();
  const lifeTime = await textOf(join(device, 'life_time'));
  const spares = (await textOf(join(device, 'pre_eol_info')))?.trim();
  if (type !== 'MMC') return { ...none, card: 'sd' };
  return { card: 'emmc', wearPercent: wearOf(lifeTime), spares: sparesOf(spares) };
}

/** The folder of the chip behind a block device or one of its partitions. */
async function deviceOf(name: string, root: string): Promise<string | null> {
  const block = await realpath(join(root, 'sys/class/block', name)).catch(() => null);
  if (block === null) return null;
  const disk = /^mmcblk\d+$/.test(basename(block)) ? block : dirname(block);
  return join(disk, 'device');
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

function sparesOf(text: string | undefined): DiskFacts['spares'] {
  const step = Number.parseInt(text ?? '', 16);
  return step === 1 ? 'normal' : step === 2 ? 'warning' : step === 3 ? 'urgent' : null;
}

/** null: there is no such file, or it may not be read. */
async function textOf(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch(() => null);
}
