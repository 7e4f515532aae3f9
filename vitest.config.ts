import './scripts/require-node.mjs';
import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';

// The suffix of a test file says what it needs.
const NEEDS_POSTGRES = '**/*.pg.test.ts';
const NEEDS_BROWSER = '**/*.browser.test.ts';

export default defineConfig({
  test: {
    // Native modules do not live well in worker threads.
    pool: 'forks',
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 20_000,
    globalSetup: ['test/support/postgres-setup.ts', 'test/support/console-setup.ts'],
    projects: [
      {
        test: {
          name: 'node',
          include: ['**/*.test.ts'],
          exclude: [...configDefaults.exclude, NEEDS_POSTGRES, NEEDS_BROWSER],
        },
      },
      { test: { name: 'pg', include: [NEEDS_POSTGRES] } },
      { test: { name: 'browser', include: [NEEDS_BROWSER] } },
    ],
  },
});
