import { statfs } from 'node:fs/promises';

/** What the card keeps free whatever is brought or comes back: control writes on meanwhile. */
export const SPARE_BYTES = 256 * 1024 * 1024;

/** What the disk of a folder has room for still, as the gateway may use it. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
