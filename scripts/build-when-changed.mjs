// What is made of the sources is made anew only when they changed. A program that runs meanwhile keeps its parts.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
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
const BUILT = /\/(dist|\.dist-[^/]*)(\/|$)/;

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * @typedef {object} Made
 * @property {string} out Folder, from the root on.
 * @property {readonly string[]} sources Files and folders, from the root on.
 * @property {(folder: string) => Promise<void>} build Writes into an empty folder, which stands beside `out`.
 * @property {string} [also] What else decides about the result.
 */

/** @param {Made} made */
export async function buildWhenChanged({ out, sources, build, also = '' }) {
  const place = path.join(root, out);
  const stamp = stampOf(sources, also);
  const before = readAccount(place);
  if (before?.stamp === stamp) return;
  mkdirSync(path.dirname(place), { recursive: true });
  // beside the place it goes to: nobody sees half of it
  const folder = mkdtempSync(path.join(path.dirname(place), '.dist-'));
  try {
    await build(folder);
    const files = filesIn(folder);
    put(folder, place, files);
    writeFileSync(path.join(folder, ACCOUNT), JSON.stringify({ stamp, files }));
    renameSync(path.join(folder, ACCOUNT), path.join(place, ACCOUNT));
    // what runs already loads the rest of its parts when it needs them: one build back they are still there
    const kept = new Set([...files, ...(before?.files ?? []), ACCOUNT]);
    for (const file of filesIn(place)) if (!kept.has(file)) rmSync(path.join(place, file), { force: true });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The files of the latest build, without those that stand beside it for what still runs.
 * @param {string} place
 */
export const builtFiles = (place) => readAccount(place)?.files ?? [];

/**
 * Parts first, which nothing asks for yet; then what has the same name in every build.
 * @param {string} folder @param {string} place @param {readonly string[]} files
 */
function put(folder, place, files) {
  const isThere = (/** @type {string} */ file) => existsSync(path.join(place, file));
  for (const file of [...files.filter((file) => !isThere(file)), ...files.filter(isThere)]) {
    mkdirSync(path.dirname(path.join(place, file)), { recursive: true });
    renameSync(path.join(folder, file), path.join(place, file));
  }
}

/** @param {string} place @returns {{ stamp: string, files: string[] } | null} */
function readAccount(place) {
  const file = path.join(place, ACCOUNT);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
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
