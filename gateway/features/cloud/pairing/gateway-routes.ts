import { called } from '#contract/commands.ts';
import { type PairingAnswer, pairingAnswer, pairingInput } from '#contract/resources/gateways.ts';
import { type AppError, forbidden, invalidField } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { MayOnBox } from '#features/people/box-rights.ts';
import type { LocalPairing } from './local-pairing.ts';

export type GatewayPairingDeps = {
  pairing: LocalPairing;
  /** Hosted instance this gateway is set up for. */
  hostedUrl: string | null;
  mayOnBox: MayOnBox;
  ownsFarm: (userId: string) => Promise<boolean>;
  /** Says in one sentence what kept the hosted instance from answering; rethrows what is a fault of ours. */
  unreachable: (error: unknown) => AppError;
};

const common = {
  tag: 'Gateways',
  path: '/sync/pairing',
  token: 'never',
} as const;

/** Pairing as people see it on the gateway. */
export function gatewayPairingRoutes(deps: GatewayPairingDeps): Route[] {
  return [
    route({
      ...common,
      access: { who: 'account' },
      method: 'GET',
      answersSecret: true,
      summary: 'Whether this gateway is paired, and the code while somebody is to enter it',
      answers: { 200: { schema: pairingAnswer } },
      async handle(request) {
        const shown = await deps.pairing.show();
        const body = (await mayPair(deps, signedIn(request))) ? shown : withoutCode(shown);
        return { answer: { status: 200, body } };
      },
    }),
    route({
      ...common,
      access: { who: 'box', right: 'keep' },
      method: 'POST',
      answersSecret: true,
      summary: 'Begin to pair this gateway with a hosted instance: it shows a code to enter there',
      body: pairingInput,
      answers: { 201: { schema: pairingAnswer } },
      async handle(request) {
        const caller = signedIn(request);
        if (!(await mayPair(deps, caller)))
          throw forbidden(`Who pairs this box must have a farm on it; at the box: ${called('pair')}`);
        const hostedUrl = request.body.hosted_url ?? deps.hostedUrl;
        if (hostedUrl === null)
          throw invalidField(422, 'hosted_url', 'is missing: say the address of the hosted instance');
        const wish = { hostedUrl, name: request.body.name, startedBy: caller.userId };
        await deps.pairing.start(wish).catch((error: unknown) => {
          throw deps.unreachable(error);
        });
        return { answer: { status: 201, body: await deps.pairing.show() } };
      },
    }),
    route({
      ...common,
      access: { who: 'box', right: 'keep' },
      method: 'DELETE',
      summary:
        'End the pairing from this side; farm and local accounts go on, people of the hosted instance go',
      answers: { 204: null },
      async handle(request) {
        await deps.pairing.unpair(signedIn(request).userId);
        return { answer: { status: 204 } };
      },
    }),
  ];
}

/** Whoever claims the gateway owns its farms then, so only who keeps the box and has a farm on it may begin. */
async function mayPair(deps: GatewayPairingDeps, { role, userId }: Caller): Promise<boolean> {
  if (role === 'ADMIN') return true;
  return (await deps.mayOnBox('keep', userId)) && (await deps.ownsFarm(userId));
}

const withoutCode = (shown: PairingAnswer): PairingAnswer => ({
  ...shown,
  user_code: null,
  verification_uri: null,
  qr_text: null,
});
