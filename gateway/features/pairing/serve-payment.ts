import type * as z from 'zod';
import type { paymentRequest } from '#contract/sync/wire.ts';
import { notFound } from '#core/errors.ts';

type Customer = { userId: string; language: 'pt-BR' | 'en'; origin: string };
type Wish = {
  plan: Ask<'checkout'>['plan'];
  successUrl: string;
  cancelUrl: string;
  currency: 'BRL' | 'USD' | null;
};
type Ask<Is> = Extract<z.infer<typeof paymentRequest>['ask'], { is: Is }>;

export type ServePaymentDeps = {
  desk: {
    checkout: (customer: Customer, wish: Wish) => Promise<unknown>;
    portal: (customer: Customer, returnUrl: string) => Promise<unknown>;
    cancel: (customer: Customer, wish: Pick<Ask<'cancel'>, 'when' | 'reason'>) => Promise<unknown>;
  };
  /** True for an account of this instance that owns the gateway, or owns or works on a farm that it runs. */
  isOnStream: (userId: string, streamId: number) => Promise<boolean>;
};

/**
 * What a person on a gateway asks of the payment desk. A gateway speaks for people of its own farms only; cards are
 * entered on the provider's page, which the gateway never sees. Throws 404 for anybody else.
 */
export async function servePayment(
  deps: ServePaymentDeps,
  streamId: number,
  { user_id: userId, language, ask }: z.infer<typeof paymentRequest>,
  origin: string,
): Promise<unknown> {
  if (!(await deps.isOnStream(userId, streamId))) throw notFound('Account');
  const customer = { userId, language, origin };
  switch (ask.is) {
    case 'checkout': {
      const { plan, success_url: successUrl, cancel_url: cancelUrl, currency } = ask;
      return deps.desk.checkout(customer, { plan, successUrl, cancelUrl, currency });
    }
    case 'portal':
      return deps.desk.portal(customer, ask.return_url);
    case 'cancel':
      return deps.desk.cancel(customer, { when: ask.when, reason: ask.reason });
  }
}
