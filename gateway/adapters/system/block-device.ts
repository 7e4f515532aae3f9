import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { textOf } from './text-of.ts';

export type BlockDevice = {
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
