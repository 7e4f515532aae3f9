import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readPublisherKeys } from '#adapters/firmware/image-files.ts';
import { type InEach, inEach } from '#core/each-language.ts';
import type { PublisherKey } from '#features/equipment/firmware/ports.ts';
import { type Publisher, publisherOf } from './check-firmware.ts';
import { readManifest, signedIn } from './read-firmware.ts';
import { BenchTrouble } from './trouble.ts';

export type FoundBundle = {
  /** Its folder below the one that was looked into. */
  name: string;
  folder: string;
  chip: string | null;
  version: string | null;
  bytes: number;
  parts: { file: string; offset: number; bytes: number }[];
  /** Why it cannot be flashed; null: it can. */
  trouble: InEach | null;
  signature: Publisher['signature'];
  /** Of the publisher's key, where it is valid. */
  signed_by: string | null;
};

const MOST_BUNDLES = 100;
const PLAIN_NAME = /^[\w][\w.+ -]{0,127}$/;

/**
 * Bundles of firmware in a folder, by name; those that cannot be read are listed with the reason. `keys`: PEM file of the
 * publishers known here.
 */
export async function firmwareIn(folder: string, keysFile: string): Promise<FoundBundle[]> {
  const keys = await readPublisherKeys(keysFile);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && PLAIN_NAME.test(entry.name));
  const inOrder = names
    .map(({ name }) => name)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return Promise.all(
    inOrder.slice(0, MOST_BUNDLES).map((name) => bundleAt(path.join(folder, name), name, keys)),
  );
}

async function bundleAt(folder: string, name: string, keys: readonly PublisherKey[]): Promise<FoundBundle> {
  try {
    const manifest = await readManifest(folder);
    const { chip, version, parts } = manifest;
    const publisher = publisherOf(signedIn(manifest), keys);
    const signed_by = publisher.signature === 'valid' ? publisher.signed_by : null;
    const sized = await Promise.all(
      parts.map(async ({ file, offset }) => ({ file, offset, bytes: await sizeOf(path.join(folder, file)) })),
    );
    const missing = sized.find(({ bytes }) => bytes === 0);
    const bytes = sized.reduce((sum, part) => sum + part.bytes, 0);
    const trouble =
      missing === undefined
        ? null
        : inEach(
            `${missing.file} falta ou está vazio`,
            `${missing.file} is missing or empty`,
            `${missing.file} falta o está vacío`,
          );
    const { signature } = publisher;
    return { name, folder, chip, version, bytes, parts: sized, trouble, signature, signed_by };
  } catch (error) {
    if (!(error instanceof BenchTrouble)) throw error;
    const nothing = { chip: null, version: null, bytes: 0, parts: [] };
    const { message: trouble } = error.said;
    return { name, folder, ...nothing, trouble, signature: 'none', signed_by: null };
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? found.size : 0;
}
