// Loaded before anything else of the program. Plain JavaScript, so that an old Node can still read it: the
// native modules (SQLite, password hashing) crash an old Node without a word.

import { existsSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const OLDEST_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST_MAJOR) {
  console.error(
    `This program needs Node ${OLDEST_MAJOR} or newer and was started with Node ${process.versions.node}; ` +
      'use "npm start", which brings its own.',
  );
  process.exit(1);
}

// Compiled code is kept between starts, beside the packages: it halves the time until controllers are served after a
// power cut. Where the folder cannot be written to, a start takes as long as the first. A packaged program stays as it
// was signed: its unit names another folder (NODE_COMPILE_CACHE).
const isPackaged = existsSync(new URL('../manifest.json', import.meta.url));
if (!isPackaged)
  module.enableCompileCache?.(fileURLToPath(new URL('../node_modules/.cache/compile', import.meta.url)));
