// Makes few files of the program's many when its sources changed: a box that starts again after a power cut reads and
// compiles six files instead of thirteen hundred, and keeps no compiler of types in memory. Nothing is shortened: a
// trace in the log still names the function.

import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildWhenChanged } from './build-when-changed.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What is started from outside, by the name of its file in `gateway/dist`. */
const PROGRAM = {
  main: 'gateway/main.ts',
  launch: 'gateway/launch.ts',
  'bench-tool': 'gateway/bench-tool.ts',
};

/**
 * What the program itself starts, hours later perhaps, when another build stands in its place: each build has names of
 * its own for them, so that it starts its own or, once that is gone, none. One of another version would be spoken to in
 * words that it does not know.
 */
const PARTS = {
  'job-child': 'gateway/workers/jobs/job-child.ts',
  'sheet-child': 'gateway/workers/jobs/sheet-child.ts',
  'bench-child': 'gateway/bench/bench-child.ts',
  'reader-worker': 'gateway/adapters/sql/reader-thread/worker.ts',
  'hash-child': 'gateway/workers/hash/hash-child.ts',
  'send-worker': 'gateway/adapters/delivery/send-thread/worker.ts',
  'fleet-child': 'gateway/workers/fleet/fleet-child.ts',
};

/** What only tests and measurements start, from their folders; built with `--children`. */
export const CHILDREN = {
  ...named('test/support', ['gateway-child.ts']),
  ...named('test/update', ['stage-child.ts']),
  ...named('scripts/soak', ['gateway-child.ts']),
  ...named('scripts', ['demo.ts']),
  ...named('firmware-sim', ['main.ts']),
  ...named('scripts/bench', ['main.ts']),
  ...named('scripts/bench/load', readdirSync(path.join(root, 'scripts/bench/load'))),
  ...named('scripts/bench/servers', readdirSync(path.join(root, 'scripts/bench/servers'))),
};
export const CHILDREN_FOLDER = 'node_modules/.cache/children';

/** Pure modules in hundreds of files; all other packages stay as they were published, native ones above all. */
const TAKEN_IN = /^(kysely|zod|zod-openapi|temporal-polyfill|temporal-utils)(\/|$)/;
/** An old Node must still be able to read it, before anything else is loaded. */
const GUARD = path.join(root, 'scripts/require-node.mjs');

export const buildProgram = () =>
  bundle({
    out: 'gateway/dist',
    entries: PROGRAM,
    parts: PARTS,
    sources: ['gateway', 'firmware-sim', 'package-lock.json'],
  });

export const buildChildren = () =>
  bundle({
    out: CHILDREN_FOLDER,
    // they start parts of the program, too
    entries: { ...CHILDREN, ...PROGRAM },
    parts: PARTS,
    sources: ['gateway', 'firmware-sim', 'scripts', 'test/support', 'test/update', 'package-lock.json'],
  });

/**
 * Entries by name: `scripts/soak/a.ts` is called `scripts-soak-a`.
 * @param {string} folder @param {readonly string[]} files
 */
function named(folder, files) {
  return Object.fromEntries(
    files.map((file) => [`${folder}/${file}`.replace(/\.ts$/, '').replaceAll('/', '-'), `${folder}/${file}`]),
  );
}

/**
 * Makes one file of each entry and part and the files they share, when the sources changed.
 * @param {{
 *   out: string,
 *   entries: Readonly<Record<string, string>>,
 *   parts?: Readonly<Record<string, string>>,
 *   sources: readonly string[],
 * }} wanted
 */
export async function bundle({ out, entries, parts = {}, sources }) {
  await buildWhenChanged({
    out,
    sources: [...sources, 'package.json', 'scripts/build-program.mjs', 'scripts/build-when-changed.mjs'],
    also: JSON.stringify([entries, parts]),
    build: async (made, stamp) => {
      const { rolldown } = await import('rolldown');
      const ofThisBuild = Object.entries(parts).map(([name, file]) => [`${name}-${stamp.slice(0, 8)}`, file]);
      const input = { ...entries, ...Object.fromEntries(ofThisBuild) };
      const bundled = await rolldown({
        cwd: root,
        platform: 'node',
        input,
        external: (id) => isPackage(id) && !TAKEN_IN.test(id),
        plugins: [
          { name: 'places of files', resolveId: guardOutside(out), transform: keepPlaces(out, input) },
        ],
      });
      await bundled.write({
        dir: made,
        format: 'esm',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
      });
      await bundled.close();
      // below node_modules nothing says what a file is: Node would compile all of it once more to find out
      if (out === CHILDREN_FOLDER)
        writeFileSync(path.join(made, 'package.json'), JSON.stringify({ type: 'module' }));
    },
  });
}

/** @param {string} id */
const isPackage = (id) => !/^[./#\0]/.test(id) && !path.isAbsolute(id);

/** @param {string} out */
function guardOutside(out) {
  const id = path.relative(out, 'scripts/require-node.mjs').replaceAll(path.sep, '/');
  return (/** @type {string} */ wanted, /** @type {string | undefined} */ importer) =>
    importer !== undefined && path.resolve(path.dirname(importer), wanted) === GUARD
      ? { id, external: /** @type {const} */ ('absolute') }
      : null;
}

/**
 * A module names files by their place beside its own. Its code ends up elsewhere: what is started itself is named by
 * where it ends up, all else by where it is.
 * @param {string} out @param {Readonly<Record<string, string>>} entries
 */
function keepPlaces(out, entries) {
  const nameOf = new Map(Object.entries(entries).map(([name, file]) => [path.join(root, file), name]));
  const from = path.join(root, out);
  const literal = (/** @type {string} */ file) =>
    JSON.stringify(path.relative(from, file).replaceAll(path.sep, '/'));
  return (/** @type {string} */ code, /** @type {string} */ id) => {
    if (!code.includes('import.meta.') || id.includes('node_modules')) return null;
    if (/import\.meta\.(dirname|filename|main)/.test(code))
      throw new Error(`${id}: only import.meta.url and import.meta.resolve are kept`);
    return code
      .replace(/new URL\('([^':]*)', import\.meta\.url\)/g, (_, wanted) => {
        const file = path.resolve(path.dirname(id), wanted);
        const name = nameOf.get(file);
        return `new URL(${name === undefined ? literal(file) : `'./${name}.js'`}, import.meta.here)`;
      })
      .replaceAll('import.meta.url', `new URL(${literal(id)}, import.meta.here).href`)
      .replaceAll('import.meta.here', 'import.meta.url');
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildProgram();
  if (process.argv.includes('--children')) await buildChildren();
}
