import './scripts/require-node.mjs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

// The suffix of a test file says what it needs.
const NEEDS_POSTGRES = '**/*.pg.test.ts';
const NEEDS_BROWSER = '**/*.browser.test.ts';

export default defineConfig({
  test: {
    // Native modules do not live well in worker threads.
    pool: 'forks',
    // Many files wait for processes of their own: on two cores the third worker has something to do meanwhile.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Hundreds of gateways are started as processes: each finds its code compiled, as one on a box does.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/compile', import.meta.url)) },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // a machine that is busy elsewhere is late, not wrong
    expect: { poll: { timeout: 20_000 } },
    globalSetup: ['test/support/postgres-setup.ts', 'test/support/console-setup.ts'],
    // No module keeps state, so a worker loads the program once for all its files (`isolate: false`).
    projects: [
      {
        test: {
          name: 'node',
          isolate: false,
          include: ['**/*.test.ts'],
          exclude: [...configDefaults.exclude, NEEDS_POSTGRES, NEEDS_BROWSER],
        },
      },
      { test: { name: 'pg', isolate: false, include: [NEEDS_POSTGRES] } },
      { test: { name: 'browser', isolate: false, include: [NEEDS_BROWSER] } },
    ],
  },
});
