import { secondFactor } from '#contract/resources/local-tables.ts';
import { purge, put, update } from '#core/changes.ts';
import { AppError, conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { loginRule } from '../second-factor.ts';
import { tellSecondFactor } from './news.ts';
import type { SecondFactor, SecondFactorRouteDeps } from './ports.ts';
import { hasApp, type Proving, type Said, type Used } from './prove.ts';

type Deps = SecondFactorRouteDeps & { proving: Pick<Proving, 'judge' | 'useUp'> };
type Begun = { secret: string; uri: string };

/** Decides a new secret, which counts for nothing until a code proves it. Throws 409 when there is an app. */
export async function beginSecondFactor(
  deps: Deps,
  account: { id: string; email: string },
): Promise<Decision<Begun>> {
  const guards = [await deps.guard('second_factor', account.id), await deps.guard('account', account.id)];
  const known = await deps.queries.factorOf(account.id);
  if (known !== null && hasApp(known))
    throw conflict('The second factor is on; turn it off before you set up another one', 'SECOND_FACTOR_ON');
  const secret = deps.codes.newSecret();
  const sealed = deps.seal.seal(account.id, secret);
  const uri = deps.codes.uriOf(secret, { issuer: deps.issuer, account: account.email });
  const change =
    known?.state === 'ON'
      ? update(secondFactor, account.id, { pending: sealed })
      : put(secondFactor, {
          id: account.id,
          state: 'PENDING' as const,
          sealed,
          pending: null,
          used_steps: [],
          recovery_hashes: [],
          created_at: isoOf(deps.now()),
          confirmed_at: null,
        });
  return { answer: { secret, uri }, changes: [change], guards };
}

/**
 * Decides that it is on, and the recovery codes, which are in the answer and nowhere else; those of before end. Throws 422 for a
 * code that the app does not show now, 409 while none can be judged.
 */
export async function confirmSecondFactor(
  deps: Deps,
  userId: string,
  said: { code: string; source: string },
): Promise<Decision<{ recovery_codes: string[] }>> {
  const guards = [await deps.guard('second_factor', userId)];
  const factor = await deps.queries.factorOf(userId);
  if (factor === null) throw notFound('Second factor');
  if (hasApp(factor)) throw conflict('The second factor is on already', 'SECOND_FACTOR_ON');
  const sealed = factor.state === 'ON' ? factor.pending : factor.sealed;
  if (sealed === null) throw notFound('Second factor');
  if (loginRule(deps.clock(), { isAtFarm: false }) !== 'code')
    throw conflict(
      'The clock here is not to be trusted, so no code can be judged; try again when it is right',
      'CLOCK_UNTRUSTED',
    );
  // a code of the new app and of nothing else
  const begun = { ...factor, sealed, used_steps: [], recovery_hashes: [] };
  const used = await deps.proving.judge(begun, { ...said, purpose: '', origin: null }, 'code').catch(atField);
  const { codes, recovery_hashes } = newRecoveryCodes(deps);
  const set = {
    state: 'ON' as const,
    sealed,
    pending: null,
    confirmed_at: isoOf(deps.now()),
    used_steps: 'step' in used ? [used.step] : [],
    recovery_hashes,
  };
  const told = await tellSecondFactor(deps, userId, 'on');
  return {
    answer: { recovery_codes: codes },
    changes: [update(secondFactor, userId, set), ...told],
    guards,
  };
}

/**
 * Decides that no app is asked for; one that was only begun needs no code. Passkeys go on, and their recovery codes. Throws 404
 * when there is none, 422 for a wrong code.
 */
export async function endSecondFactor(deps: Deps, userId: string, said: Said): Promise<Decision<void>> {
  const guards = [await deps.guard('second_factor', userId)];
  const factor = await deps.queries.factorOf(userId);
  if (factor === null) throw notFound('Second factor');
  if (factor.state === 'PENDING')
    return { answer: undefined, changes: [purge(secondFactor, userId)], guards };
  if (!hasApp(factor)) {
    if (factor.pending === null) throw notFound('Second factor');
    return { answer: undefined, changes: [update(secondFactor, userId, { pending: null })], guards };
  }
  const used = await proveAgain(deps, factor, said);
  const isLast = (await deps.queries.passkeysOf(userId)).length === 0;
  const changes = isLast
    ? [purge(secondFactor, userId)]
    : [
        ...(await deps.proving.useUp(factor, used)),
        update(secondFactor, userId, { sealed: '', pending: null, used_steps: [], confirmed_at: null }),
      ];
  changes.push(...(await tellSecondFactor(deps, userId, isLast ? 'off' : 'app_off')));
  return { answer: undefined, changes, guards };
}

/** The rule for whatever is taken off by who is signed in: nobody is spared, so that it stays off when the clock is right again. */
export const proveAgain = (deps: Deps, factor: SecondFactor, said: Said): Promise<Used> =>
  deps.proving.judge(factor, said, loginRule(deps.clock(), { isAtFarm: false })).catch(atField);

export function newRecoveryCodes({ recovery }: Pick<Deps, 'recovery'>) {
  const codes = recovery.make();
  return { codes, recovery_hashes: codes.map(recovery.hashOf) };
}

/** A caller with a good token is not signed out for a mistyped code. */
function atField(error: unknown): never {
  if (!(error instanceof AppError)) throw error;
  if (error.extras.code === 'SECOND_FACTOR_WRONG')
    throw invalidField(422, 'code', 'is not a code that counts now', 'SECOND_FACTOR_WRONG');
  if (error.extras.code === 'PASSKEY_COPIED')
    throw invalidField(422, 'passkey', error.message, 'PASSKEY_COPIED');
  throw error;
}
