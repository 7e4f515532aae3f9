import { realpath, statfs } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { DiskFacts } from '#features/system/doctor/ports.ts';
import { blockDevice } from './block-device.ts';
import { cardFacts } from './card-health.ts';
import { textOf } from './text-of.ts';

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
