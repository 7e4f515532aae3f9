import type { SoldPlan } from '#features/people/payments/ports.ts';
import {
  type BillingDeps,
  charge,
  type Debt,
  type Declined,
  invoicePaid,
  later,
  make,
  merged,
  monthsAfter,
  newInvoice,
  type Outcome,
  paidWith,
  priceOf,
  updated,
} from './billing.ts';
import {
  type BodyOf,
  type Card,
  type CheckoutSession,
  type Customer,
  type SandboxSubscription,
  shownInvoice,
  shownSession,
  shownSubscription,
  withBody,
} from './objects.ts';

// What happens on the checkout page; pure.

export type Purchase = { session: CheckoutSession; customer: Customer; card: Card };

/** How long a session is kept once it is over, for who comes back to its page. */
const KEPT_AFTER_END_MS = 7 * 86_400_000;
/** How long the card that pays later takes. */
const LATER_MS = 60_000;

/** A person pays for a plan on the checkout page. */
export function sellPlan(deps: BillingDeps, { session, customer, card }: Purchase): Outcome | Declined {
  const { plan, currency, user_id } = session.body;
  const amount = priceOf(plan, currency);
  const charged = charge(card, deps.at, 'present');
  if (charged !== 'paid' && charged !== 'later') return { declined: charged, amount };
  const period = { period_start: deps.at, period_end: monthsAfter(deps.at, 1) };
  const begun = make(deps, 'subscription', {
    id: deps.newId('sub'),
    customerId: customer.id,
    body: {
      user_id,
      plan,
      currency,
      status: 'incomplete',
      anchor: deps.at,
      month: 0,
      ...period,
      cancel_at_period_end: false,
      open_invoice: null,
      started_at: deps.at,
      ended_at: null,
    },
  });
  const invoice = newInvoice(deps, begun, customer, {
    reason: 'subscription_create',
    amount,
  });
  const paying = withBody(customer, deps.at, { card });
  const bought = { subscription_id: begun.id, invoice_id: invoice.id, status: 'complete' } as const;
  const first: Outcome['events'] = [
    { type: 'customer.subscription.created', object: shownSubscription(begun) },
    { type: 'invoice.finalized', object: shownInvoice(invoice) },
  ];
  if (charged === 'later') {
    const waiting = { ...begun, body: { ...begun.body, open_invoice: invoice.id } };
    const done = withBody(session, deps.at, bought, later(deps.at, LATER_MS));
    const told = { type: 'checkout.session.completed', object: shownSession(done) };
    return { puts: [waiting, invoice, paying, done], events: [...first, told] };
  }
  const paid = paidWith(deps, begun, invoice, card);
  const done = withBody(
    session,
    deps.at,
    { ...bought, payment_status: 'paid' },
    later(deps.at, KEPT_AFTER_END_MS),
  );
  const told = { type: 'checkout.session.completed', object: shownSession(done) };
  return { puts: [...paid.puts, paying, done], events: [...first, ...paid.events, told] };
}

/** A card was declined on the page: nothing changes, and the person is told of it, once for a page. */
export function paymentFailed({ id, customer_id, body }: CheckoutSession, amount: number): Outcome {
  const object = {
    id: `in_of_${id}`,
    object: 'invoice',
    status: 'void',
    customer: customer_id,
    currency: body.currency.toLowerCase(),
    amount_due: amount,
    amount_paid: 0,
    attempt_count: 1,
    next_payment_attempt: null,
    // as the first payment of a subscription, it makes nobody late
    billing_reason: 'subscription_create',
    hosted_invoice_url: null,
    subscription: null,
  };
  return { puts: [], events: [{ type: 'invoice.payment_failed', object }] };
}

/** The money that was on its way has arrived. */
export function confirmLater(
  deps: BillingDeps,
  session: CheckoutSession,
  { subscription, invoice, customer }: Debt,
): Outcome {
  const done = withBody(session, deps.at, { payment_status: 'paid' }, later(deps.at, KEPT_AFTER_END_MS));
  if (subscription.body.status !== 'incomplete') return { puts: [done], events: [] };
  const paid = paidWith(deps, subscription, invoice, customer.body.card);
  const told = { type: 'checkout.session.async_payment_succeeded', object: shownSession(done) };
  return { puts: [...paid.puts, done], events: [...paid.events, told] };
}

/** Nobody paid in time. */
export function expireSession(deps: BillingDeps, session: CheckoutSession): Outcome {
  const done = withBody(session, deps.at, { status: 'expired' }, later(deps.at, KEPT_AFTER_END_MS));
  return { puts: [done], events: [{ type: 'checkout.session.expired', object: shownSession(done) }] };
}

/** Another plan for who pays already; what is dearer is charged for the rest of the month at once. */
export function changePlan(
  deps: BillingDeps,
  subscription: SandboxSubscription,
  { session, customer, card }: Purchase,
): Outcome | Declined {
  const { body } = subscription;
  const amount = amountOfChange(body, session.body.plan, deps.at);
  const changed = withBody(subscription, deps.at, { plan: session.body.plan });
  const done = withBody(
    session,
    deps.at,
    { status: 'complete', payment_status: 'paid', subscription_id: subscription.id },
    later(deps.at, KEPT_AFTER_END_MS),
  );
  const paying = withBody(customer, deps.at, { card });
  if (amount === 0) return merged(updated(changed), { puts: [done, paying], events: [] });
  const charged = charge(card, deps.at, 'present');
  if (charged !== 'paid' && charged !== 'later') return { declined: charged, amount };
  const invoice = newInvoice(deps, changed, customer, { reason: 'subscription_update', amount });
  const ready = { type: 'invoice.finalized', object: shownInvoice(invoice) };
  return merged(
    { puts: [done, paying], events: [ready] },
    invoicePaid(deps, invoice, card),
    updated(changed),
  );
}

/** What the change costs now. */
export function amountOfChange(body: BodyOf<'subscription'>, plan: SoldPlan, at: string): number {
  const difference = priceOf(plan, body.currency) - priceOf(body.plan, body.currency);
  const whole = Date.parse(body.period_end) - Date.parse(body.period_start);
  const left = Math.max(0, Date.parse(body.period_end) - Date.parse(at));
  return Math.max(0, Math.round((difference * left) / whole));
}
