// Makes few files of the program's many when its sources changed: a box that starts again after a power cut reads and
// compiles six files instead of thirteen hundred, and keeps no compiler of types in memory. Nothing is shortened: a
// trace in the log still names the function.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  'pack-child': 'gateway/workers/jobs/pack-child.ts',
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

/**
 * Packages that stay as they were published: native ones, one of which files are served, and large ones that few starts
 * ever need. All others are taken in with what they need themselves: to find and read their five hundred files took
 * longer than to run them. Their folders travel with the program all the same, and their licences with them.
 */
const STAYS_OUTSIDE =
  /^(better-sqlite3|argon2|serialport|@serialport|swagger-ui-dist|@e965\/xlsx|age-encryption|esptool-js|mqtt|nodemailer|stripe|@simplewebauthn\/server)(\/|$)/;
/** What a package would like to have and does without: none of them is installed. */
const NOT_THERE = /^(pg-native|bufferutil|utf-8-validate)$/;
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
        external: staysOutside,
        plugins: [
          { name: 'tables of rare encodings', resolveId: tablesOutside(out) },
          { name: 'places of files', resolveId: guardOutside(out), transform: keepPlaces(out, input) },
          { name: 'quick parts of Node', resolveId: quickPart, load: loadQuickPart },
          { name: 'silent packages', resolveId: silentDebug, load: loadSilentDebug },
        ],
      });
      await bundled.write({
        dir: made,
        format: 'esm',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        comments: { legal: true, annotation: false, jsdoc: false },
      });
      await bundled.close();
      for (const name of readdirSync(made)) {
        const file = path.join(made, name);
        writeFileSync(file, inPlainLetters(readFileSync(file, 'utf8')));
      }
      // below node_modules nothing says what a file is: Node would compile all of it once more to find out
      if (out === CHILDREN_FOLDER)
        writeFileSync(path.join(made, 'package.json'), JSON.stringify({ type: 'module' }));
    },
  });
}

/**
 * Half a megabyte of letters for encodings that nobody has asked for yet.
 * @param {string} out
 */
function tablesOutside(out) {
  const tables = path.join(root, 'node_modules/iconv-lite/encodings');
  return (/** @type {string} */ wanted, /** @type {string | undefined} */ importer) =>
    wanted.startsWith('./tables/') && importer !== undefined && path.dirname(importer) === tables
      ? {
          id: path.relative(path.join(root, out), path.join(tables, wanted)).replaceAll(path.sep, '/'),
          external: /** @type {const} */ ('absolute'),
        }
      : null;
}

/** Statements that import them ask for all they have, and so load a client for HTTP and every root certificate. */
const QUICK = /^(?:node:)?(http|tls)$/;
const quickPart = (
  /** @type {string} */ wanted,
  /** @type {string | undefined} */ _importer,
  /** @type {{ kind: string }} */ { kind },
) => (kind === 'import-statement' && QUICK.test(wanted) ? `\0${wanted.replace('node:', '')}` : null);

/** @param {string} id */
function loadQuickPart(id) {
  const [, name = ''] = /^\0(http|tls)$/.exec(id) ?? [];
  if (name === '') return null;
  const part = process.getBuiltinModule(name);
  const ready = Object.entries(Object.getOwnPropertyDescriptors(part)).filter(([, had]) => 'value' in had);
  return `const part = process.getBuiltinModule('node:${name}');
export default part;
export const { ${ready.map(([it]) => it).join(', ')} } = part;`;
}

/**
 * Packages tell of every packet and every route to whoever sets DEBUG, keys of controllers among it, and make a list of what
 * they would tell each time while nobody does.
 */
const SILENT_DEBUG = '\0debug';
const silentDebug = (/** @type {string} */ wanted) => (wanted === 'debug' ? SILENT_DEBUG : null);
const loadSilentDebug = (/** @type {string} */ id) =>
  id === SILENT_DEBUG
    ? `const silent = Object.assign(() => {}, { enabled: false, extend: () => silent });
module.exports = () => silent;`
    : null;

/**
 * A file with one letter beyond ASCII is decoded letter by letter at each start, and kept in memory twice as large.
 * Where a letter is written as it is read it must be ASCII in the sources.
 * @param {string} code
 */
function inPlainLetters(code) {
  const raw = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code);
  if (raw !== null) throw new Error(`write with \\u what is beyond ASCII in ${raw[0]}`);
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** @param {string} id */
const isPackage = (id) => !/^[./#\0]/.test(id) && !path.isAbsolute(id);

/** What the program runs with; tools of tests and measurements are none of it. */
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** @param {string} id @param {string | undefined} importer */
function staysOutside(id, importer) {
  if (!isPackage(id) || QUICK.test(id)) return false;
  if (STAYS_OUTSIDE.test(id) || NOT_THERE.test(id)) return true;
  // what a package that is taken in needs comes with it
  if (importer?.includes('node_modules')) return false;
  const [name = ''] = /^(?:@[^/]+\/)?[^/]+/.exec(id) ?? [];
  return !(name in dependencies);
}

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
