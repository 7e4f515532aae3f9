import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const gateway = (folder: string) => fileURLToPath(new URL(`../../gateway/${folder}/`, import.meta.url));

// One bundle for the farm's network, the hosted instance and the window on the operator's PC.
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
