// Builds the console and the guide when their sources changed since the last time: before every start and before the tests. Answers
// stand beside the files compressed, so that the box at the farm never compresses one.

import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { buildGuide } from './build-guide.mjs';
import { buildWhenChanged } from './build-when-changed.mjs';

const folder = fileURLToPath(new URL('../desktop/console', import.meta.url));
const COMPRESSED = /\.(js|css|html|svg|webmanifest)$/;

export async function buildConsole() {
  await buildGuide();
  await buildWhenChanged({
    out: 'desktop/console/dist',
    sources: [
      'desktop/console',
      'desktop/ipc.ts',
      'scripts/build-console.mjs',
      'scripts/build-when-changed.mjs',
      'gateway/contract',
      'gateway/science',
      'package-lock.json',
    ],
    build: async (made) => {
      const { build } = await import('vite');
      const given = process.env['NODE_ENV'];
      // the tests' own would make a larger console that names files of this machine, and later starts would serve it
      process.env['NODE_ENV'] = 'production';
      try {
        await build({
          configFile: path.join(folder, 'vite.config.ts'),
          logLevel: 'warn',
          build: { outDir: made, emptyOutDir: true },
        });
      } finally {
        if (given === undefined) delete process.env['NODE_ENV'];
        else process.env['NODE_ENV'] = given;
      }
      compress(made);
    },
  });
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
