import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { type InBoth, inBoth } from '#core/both-languages.ts';
import { readManifest } from './read-firmware.ts';
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
  trouble: InBoth | null;
};

const MOST_BUNDLES = 100;
const PLAIN_NAME = /^[\w][\w.+ -]{0,127}$/;

/** Bundles of firmware in a folder, by name; those that cannot be read are listed with the reason. */
export async function firmwareIn(folder: string): Promise<FoundBundle[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && PLAIN_NAME.test(entry.name));
  const inOrder = names
    .map(({ name }) => name)
    .toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return Promise.all(inOrder.slice(0, MOST_BUNDLES).map((name) => bundleAt(folder, name)));
}

async function bundleAt(within: string, name: string): Promise<FoundBundle> {
  const folder = path.join(within, name);
  try {
    const { chip, version, parts } = await readManifest(folder);
    const sized = await Promise.all(
      parts.map(async ({ file, offset }) => ({ file, offset, bytes: await sizeOf(path.join(folder, file)) })),
    );
    const missing = sized.find(({ bytes }) => bytes === 0);
    const bytes = sized.reduce((sum, part) => sum + part.bytes, 0);
    const trouble =
      missing === undefined
        ? null
        : inBoth(`${missing.file} falta ou está vazio`, `${missing.file} is missing or empty`);
    return { name, folder, chip, version, bytes, parts: sized, trouble };
  } catch (error) {
    if (!(error instanceof BenchTrouble)) throw error;
    return { name, folder, chip: null, version: null, bytes: 0, parts: [], trouble: error.said.message };
  }
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? found.size : 0;
}
