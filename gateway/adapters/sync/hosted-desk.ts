import type * as z from 'zod';
import { cancelledSubscription, checkoutSession, portalSession } from '#contract/resources/payments.ts';
import type { paymentRequest } from '#contract/sync/wire.ts';
import { AppError } from '#core/errors.ts';
import type { Customer, PaymentDesk } from '#features/payments/ports.ts';
import { type AskHosted, HostedRefused, HostedUnreachable } from './ask-hosted.ts';

type Ask = z.infer<typeof paymentRequest>['ask'];

/** Payments of a paired gateway: the hosted instance sells, this one only asks it. */
export function hostedDesk(deps: {
  ask: AskHosted;
  /** null: not paired, so the gateway's own desk serves. */
  hostedUrl: () => Promise<string | null>;
  sessionToken: () => Promise<string>;
  own: PaymentDesk;
}): PaymentDesk {
  async function asked<Answer>(
    { userId, language }: Customer,
    ask: Ask,
    answer: z.ZodType<Answer>,
    atHome: () => Promise<Answer>,
  ): Promise<Answer> {
    const url = await deps.hostedUrl();
    if (url === null) return atHome();
    try {
      const token = await deps.sessionToken();
      const body = { user_id: userId, language, ask };
      return await deps.ask({ url, path: '/sync/v1/payment', token, body }, answer);
    } catch (error) {
      throw toldAs(error);
    }
  }
  return {
    checkout: (customer, input) =>
      asked(
        customer,
        {
          is: 'checkout',
          plan: input.plan,
          success_url: input.successUrl,
          cancel_url: input.cancelUrl,
          currency: input.currency,
        },
        checkoutSession,
        () => deps.own.checkout(customer, input),
      ),
    portal: (customer, returnUrl) =>
      asked(customer, { is: 'portal', return_url: returnUrl }, portalSession, () =>
        deps.own.portal(customer, returnUrl),
      ),
    cancel: (customer, wish) =>
      asked(customer, { is: 'cancel', ...wish }, cancelledSubscription, () =>
        deps.own.cancel(customer, wish),
      ),
  };
}

function toldAs(error: unknown): unknown {
  if (error instanceof HostedUnreachable) return outOfReach();
  if (!(error instanceof HostedRefused)) return error;
  const { status, code, detail } = error.refused;
  // what the hosted instance says about the wish is for the person; what it says about this gateway is not
  return status < 500 && !code.startsWith('SYNC_') ? new AppError(status, detail, { code }) : outOfReach();
}

const outOfReach = () =>
  new AppError(
    503,
    'Plans are sold by the hosted instance, which this gateway does not reach now; aeration and records go on, please try again later',
    { code: 'HOSTED_UNREACHABLE', headers: { 'Retry-After': '60' } },
  );
