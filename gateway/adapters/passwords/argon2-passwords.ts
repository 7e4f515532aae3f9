import { availableParallelism } from 'node:os';
import { hash, verify } from 'argon2';
import { AppError } from '#core/errors.ts';
import type { Passwords } from '#features/accounts/ports.ts';
import { takeTurns } from './take-turns.ts';

/** Current guidance for argon2id: 19 MiB, 2 passes, 1 lane. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1, hashLength: 32 };
/** Costs as much to check as a real one, and no password fits it. */
const NOBODY = `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * argon2id, few at a time: each needs 19 MiB and a core, and aeration runs on the same box. The others wait in a
 * line of bounded length, in which sources take turns.
 */
export function argon2Passwords(
  bounds: { parallel?: number; waiting?: number; waitingPerSource?: number } = {},
): Passwords {
  const line = takeTurns({
    // node has four threads for such work; files and names need one
    parallel: bounds.parallel ?? Math.max(1, Math.min(3, availableParallelism() - 1)),
    waiting: bounds.waiting ?? 256,
    waitingPerSource: bounds.waitingPerSource ?? 128,
    refuse: () =>
      new AppError(503, 'Too many people log in at this moment; please try again', {
        code: 'BUSY',
        headers: { 'Retry-After': '5' },
      }),
  });
  return {
    hash: (password, source) => line(source, () => hash(composed(password), COST)),
    verify: (digest, password, source) => line(source, () => verify(digest ?? NOBODY, composed(password))),
  };
}

/** The same characters are the same password, whichever keyboard composed them. */
const composed = (password: string): string => password.normalize('NFKC');
