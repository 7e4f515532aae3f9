import { readdir } from 'node:fs/promises';
import { isCode } from '#adapters/backup/safe-files.ts';
import { type Arch, PRODUCT } from './manifest.ts';
import { PACKAGE_ENDING } from './package-file.ts';
import { compareVersions, isVersion } from './version-order.ts';

/**
 * Name of the newest package for such a machine in a folder, by what its files are called; null: none is newer. What it
 * really is its signature says, at the gateway that fetches it.
 */
export async function newestOffered(
  folder: string,
  { arch, than }: { arch: Arch; than: string },
): Promise<string | null> {
  const ending = `_${arch}${PACKAGE_ENDING}`;
  const names = await readdir(folder).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  });
  let newest = than;
  let found: string | null = null;
  for (const name of names) {
    if (!name.startsWith(`${PRODUCT}_`) || !name.endsWith(ending)) continue;
    const version = name.slice(PRODUCT.length + 1, -ending.length);
    if (!isVersion(version) || compareVersions(version, newest) <= 0) continue;
    [newest, found] = [version, name];
  }
  return found;
}
