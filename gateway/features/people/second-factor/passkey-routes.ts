import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { passkey, secondFactor } from '#contract/resources/local-tables.ts';
import {
  type PasskeyAnswer,
  passkeyAnswer,
  passkeyBegin,
  passkeyCreationOptions,
  passkeyEnd,
  passkeyInput,
  passkeyMade,
  passkeyRename,
  passkeyRequestOptions,
  passkeysAnswer,
} from '#contract/resources/passkeys.ts';
import { insert, purge, put, update } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { requireAgain } from '../present-password.ts';
import { tellSecondFactor } from './news.ts';
import type { Passkeys } from './passkeys.ts';
import type { Passkey, SecondFactorRouteDeps } from './ports.ts';
import { hasApp, type Proving, type Said } from './prove.ts';
import { newRecoveryCodes, proveAgain, provingOf, sessionOf } from './routes.ts';

type Deps = SecondFactorRouteDeps & { passkeys: Passkeys; proving: Pick<Proving, 'judge' | 'useUp'> };

/** More than anybody has phones and keys. */
const MOST = 20;

const common = { tag: 'Auth', access: { who: 'account' }, token: 'never' } as const;
const path = '/auth/passkeys';
const params = z.object({ passkey_id: idInput });
/** Challenges and recovery codes are in the answer. */
const headers = { 'Cache-Control': 'no-store' };

/** Passkeys: the way in by one, and those of the caller on this instance. */
export function passkeyRoutes(deps: Deps): Route[] {
  return [
    route({
      tag: 'Auth',
      access: { who: 'anyone' },
      method: 'POST',
      path: '/auth/passkey/options',
      summary: 'Begin to sign in with a passkey alone: a challenge, good once within five minutes',
      answers: { 200: { schema: passkeyRequestOptions } },
      async handle({ origin, source }) {
        const body = await deps.passkeys.signInOptions({ origin, source });
        return { answer: { status: 200, body, headers } };
      },
    }),
    route({
      ...common,
      isOpenToSetUp: true,
      method: 'GET',
      path,
      summary:
        'Passkeys of the caller on this instance, and whether they work under the address of the request',
      answers: { 200: { schema: passkeysAnswer } },
      async handle(request) {
        const { party, whyNot, openAt } = deps.partyAt(request.origin);
        const passkeys = (await deps.queries.passkeysOf(signedIn(request).userId)).map(answerOf);
        const here = {
          works_here: party !== null,
          why_not: whyNot,
          open_at: openAt,
          rp_id: party?.id ?? null,
        };
        return { answer: { status: 200, body: { ...here, passkeys } } };
      },
    }),
    route({
      ...common,
      isOpenToSetUp: true,
      method: 'POST',
      path: `${path}/begin`,
      summary: 'Begin to add a passkey, with the present password or within ten minutes of a login',
      body: passkeyBegin,
      answers: { 200: { schema: passkeyCreationOptions } },
      async handle(request) {
        const { source, origin } = request;
        const said = { password: request.body.current_password, source };
        const account = await requireAgain(deps, signedIn(request), said, 'add a passkey');
        const from = { sessionId: sessionOf(request), origin, source };
        const body = await deps.passkeys.creationOptions(account, from);
        return { answer: { status: 200, body, headers } };
      },
    }),
    route({
      ...common,
      isOpenToSetUp: true,
      method: 'POST',
      path,
      answersSecret: true,
      summary: 'Add the passkey that a browser made; from then on the password alone does not sign in here',
      body: passkeyInput,
      answers: { 201: { schema: passkeyMade } },
      async handle(request) {
        const from = { sessionId: sessionOf(request), origin: request.origin };
        const done = await addPasskey(deps, signedIn(request).userId, request.body, from);
        return { ...done, answer: { status: 201, body: done.answer, headers } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/challenge`,
      summary: 'Begin to prove oneself with a passkey, for what asks for one of who is signed in',
      answers: { 200: { schema: passkeyRequestOptions } },
      async handle(request) {
        const body = await deps.passkeys.optionsFor(signedIn(request).userId, provingOf(request));
        if (body === null)
          throw conflict('No passkey of yours can be used under this address now', 'PASSKEYS_NOT_HERE');
        return { answer: { status: 200, body, headers } };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      hasNoTag: true,
      path: `${path}/{passkey_id}`,
      summary: 'Rename a passkey of the caller',
      params,
      body: passkeyRename,
      answers: { 200: { schema: passkeyAnswer } },
      async handle(request) {
        const row = await ownPasskey(deps, signedIn(request).userId, request.params.passkey_id);
        const { name } = request.body;
        const body = answerOf({ ...row, name });
        return { answer: { status: 200, body }, changes: [update(passkey, row.id, { name })] };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${path}/{passkey_id}`,
      summary: 'Remove a passkey; the last way to prove oneself goes with the present password and a proof',
      params,
      body: passkeyEnd,
      answers: { 204: null },
      async handle(request) {
        const { current_password: password, code = null, passkey: signed } = request.body;
        const caller = signedIn(request);
        const known = await ownPasskey(deps, caller.userId, request.params.passkey_id);
        await requireAgain(deps, caller, { password, source: request.source }, 'remove a passkey');
        const said = { ...provingOf(request), code, passkey: signed };
        const done = await removePasskey(deps, known, { ...said, hasPassword: password !== undefined });
        return { ...done, answer: { status: 204 } };
      },
    }),
  ];
}

async function ownPasskey({ queries }: Deps, userId: string, id: string): Promise<Passkey> {
  const known = (await queries.passkeysOf(userId)).find((one) => one.id === id);
  if (known === undefined) throw notFound('Passkey');
  return known;
}

/**
 * Decides a new one, and recovery codes unless the person has some. Throws 422 for what was not made for this session here, 409
 * for one that is known, or one too many.
 */
async function addPasskey(
  deps: Deps,
  userId: string,
  { name, credential }: z.infer<typeof passkeyInput>,
  from: { sessionId: string; origin: string },
): Promise<Decision<z.infer<typeof passkeyMade>>> {
  const guards = [await deps.guard('second_factor', userId), await deps.guard('account', userId)];
  const made = await deps.passkeys.read(credential, from);
  if (made === null)
    throw invalidField(
      422,
      'credential',
      'was not made for this page a moment ago; begin again',
      'PASSKEY_INVALID',
    );
  if ((await deps.queries.passkeyByCredential(made.credentialId)) !== null)
    throw conflict('This passkey is known here already', 'PASSKEY_KNOWN');
  if ((await deps.queries.passkeysOf(userId)).length >= MOST)
    throw conflict(
      `An account has at most ${MOST} passkeys; remove one you no longer use`,
      'TOO_MANY_PASSKEYS',
    );
  const created_at = isoOf(deps.now());
  const row: Passkey = {
    id: deps.newId(),
    user_id: userId,
    rp_id: made.rpId,
    credential_id: made.credentialId,
    public_key: made.publicKey,
    counter: made.counter,
    transports: made.transports,
    name,
    created_at,
    last_used_at: null,
  };
  const factor = await deps.queries.factorOf(userId);
  const hasCodes = factor?.state === 'ON' && factor.recovery_hashes.length > 0;
  const { codes, recovery_hashes } = newRecoveryCodes(deps);
  const changes = [
    insert(passkey, row),
    ...(await tellSecondFactor(deps, userId, 'passkey_added', { name })),
  ];
  if (factor?.state === 'ON') {
    if (!hasCodes) changes.push(update(secondFactor, userId, { recovery_hashes }));
  } else {
    // an app that was begun may still be confirmed
    const pending = factor?.sealed ?? null;
    const state = 'ON' as const;
    const rest = { sealed: '', pending, used_steps: [], created_at, confirmed_at: null };
    changes.push(put(secondFactor, { id: userId, state, recovery_hashes, ...rest }));
  }
  return { answer: { ...answerOf(row), recovery_codes: hasCodes ? null : codes }, changes, guards };
}

/** Decides the end of one. What ends the second factor asks for what its end by the app asks for. */
async function removePasskey(
  deps: Deps,
  { id, user_id, name }: Passkey,
  { hasPassword, ...said }: Said & { hasPassword: boolean },
): Promise<Decision<void>> {
  const guards = [await deps.guard('second_factor', user_id)];
  const factor = await deps.queries.factorOf(user_id);
  const others = (await deps.queries.passkeysOf(user_id)).filter((one) => one.id !== id);
  const changes = [purge(passkey, id)];
  const isLast = others.length === 0 && factor?.state === 'ON' && !hasApp(factor);
  if (isLast) {
    if (!hasPassword) throw invalidField(422, 'current_password', 'is required for the last one', 'REQUIRED');
    await proveAgain(deps, factor, said);
    changes.push(purge(secondFactor, user_id));
  }
  changes.push(...(await tellSecondFactor(deps, user_id, 'passkey_removed', { name })));
  if (isLast) changes.push(...(await tellSecondFactor(deps, user_id, 'off')));
  return { answer: undefined, changes, guards };
}

const answerOf = ({ id, name, rp_id, created_at, last_used_at }: Passkey): PasskeyAnswer => ({
  id,
  name,
  rp_id,
  created_at,
  last_used_at,
});
