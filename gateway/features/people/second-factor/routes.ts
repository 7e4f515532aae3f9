import {
  type SecondFactorAnswer,
  secondFactorAnswer,
  secondFactorBegin,
  secondFactorBegun,
  secondFactorConfirm,
  secondFactorConfirmed,
  secondFactorEnd,
} from '#contract/resources/second-factor.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { requireAgain } from '../present-password.ts';
import { loginRule } from '../second-factor.ts';
import { FOR } from './passkeys.ts';
import type { SecondFactor, SecondFactorRouteDeps } from './ports.ts';
import { hasApp, type Proving } from './prove.ts';
import { beginSecondFactor, confirmSecondFactor, endSecondFactor } from './set-up.ts';

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
