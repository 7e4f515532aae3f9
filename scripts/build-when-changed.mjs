// What is made of the sources is made anew only when they changed. A program that runs meanwhile keeps its parts.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What was built, beside it. */
const ACCOUNT = '.built.json';
const UNFINISHED = '.dist-';
const BUILT = /\/(dist|\.dist-[^/]*)(\/|$)/;

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Made
 * @property {string} out Folder, from the root on.
 * @property {readonly string[]} sources Files and folders, from the root on.
 * @property {(folder: string, stamp: string) => Promise<void>} build
 *   Writes into an empty folder, which stands beside `out`. `stamp`: another for other sources.
 * @property {string} [also] What else decides about the result.
 */

/** @typedef {{ stamp: string, files: Record<string, number> }} Account With the bytes of each file. */

/** @param {Made} made */
export async function buildWhenChanged({ out, sources, build, also = '' }) {
  const place = path.join(root, out);
  const stamp = stampOf(sources, also);
  const before = readAccount(place);
  if (before?.stamp === stamp && isWhole(place, before)) return;
  mkdirSync(path.dirname(place), { recursive: true });
  removeCutOff(path.dirname(place));
  // beside the place it goes to: nobody sees half of it
  const folder = mkdtempSync(path.join(path.dirname(place), `${UNFINISHED}${process.pid}-`));
  try {
    await build(folder, stamp);
    const files = filesIn(folder);
    const bytes = Object.fromEntries(files.map((file) => [file, statSync(path.join(folder, file)).size]));
    put(folder, place, files);
    writeFileSync(path.join(folder, ACCOUNT), JSON.stringify({ stamp, files: bytes }));
    keep(path.join(folder, ACCOUNT));
    renameSync(path.join(folder, ACCOUNT), path.join(place, ACCOUNT));
    keep(place);
    // what runs already loads the rest of its parts when it needs them: one build back they are still there
    const kept = new Set([...files, ...Object.keys(before?.files ?? {}), ACCOUNT]);
    for (const file of filesIn(place)) if (!kept.has(file)) rmSync(path.join(place, file), { force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The files of the latest build, without those that stand beside it for what still runs.
 * @param {string} place
 */
export const builtFiles = (place) => Object.keys(readAccount(place)?.files ?? {}).sort();

/**
 * Parts first, which nothing asks for yet; then what has the same name in every build. What they hold is on the disk
 * before they have their names: a power cut leaves no empty file that has been accounted for.
 * @param {string} folder @param {string} place @param {readonly string[]} files
 */
function put(folder, place, files) {
  for (const file of files) keep(path.join(folder, file));
  const isThere = (/** @type {string} */ file) => existsSync(path.join(place, file));
  for (const file of [...files.filter((file) => !isThere(file)), ...files.filter(isThere)]) {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
    renameSync(path.join(folder, file), path.join(place, file));
  }
}

/** @param {string} file */
function keep(file) {
  const isFolder = statSync(file).isDirectory();
  // Windows has no such thing for folders
  if (isFolder && process.platform === 'win32') return;
  const handle = openSync(file, isFolder ? 'r' : 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** @param {string} place @returns {Account | null} */
function readAccount(place) {
  try {
    const { stamp, files } = JSON.parse(readFileSync(path.join(place, ACCOUNT), 'utf8'));
    const isOne = typeof stamp === 'string' && typeof files === 'object' && files !== null;
    return isOne && !Array.isArray(files) ? { stamp, files } : null;
  } catch {
    // none, or what a power cut left of it: everything is made anew
    return null;
  }
}

/** @param {string} place @param {Account} account */
const isWhole = (place, { files }) =>
  Object.entries(files).every(
    ([file, bytes]) => statSync(path.join(place, file), { throwIfNoEntry: false })?.size === bytes,
  );

/** Builds that were cut off. @param {string} folder */
function removeCutOff(folder) {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(UNFINISHED) || isAtWork(Number.parseInt(name.slice(UNFINISHED.length), 10)))
      continue;
    rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

/** @param {number} processId */
function isAtWork(processId) {
  if (!Number.isInteger(processId)) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // it lives, and is somebody else's
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @param {string} folder */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll(path.sep, '/'))
    .filter((name) => statSync(path.join(folder, name)).isFile())
    .sort();

/** @param {readonly string[]} sources @param {string} also */
function stampOf(sources, also) {
  const hash = createHash('sha256').update(also);
  const files = sources.flatMap(filesBelow).sort();
  for (const file of files) hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest('hex');
}

/**
 * Files of a folder, or the file itself; by an older Node, too: the first start of a clone still runs on the system's.
 * @param {string} place
 */
function filesBelow(place) {
  const full = path.join(root, place);
  if (statSync(full).isFile()) return [place];
  return readdirSync(full, { recursive: true, encoding: 'utf8' })
    .map((name) => `${place}/${name}`.replaceAll(path.sep, '/'))
    .filter((name) => !BUILT.test(name) && statSync(path.join(root, name)).isFile());
}
