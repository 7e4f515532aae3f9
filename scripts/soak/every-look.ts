import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { FIRST_VERSION } from '../versions/version-package.ts';

/**
 * Every screen of the console in every size, theme, language and state, looked at by axe, and a thousand cuts of its line:
 * the tests that look at a part of it each time, told to look at all. Answers whether all is well.
 */
export function soakConsole({ seed }: { seed: number }): Promise<boolean> {
  const files = ['every-screen', 'cut-stream'].map((name) => `test/console/${name}.browser.test.ts`);
  return wholeTests(files, { CONSOLE_LOOKS: 'all', CONSOLE_CUTS: '1000', CONSOLE_SEED: String(seed) });
}

/** Every bench in its quick form and every week of the demo, of which the tests run a few each time. Answers whether all is well. */
export const soakBenches = (): Promise<boolean> =>
  wholeTests(['test/scripts/bench.test.ts', 'test/scripts/demo.test.ts'], { BENCHES: 'all' });

/** Kill X while Y is temporary, so often, each time at other moments. Answers whether all is well. */
export const soakTemporary = (rounds: number): Promise<boolean> =>
  wholeTests(
    ['kill-while-temporary', 'remote-orders', 'order-end'].map((name) => `test/real/${name}.test.ts`),
    {
      TEMPORARY_ROUNDS: String(rounds),
    },
  );

/** So many messages of a gateway and of a hosted instance in other hands, a third to each engine and a third to the gateway. Answers whether all is well. */
export const soakAdversary = ({ messages, seed }: { messages: number; seed: number }): Promise<boolean> =>
  wholeTests(['test/sync/adversary'], {
    ADVERSARY_MESSAGES: String(Math.ceil(messages / 3)),
    ADVERSARY_SEED: String(seed),
  });

/** The first version that synchronises, and the last one before schemas were counted. */
const VERSIONS = [FIRST_VERSION, '37870d5'];

/** Older versions beside today's, in each of the places a program may have. Answers whether all is well. */
export const soakVersions = (): Promise<boolean> =>
  wholeTests(['test/versions'], { VERSIONS: VERSIONS.join(',') });

async function wholeTests(files: readonly string[], more: Record<string, string>): Promise<boolean> {
  const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
  const run = spawn(process.execPath, [join(vitest, 'vitest.mjs'), 'run', ...files], {
    stdio: 'inherit',
    env: { ...process.env, ...more },
  });
  const [code] = (await once(run, 'exit')) as [number | null];
  return code === 0;
}
