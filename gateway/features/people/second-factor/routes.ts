import { secondFactor } from '#contract/resources/local-tables.ts';
import {
  type SecondFactorAnswer,
  secondFactorAnswer,
  secondFactorBegin,
  secondFactorBegun,
  secondFactorConfirm,
  secondFactorConfirmed,
  secondFactorEnd,
} from '#contract/resources/second-factor.ts';
import { purge, put, update } from '#core/changes.ts';
import { AppError, conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { requireAgain } from '../present-password.ts';
import { loginRule } from '../second-factor.ts';
import { tellSecondFactor } from './news.ts';
import { FOR } from './passkeys.ts';
import type { SecondFactor, SecondFactorRouteDeps } from './ports.ts';
import { hasApp, type Proving, type Said, type Used } from './prove.ts';

const common = { tag: 'Auth', access: { who: 'account' }, token: 'never', isOpenToSetUp: true } as const;
const path = '/auth/second-factor';
/** Secrets are in the answer. */
const headers = { 'Cache-Control': 'no-store' };

/** The second factor of the caller on this instance: set up, looked at, turned off. */
export function secondFactorRoutes(
  deps: SecondFactorRouteDeps & { proving: Pick<Proving, 'judge' | 'useUp'> },
): Route[] {
  const proved = (request: Pick<Request<unknown, unknown, unknown>, 'caller' | 'source'>, password: string) =>
    requireAgain(deps, signedIn(request), { password, source: request.source }, '');
  const answerOf = (factor: SecondFactor | null): SecondFactorAnswer => ({
    state: stateOf(factor),
    confirmed_at: factor?.confirmed_at ?? null,
    recovery_codes_left: factor?.recovery_hashes.length ?? 0,
    judges_codes: loginRule(deps.clock(), { isAtFarm: false }) === 'code',
  });
  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Whether a login of the caller needs a second factor on this instance',
      answers: { 200: { schema: secondFactorAnswer } },
      async handle(request) {
        const factor = await deps.queries.factorOf(signedIn(request).userId);
        return { answer: { status: 200, body: answerOf(factor) } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path,
      answersSecret: true,
      summary: 'Begin to set up a second factor: a secret for an authenticator app, shown once',
      body: secondFactorBegin,
      answers: { 201: { schema: secondFactorBegun } },
      async handle(request) {
        const account = await proved(request, request.body.current_password);
        const begun = await beginSecondFactor(deps, account);
        return { ...begun, answer: { status: 201, body: begun.answer, headers } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/confirm`,
      answersSecret: true,
      summary: 'Turn it on with a code that the app shows; answers ten recovery codes, shown once',
      body: secondFactorConfirm,
      answers: { 200: { schema: secondFactorConfirmed } },
      async handle(request) {
        const said = { code: request.body.code, source: request.source };
        const done = await confirmSecondFactor(deps, signedIn(request).userId, said);
        return { ...done, answer: { status: 200, body: done.answer, headers } };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Turn the app off, with the present password and a code or a passkey; passkeys go on',
      body: secondFactorEnd,
      answers: { 204: null },
      async handle(request) {
        const { current_password, code = null, passkey } = request.body;
        const { id } = await proved(request, current_password);
        const done = await endSecondFactor(deps, id, { ...provingOf(request), code, passkey });
        return { ...done, answer: { status: 204 } };
      },
    }),
  ];
}

/** Of the app: a factor may be passkeys alone, beside which one is being set up. */
function stateOf(factor: SecondFactor | null): SecondFactorAnswer['state'] {
  if (factor === null) return 'OFF';
  if (hasApp(factor)) return 'ON';
  return factor.state === 'PENDING' || factor.pending !== null ? 'PENDING' : 'OFF';
}

type Asked = Pick<Request<unknown, unknown, unknown>, 'caller' | 'source' | 'origin'>;

/** Which login a challenge belongs to: it and its renewals. */
export const sessionOf = (request: Asked): string => signedIn(request).login?.id ?? signedIn(request).tokenId;

/** What is said by who is signed in already, before something is taken off. */
export const provingOf = (request: Asked) => ({
  purpose: FOR.proving(sessionOf(request)),
  source: request.source,
  origin: request.origin,
});

type Deps = SecondFactorRouteDeps & { proving: Pick<Proving, 'judge' | 'useUp'> };
type Begun = { secret: string; uri: string };

/** Decides a new secret, which counts for nothing until a code proves it. Throws 409 when there is an app. */
async function beginSecondFactor(
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
async function confirmSecondFactor(
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
async function endSecondFactor(deps: Deps, userId: string, said: Said): Promise<Decision<void>> {
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
