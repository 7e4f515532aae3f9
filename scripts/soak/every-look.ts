import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/**
 * Every screen of the console in every size, theme, language and state, looked at by axe, and a thousand cuts of its line:
 * the tests that look at a part of it each time, told to look at all. Answers whether all is well.
 */
export async function soakConsole({ seed }: { seed: number }): Promise<boolean> {
  const vitest = dirname(createRequire(import.meta.url).resolve('vitest/package.json'));
  const files = ['every-screen', 'cut-stream'].map((name) => `test/console/${name}.browser.test.ts`);
  const run = spawn(
    process.execPath,
    [join(vitest, 'vitest.mjs'), 'run', '--project', 'browser', '--testTimeout', '60000', ...files],
    {
      stdio: 'inherit',
      env: { ...process.env, CONSOLE_LOOKS: 'all', CONSOLE_CUTS: '1000', CONSOLE_SEED: String(seed) },
    },
  );
  const [code] = (await once(run, 'exit')) as [number | null];
  return code === 0;
}
