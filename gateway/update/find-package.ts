import type { KeyObject } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Arch, MAX_MANIFEST_BYTES } from './manifest.ts';
import { isFolder, type OpenedPackage, openPackage, PACKAGE_ENDING } from './package-file.ts';
import { UpdateRefused } from './update-trouble.ts';
import { compareVersions } from './version-order.ts';

export type Source = { kind: 'path'; path: string } | { kind: 'address'; address: string };

/** Throws UpdateRefused for an address over which anybody on the way could hold a version back. */
export function sourceOf(from: string): Source {
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

/** No program of ours is near that; without a bound a wrong address could fill the disk. */
const MAX_PACKAGE_BYTES = 512 * 1024 * 1024 + MAX_MANIFEST_BYTES;

/** Fetches a package to a file. `spare`: bytes that may be taken of the disk. */
export async function fetchPackage(address: string, to: string, spare: number): Promise<void> {
  const most = Math.min(MAX_PACKAGE_BYTES, spare);
  try {
    // a redirect might lead to an address that is not https
    const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(30 * 60_000) });
    if (!response.ok || response.body === null)
      throw new UpdateRefused('NOT_REACHABLE', `${address} answered ${response.status}`);
    let left = most;
    // the web's stream, in the words of the platform's types
    const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    async function* bounded() {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        left -= chunk.length;
        if (left < 0) throw new UpdateRefused('DISK_SHORT', 'the package is larger than the room for it');
        yield chunk;
      }
    }
    await pipeline(bounded(), createWriteStream(to, { mode: 0o600, flush: true }));
  } catch (cause) {
    if (cause instanceof UpdateRefused) throw cause;
    throw new UpdateRefused('NOT_REACHABLE', `${address} cannot be reached`, { cause });
  }
}
