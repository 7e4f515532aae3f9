import { createHash, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { MANIFEST_FILE, openManifest, SIGNATURE_FILE } from './manifest.ts';
import { afterTrouble } from './read-again.ts';
import { isVersion } from './version-order.ts';

/** What is started of a program: older launchers know it by this name. */
export const mainOf = (folder: string): string => join(folder, 'gateway', 'dist', 'main.js');

/** null: there is no program, or nothing that makes sense in the place of its version. */
export function versionIn(folder: string): string | null {
  try {
    const said: unknown = JSON.parse(textOf(join(folder, 'package.json')));
    const version = typeof said === 'object' && said !== null && 'version' in said ? said.version : null;
    return typeof version === 'string' && isVersion(version) ? version : null;
  } catch {
    return null;
  }
}

/** Empty where it cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/**
 * What is wrong with an applied program, in few words; null: it is what was signed, to the last byte, and nothing else
 * lies there. Looked at before every start: whoever could write into the data folder must not thereby get to run.
 */
export async function programTrouble(folder: string, keys: readonly KeyObject[]): Promise<string | null> {
  try {
    return await afterTrouble(() => lookAt(folder, keys));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function lookAt(folder: string, keys: readonly KeyObject[]): Promise<string | null> {
  const text = await readFile(join(folder, MANIFEST_FILE));
  const manifest = openManifest(text, await readFile(join(folder, SIGNATURE_FILE)), keys);
  const wanted = new Set([MANIFEST_FILE, SIGNATURE_FILE, ...manifest.files.map(({ path }) => path)]);
  for (const path of await filesBelow(folder)) {
    if (!wanted.delete(path)) return `${path} does not belong there`;
  }
  for (const { path, sha256 } of manifest.files) {
    if (wanted.has(path)) return `${path} is missing`;
    if ((await sha256Of(join(folder, path))) !== sha256) return `${path} is damaged`;
  }
  return null;
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  // a link is no file of ours, wherever it leads
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

const PIECE_BYTES = 1024 * 1024;

/** No more memory than the file needs: a program is a thousand small files and a large one, and a box has little. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  try {
    const { size } = await handle.stat();
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size + 1));
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}
