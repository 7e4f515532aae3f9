import './scripts/require-node.mjs';
import { availableParallelism, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

/**
 * Their figures are times: of a motor, of an alert, of an end. They run when all else is over. Most of their own time is
 * waiting, of which the processor knows nothing: four at once leave a third of two cores free.
 */
const TIMED = [
  'test/real/**/*.test.ts',
  'test/soak/campaign.test.ts',
  'test/e2e/oxygen-night.test.ts',
  'test/e2e/broker-restart.test.ts',
  'test/packaging/deb.test.ts',
  'test/adapters/modbus/read-probes.test.ts',
];

/**
 * Threads that hash passwords or read long give way to control (10): on a box to that of their own gateway, here to that
 * of a dozen, to compilers and browsers, for minutes. All that runs here is at 10, so that they get their share.
 */
if (process.platform === 'linux') setPriority(10);

export default defineConfig({
  test: {
    // Native modules do not live well in worker threads.
    pool: 'forks',
    // Many files wait for processes of their own: on two cores four workers have something to do meanwhile.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // Hundreds of gateways are started as processes: each finds its code compiled, as one on a box does.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/compile', import.meta.url)),
      // what no run walks whole, it walks a part of: another one each day
      TESTS_TURN: process.env['TESTS_TURN'] ?? String(Math.floor(Date.now() / 86_400_000)),
    },
    // tests against the started program wait for its time, not for the processor
    maxConcurrency: 10,
    // a machine that is busy elsewhere is late, not wrong: no test and no question of one is less patient than this
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    setupFiles: ['test/support/close-left-running.ts'],
    globalSetup: [
      'test/support/postgres-setup.ts',
      'test/support/console-setup.ts',
      'test/support/turn-setup.ts',
    ],
    // No module keeps state, so a worker loads the program once for all its files of a project.
    isolate: false,
    projects: [
      {
        extends: true,
        test: { name: 'farm', include: ['**/*.test.ts'], exclude: [...configDefaults.exclude, ...TIMED] },
      },
      { extends: true, test: { name: 'timed', include: TIMED, sequence: { groupOrder: 1 } } },
    ],
  },
});
