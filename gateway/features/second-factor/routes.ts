import {
  type SecondFactorAnswer,
  secondFactorAnswer,
  secondFactorBegin,
  secondFactorBegun,
  secondFactorConfirm,
  secondFactorConfirmed,
  secondFactorEnd,
} from '#contract/resources/second-factor.ts';
import { requirePresentPassword } from '#core/present-password.ts';
import { invalidToken, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { loginRule } from '#core/second-factor.ts';
import type { SecondFactor, SecondFactorRouteDeps } from './ports.ts';
import type { Proving } from './prove.ts';
import { beginSecondFactor, confirmSecondFactor, endSecondFactor } from './set-up.ts';

const common = { tag: 'Auth', access: { who: 'account' }, token: 'never' } as const;
const path = '/auth/second-factor';
/** Secrets are in the answer. */
const headers = { 'Cache-Control': 'no-store' };

/** The second factor of the caller on this instance: set up, looked at, turned off. */
export function secondFactorRoutes(
  deps: SecondFactorRouteDeps & { proving: Pick<Proving, 'judge'> },
): Route[] {
  async function proved(
    request: Pick<Request<unknown, unknown, unknown>, 'caller' | 'source'>,
    password: string,
  ) {
    const account = await deps.accountById(signedIn(request).userId);
    if (account === null) throw invalidToken();
    const said = { field: 'current_password', password, source: request.source };
    await requirePresentPassword(deps, account, said);
    return account;
  }
  const answerOf = (factor: SecondFactor | null): SecondFactorAnswer => ({
    state: factor?.state ?? 'OFF',
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
      summary: 'Turn it off, with the present password and a code',
      body: secondFactorEnd,
      answers: { 204: null },
      async handle(request) {
        const { current_password, code = '' } = request.body;
        const { id } = await proved(request, current_password);
        const done = await endSecondFactor(deps, id, { code, source: request.source });
        return { ...done, answer: { status: 204 } };
      },
    }),
  ];
}
