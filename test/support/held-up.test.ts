import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { heldUpFromNow, heldUpMs } from './held-up.ts';

const BUSY_MS = 600;
const busy = `const end = performance.now() + ${BUSY_MS}; while (performance.now() < end);`;

it.skipIf(!existsSync('/proc/self/schedstat'))(
  'of more busy processes than there are processors some are held up, and a process alone does not wait longer than it runs',
  async () => {
    const since = performance.now();
    const heldUp = heldUpFromNow();
    const own = heldUpMs();
    const crowd = Array.from({ length: 3 * availableParallelism() }, () =>
      spawn(process.execPath, ['-e', busy], { stdio: 'ignore' }),
    );
    const ended = Promise.all(crowd.map((one) => once(one, 'exit')));
    // while they run: who is over is not asked any more
    await expect.poll(heldUp).toBeGreaterThan(50);
    expect(heldUpMs() - own).toBeLessThanOrEqual(performance.now() - since);
    await ended;
  },
);
