import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const gateway = (folder: string) => fileURLToPath(new URL(`../../gateway/${folder}/`, import.meta.url));

// One bundle for the farm's network, the hosted instance and the window on the operator's PC.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  resolve: {
    alias: {
      '#contract/': gateway('contract'),
      '#science/': gateway('science'),
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
