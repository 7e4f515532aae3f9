import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const gateway = (folder: string) => fileURLToPath(new URL(`../../gateway/${folder}/`, import.meta.url));

type Modules = { getModuleInfo: (id: string) => { importers: readonly string[] } | null };

/** Whether the page cannot start without this module. */
function isOfStart(id: string, modules: Modules, seen = new Set<string>()): boolean {
  if (id === here('main.tsx')) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  return modules.getModuleInfo(id)?.importers.some((from) => isOfStart(from, modules, seen)) ?? false;
}

/** A browser starts the push worker as one file: what the console uses, too, is a copy of its own there. */
const pushWorkerAlone: Plugin = {
  name: 'push-worker-alone',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    const isOfWorker = importer?.startsWith(here('push/')) === true || importer?.endsWith('?alone') === true;
    if (!isOfWorker) return null;
    const found = await this.resolve(source, importer, { ...options, skipSelf: true });
    return found === null || !found.id.endsWith('.ts') ? found : { ...found, id: `${found.id}?alone` };
  },
};

// One console for the farm's network, the hosted instance and the window on the operator's PC. scripts/build-console.mjs builds
// it once in each language; here it speaks the first of them.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: {
      '#contract/': gateway('contract'),
      '#science/': gateway('science'),
      '#words/': here('words/pt-BR/'),
      // both name the compatibility layer; it is the same library
      react: 'preact/compat',
      'react-dom': 'preact/compat',
    },
  },
  plugins: [pushWorkerAlone],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: { index: here('index.html'), 'push-worker': here('push/push-worker.ts') },
      output: {
        // browsers know a service worker by its address, and what it may do by its folder
        entryFileNames: ({ name }) => (name === 'push-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
        codeSplitting: {
          groups: [
            // without a word in it: one file for all languages
            { name: 'libraries', test: /node_modules\/(@?preact|@tanstack|wouter-preact)\//, priority: 2 },
            // what every page needs is smaller in one piece
            {
              debugName: 'start',
              name: (id, modules) => (isOfStart(id, modules) ? 'start' : null),
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/readyz', '/healthz'].map((path) => [
        path,
        process.env['GATEWAY'] ?? 'http://localhost:8080',
      ]),
    ),
  },
});
