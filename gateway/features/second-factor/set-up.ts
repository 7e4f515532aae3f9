import { secondFactor } from '#contract/resources/local-tables.ts';
import { purge, put, update } from '#core/changes.ts';
import { AppError, conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { loginRule } from '#core/second-factor.ts';
import type { Decision } from '#core/use-case.ts';
import { tellSecondFactor } from './news.ts';
import type { SecondFactor, SecondFactorRouteDeps } from './ports.ts';
import type { Proving } from './prove.ts';

type Deps = SecondFactorRouteDeps & { proving: Pick<Proving, 'judge'> };
type Begun = { secret: string; uri: string };

/** Decides a new secret, which counts for nothing until a code proves it. Throws 409 when a second factor is on. */
export async function beginSecondFactor(
  deps: Deps,
  account: { id: string; email: string },
): Promise<Decision<Begun>> {
  const guards = [await deps.guard('second_factor', account.id), await deps.guard('account', account.id)];
  const known = await deps.queries.factorOf(account.id);
  if (known?.state === 'ON')
    throw conflict('The second factor is on; turn it off before you set up another one', 'SECOND_FACTOR_ON');
  const secret = deps.codes.newSecret();
  const row: SecondFactor = {
    id: account.id,
    state: 'PENDING',
    sealed: deps.seal.seal(account.id, secret),
    used_steps: [],
    recovery_hashes: [],
    created_at: isoOf(deps.now()),
    confirmed_at: null,
  };
  const uri = deps.codes.uriOf(secret, { issuer: deps.issuer, account: account.email });
  return { answer: { secret, uri }, changes: [put(secondFactor, row)], guards };
}

/**
 * Decides that it is on, and the recovery codes, which are in the answer and nowhere else. Throws 422 for a code that the
 * app does not show now, 409 while none can be judged.
 */
export async function confirmSecondFactor(
  deps: Deps,
  userId: string,
  said: { code: string; source: string },
): Promise<Decision<{ recovery_codes: string[] }>> {
  const guards = [await deps.guard('second_factor', userId)];
  const factor = await deps.queries.factorOf(userId);
  if (factor === null) throw notFound('Second factor');
  if (factor.state === 'ON') throw conflict('The second factor is on already', 'SECOND_FACTOR_ON');
  if (loginRule(deps.clock(), { isAtFarm: false }) !== 'code')
    throw conflict(
      'The clock here is not to be trusted, so no code can be judged; try again when it is right',
      'CLOCK_UNTRUSTED',
    );
  const used = await deps.proving.judge(factor, said, 'code').catch(atField);
  const codes = deps.recovery.make();
  const set = {
    state: 'ON' as const,
    confirmed_at: isoOf(deps.now()),
    used_steps: 'step' in used ? [used.step] : [],
    recovery_hashes: codes.map(deps.recovery.hashOf),
  };
  const told = await tellSecondFactor(deps, userId, 'on');
  return {
    answer: { recovery_codes: codes },
    changes: [update(secondFactor, userId, set), ...told],
    guards,
  };
}

/** Decides that it is off; one that was only begun needs no code. Throws 404 when there is none, 422 for a wrong code. */
export async function endSecondFactor(
  deps: Deps,
  userId: string,
  said: { code: string; source: string },
): Promise<Decision<void>> {
  const guards = [await deps.guard('second_factor', userId)];
  const factor = await deps.queries.factorOf(userId);
  if (factor === null) throw notFound('Second factor');
  const changes = [purge(secondFactor, userId)];
  if (factor.state === 'PENDING') return { answer: undefined, changes, guards };
  // nobody is spared here: what is turned off stays off when the clock is right again
  await deps.proving.judge(factor, said, loginRule(deps.clock(), { isAtFarm: false })).catch(atField);
  changes.push(...(await tellSecondFactor(deps, userId, 'off')));
  return { answer: undefined, changes, guards };
}

/** A caller with a good token is not signed out for a mistyped code. */
function atField(error: unknown): never {
  if (error instanceof AppError && error.extras.code === 'SECOND_FACTOR_WRONG')
    throw invalidField(422, 'code', 'is not a code that counts now', 'SECOND_FACTOR_WRONG');
  throw error;
}
