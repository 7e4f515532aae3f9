import type { Card, CheckoutSession, Invoice, SandboxSubscription } from './objects.ts';

// The built-in provider's things as Stripe's events show them, so that one reader serves both.

export const secondsOf = (instant: string): number => Math.floor(Date.parse(instant) / 1000);

export function shownSubscription({ id, customer_id, body }: SandboxSubscription): Record<string, unknown> {
  const period = {
    current_period_start: secondsOf(body.period_start),
    current_period_end: secondsOf(body.period_end),
  };
  return {
    id,
    object: 'subscription',
    status: body.status,
    customer: customer_id,
    currency: body.currency.toLowerCase(),
    created: secondsOf(body.started_at),
    cancel_at_period_end: body.cancel_at_period_end,
    metadata: { user_id: body.user_id, plan: body.plan },
    items: {
      object: 'list',
      data: [
        {
          id: `si_${id}`,
          object: 'subscription_item',
          price: { id: `price_${body.plan}`, object: 'price', metadata: { plan: body.plan } },
          ...period,
        },
      ],
    },
    ended_at: body.ended_at === null ? null : secondsOf(body.ended_at),
  };
}

export function shownInvoice({ id, customer_id, body }: Invoice): Record<string, unknown> {
  return {
    id,
    object: 'invoice',
    number: body.number,
    status: body.status,
    customer: customer_id,
    currency: body.currency.toLowerCase(),
    amount_due: body.amount,
    amount_paid: body.status === 'paid' ? body.amount : 0,
    attempt_count: body.attempts,
    next_payment_attempt: body.next_attempt_at === null ? null : secondsOf(body.next_attempt_at),
    billing_reason: body.reason,
    hosted_invoice_url: body.url,
    parent: { type: 'subscription_details', subscription_details: { subscription: body.subscription_id } },
    lines: {
      object: 'list',
      data: [{ period: { start: secondsOf(body.period_start), end: secondsOf(body.period_end) } }],
    },
  };
}

export function shownSession({ id, customer_id, body }: CheckoutSession): Record<string, unknown> {
  return {
    id,
    object: 'checkout.session',
    mode: 'subscription',
    status: body.status,
    customer: customer_id,
    subscription: body.subscription_id,
    client_reference_id: body.user_id,
    payment_status: body.payment_status,
    currency: body.currency.toLowerCase(),
    metadata: { user_id: body.user_id, plan: body.plan },
  };
}

export function shownCard(card: Card, customerId: string): Record<string, unknown> {
  return { object: 'card', customer: customerId, ...card, behaviour: undefined };
}
