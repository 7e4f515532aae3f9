import type { KeyObject } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Arch } from './manifest.ts';
import { isFolder, type OpenedPackage, openPackage, PACKAGE_ENDING } from './package-file.ts';
import { UpdateRefused } from './update-trouble.ts';
import { compareVersions } from './version-order.ts';

export type Source =
  | { kind: 'path'; path: string }
  | { kind: 'address'; address: string }
  /** What the hosted instance offers that this gateway is paired with. */
  | { kind: 'hosted' };

/** Throws UpdateRefused for an address over which anybody on the way could hold a version back. */
export function sourceOf(from: string): Source {
  if (from === 'hosted') return { kind: 'hosted' };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return { kind: 'path', path: from };
  if (!from.startsWith('https://') || !URL.canParse(from))
    throw new UpdateRefused('INSECURE_SOURCE', 'updates are fetched from https addresses only');
  return { kind: 'address', address: from };
}

/** The package in a file, or the newest one for this machine in a folder such as a stick. */
export async function packageAt(
  path: string,
  keys: readonly KeyObject[],
  arch: Arch | null,
): Promise<OpenedPackage> {
  if (!(await isFolder(path))) return openPackage(path, keys);
  const names = (await readdir(path)).filter((name) => name.endsWith(PACKAGE_ENDING)).sort();
  let newest: OpenedPackage | null = null;
  let trouble: UpdateRefused | null = null;
  for (const name of names) {
    try {
      const opened = await openPackage(join(path, name), keys);
      const isForUs = opened.manifest.arch === arch;
      if (!isForUs) trouble ??= new UpdateRefused('FOREIGN', `${name} is for ${opened.manifest.arch}`);
      else if (newest === null || compareVersions(opened.manifest.version, newest.manifest.version) > 0)
        newest = opened;
    } catch (error) {
      // one that is not ours must not hide the one that is
      if (!(error instanceof UpdateRefused)) throw error;
      trouble ??= error;
    }
  }
  if (newest !== null) return newest;
  throw trouble ?? new UpdateRefused('NOT_FOUND', `there is no ${PACKAGE_ENDING} file in ${path}`);
}
