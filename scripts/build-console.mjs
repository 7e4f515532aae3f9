// Builds the console when its sources changed since the last time: before every start and before the tests. Answers
// stand beside the files compressed, so that the box at the farm never compresses one.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'desktop/console');
const out = path.join(folder, 'dist');
const SOURCES = [
  'desktop/console',
  'desktop/ipc.ts',
  'gateway/contract',
  'gateway/science',
  'package-lock.json',
];
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;

export async function buildConsole() {
  const stamp = stampOfSources();
  if (readStamp() === stamp) return;
  // beside the place it goes to: two starts at once must not see half of it
  const made = mkdtempSync(path.join(folder, '.dist-'));
  try {
    const { build } = await import('vite');
    await build({
      configFile: path.join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: made, emptyOutDir: true },
    });
    compress(made);
    writeFileSync(path.join(made, '.stamp'), stamp);
    rmSync(out, { recursive: true, force: true });
    renameSync(made, out);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

function stampOfSources() {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap(filesBelow)
    .filter((file) => !/^desktop\/console\/(dist|\.dist-)/.test(file))
    .sort();
  for (const file of files) {
    const full = path.join(root, file);
    if (statSync(full).isFile()) hash.update(file).update(readFileSync(full));
  }
  return hash.digest('hex');
}

/**
 * Files of a folder, or the file itself; by an older Node, too: the first start of a clone still runs on the system's.
 * @param {string} place
 */
function filesBelow(place) {
  if (statSync(path.join(root, place)).isFile()) return [place];
  return readdirSync(path.join(root, place), { recursive: true, encoding: 'utf8' }).map((name) =>
    `${place}/${name}`.replaceAll(path.sep, '/'),
  );
}

function readStamp() {
  const file = path.join(out, '.stamp');
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

/** @param {string} made */
function compress(made) {
  for (const name of readdirSync(made, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(made, name);
    if (!statSync(file).isFile() || !COMPRESSED.test(name)) continue;
    const bytes = readFileSync(file);
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
    writeFileSync(
      `${file}.br`,
      brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    );
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildConsole();
