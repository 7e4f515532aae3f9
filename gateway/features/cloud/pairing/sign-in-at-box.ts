import type * as z from 'zod';
import { emailKeyOf } from '#contract/resources/users.ts';
import type { signInAnswer, signInRequest } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import type { Decision } from '#core/use-case.ts';
import { type AttemptLimit, tooManyAttempts } from '#features/people/attempts.ts';
import type { ProveSecondFactor } from '#features/people/second-factor.ts';
import type { PairingQueries } from './ports.ts';

export type SignInAtBoxDeps = {
  queries: Pick<PairingQueries, 'accountByEmail' | 'isOnStream' | 'openLost'>;
  verifyPassword: (hash: string | null, password: string, source: string) => Promise<boolean>;
  /** Per gateway and address: a stolen box guesses no faster than anybody else. */
  wrongSignIns: AttemptLimit;
  proveSecondFactor: ProveSecondFactor;
};

/**
 * Says whether that is the password of somebody of the gateway's farms. Nobody else is known to it, and no ADMIN: their
 * accounts open nothing at a farm. A second factor that the person has here is asked for here, unless the gateway asks for
 * its own: a password alone would open at a box what it does not open here. Throws 401 in one time and in the same words,
 * 429 after ten wrong ones.
 */
export async function signInAtBox(
  { queries, verifyPassword, wrongSignIns, proveSecondFactor }: SignInAtBoxDeps,
  { streamId, source }: { streamId: number; source: string },
  { email, password, second_factor: code, asks_second_factor = false }: z.infer<typeof signInRequest>,
): Promise<Decision<z.infer<typeof signInAnswer>>> {
  const emailKey = emailKeyOf(email);
  const attempt = `${streamId} ${emailKey}`;
  const waitMs = await wrongSignIns.take(attempt);
  if (waitMs !== null) throw tooManyAttempts('Too many failed attempts to log in with this email', waitMs);
  const account = await queries.accountByEmail(emailKey);
  const isTheirs =
    account !== null &&
    account.role !== 'ADMIN' &&
    (await queries.isOnStream(account.id, streamId)) &&
    // that gateway knows of a later password, which this instance lost
    !(await queries.openLost(account.id, 'password')).some((lost) => lost.stream_id === streamId);
  const isRight = await verifyPassword(isTheirs ? account.password_hash : null, password, source).catch(
    async (error: unknown) => {
      await wrongSignIns.giveBack(attempt);
      throw error;
    },
  );
  if (!isTheirs || !isRight)
    throw new AppError(401, 'Incorrect email or password', { code: 'INCORRECT_CREDENTIALS' });
  await wrongSignIns.forget(attempt);
  const answer = { user_id: account.id, password_version: account.password_version };
  if (asks_second_factor) return { answer };
  const { changes, guards } = await proveSecondFactor(account, { code: code ?? null, source: attempt });
  return { answer, changes, guards };
}
