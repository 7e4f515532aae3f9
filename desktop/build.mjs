// Builds the program around the console: main and preload for Electron, the pages that come with it.

import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** @param {string} out */
export async function buildDesktop(out = path.join(folder, 'dist')) {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(path.join(out, 'shell'), { recursive: true });
  await bundle({ entry: 'main/main.ts', file: 'main.js', format: 'es', out });
  // a sandboxed preload script is not a module
  await bundle({ entry: 'preload/preload.ts', file: 'preload.cjs', format: 'cjs', out });
  for (const page of ['choose', 'lost']) {
    await bundle({
      entry: `shell/${page}.ts`,
      file: `${page}.js`,
      format: 'iife',
      out: path.join(out, 'shell'),
    });
    cpSync(path.join(folder, 'shell', `${page}.html`), path.join(out, 'shell', `${page}.html`));
  }
  cpSync(path.join(folder, 'shell/shell.css'), path.join(out, 'shell/shell.css'));
  const { version } = JSON.parse(readFileSync(path.join(folder, '../package.json'), 'utf8'));
  // what Electron starts, and what is packed: nothing of the sources' own description
  const description = {
    name: 'camarao',
    productName: 'Camarão',
    version,
    private: true,
    type: 'module',
    main: 'main.js',
  };
  writeFileSync(path.join(out, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}

/** @param {{ entry: string, file: string, format: 'es' | 'cjs' | 'iife', out: string }} wanted */
async function bundle({ entry, file, format, out }) {
  const isPage = format === 'iife';
  await build({
    configFile: false,
    root: folder,
    logLevel: 'warn',
    // what is Node's or Electron's stays outside; everything else goes in, so that no package lies beside it
    ssr: isPage ? {} : { noExternal: true, external: ['electron'] },
    build: {
      ssr: !isPage,
      outDir: out,
      emptyOutDir: false,
      target: isPage ? 'chrome140' : 'node24',
      minify: false,
      rollupOptions: {
        input: path.join(folder, entry),
        external: isPage ? [] : ['electron'],
        output: { entryFileNames: file, format },
      },
    },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDesktop();
