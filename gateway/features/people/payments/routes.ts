import { errorBody } from '#contract/fields.ts';
import {
  cancelInput,
  cancelledSubscription,
  checkoutInput,
  checkoutSession,
  eventReceived,
  portalInput,
  portalSession,
} from '#contract/resources/payments.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Customer, PaymentDesk } from './ports.ts';
import { type TakeEventDeps, takeEvent } from './take-event.ts';

export type PaymentRoutesDeps = TakeEventDeps & {
  desk: PaymentDesk;
  /** Address of this instance for people; null: the one the caller used. */
  publicUrl: string | null;
};

/** Events of the provider are a few KiB. */
const MAX_EVENT_BYTES = 524_288;

const common = { method: 'POST', tag: 'Payments', access: { who: 'account' } } as const;

export function paymentRoutes(deps: PaymentRoutesDeps): Route[] {
  const customer = (request: Request<unknown, unknown, unknown>): Customer => ({
    userId: signedIn(request).userId,
    language: request.language,
    origin: deps.publicUrl ?? request.origin,
  });
  const portalRoute = (path: string) =>
    route({
      ...common,
      path,
      summary: 'Get the address of the billing portal: invoices, payment method, cancellation',
      body: portalInput,
      answers: { 200: { schema: portalSession } },
      async handle(request) {
        const body = await deps.desk.portal(customer(request), request.body.return_url);
        return { answer: { status: 200, body } };
      },
    });
  return [
    route({
      ...common,
      path: '/payment/create-checkout-session',
      summary: 'Get the address of a page that sells a plan to the caller',
      body: checkoutInput,
      idempotent: true,
      answers: { 200: { schema: checkoutSession } },
      async handle(request) {
        const { plan, success_url: successUrl, cancel_url: cancelUrl, currency = null } = request.body;
        const input = { plan, successUrl, cancelUrl, currency };
        return { answer: { status: 200, body: await deps.desk.checkout(customer(request), input) } };
      },
    }),
    portalRoute('/payment/create-billing-portal'),
    portalRoute('/payment/create-portal-session'),
    route({
      ...common,
      path: '/payment/cancel-subscription',
      summary: 'Cancel the subscription of the caller, at the end of what is paid or at once',
      body: cancelInput,
      answers: { 200: { schema: cancelledSubscription }, 402: { schema: errorBody } },
      async handle(request) {
        const { cancel_at_period_end, reason = null } = request.body;
        const when = cancel_at_period_end ? ('at period end' as const) : ('now' as const);
        return { answer: { status: 200, body: await deps.desk.cancel(customer(request), { when, reason }) } };
      },
    }),
    webhookRoute(deps),
  ];
}

function webhookRoute(deps: TakeEventDeps): Route {
  return route({
    method: 'POST',
    path: '/payment/webhook',
    tag: 'Payments',
    summary: 'Events of the payment provider, signed by it; an event that comes twice counts once',
    // the signature is the credential
    access: { who: 'anyone' },
    takes: { media: 'application/json', maxBytes: MAX_EVENT_BYTES },
    answers: { 200: { schema: eventReceived } },
    async handle({ upload, signature }) {
      const event = deps.provider.readEvent(upload ?? new Uint8Array(), signature);
      const taken = await takeEvent(deps, event);
      return { ...taken, answer: { status: 200, body: { received: true } } };
    },
  });
}
