import { PLAN_TERMS } from '#contract/plans.ts';
import { isoOf } from '#core/kernel.ts';
import type { Currency, SoldPlan } from '#features/people/payments/ports.ts';
import {
  type BodyOf,
  type Card,
  type Customer,
  type Invoice,
  type Kind,
  type SandboxSubscription,
  shownInvoice,
  shownSubscription,
  type Thing,
  withBody,
} from './objects.ts';
import { isExpired } from './test-cards.ts';

/** The same day and time some months later; a day the month does not have is its last one. */
export function monthsAfter(anchor: string, months: number): string {
  const from = new Date(anchor);
  const first = Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + months, 1);
  const lastDay = new Date(
    Date.UTC(new Date(first).getUTCFullYear(), new Date(first).getUTCMonth() + 1, 0),
  ).getUTCDate();
  const day = Math.min(from.getUTCDate(), lastDay);
  const timeOfDay = Date.parse(anchor) % 86_400_000;
  return new Date(first + (day - 1) * 86_400_000 + timeOfDay).toISOString();
}

// How money moves at the built-in provider, without any: pure, so that a year of renewals takes no time to try.

export type BillingDeps = {
  /** When this happens, ISO. */
  at: string;
  /** An id that nobody can guess, for links. */
  newId: (prefix: string) => string;
};

/** Things as they are now, and events that tell of it, in their order. */
export type Outcome = {
  puts: readonly Thing<Kind>[];
  events: readonly { type: string; object: Record<string, unknown> }[];
};

export type Debt = { subscription: SandboxSubscription; invoice: Invoice; customer: Customer };
/** Nothing was charged; `amount` was asked for. */
export type Declined = { declined: 'card_declined' | 'expired_card' | 'no_card'; amount: number };

const DAY_MS = 86_400_000;
/** Days between two attempts of a payment that failed; after the last the subscription ends. */
const RETRY_DAYS = [3, 5, 7];

export function priceOf(plan: SoldPlan, currency: Currency): number {
  const price = PLAN_TERMS[plan].price;
  if (price === null) throw new Error(`${plan} has no price`);
  return (currency === 'BRL' ? price.brl : price.usd) * 100;
}

/** The paid month is over: the next one is charged, or the subscription ends as was wished. */
export function renew(deps: BillingDeps, subscription: SandboxSubscription, customer: Customer): Outcome {
  const { body } = subscription;
  if (body.cancel_at_period_end) return end(deps, subscription);
  const next = withBody(
    subscription,
    deps.at,
    {
      month: body.month + 1,
      period_start: body.period_end,
      period_end: monthsAfter(body.anchor, body.month + 2),
    },
    monthsAfter(body.anchor, body.month + 2),
  );
  const invoice = newInvoice(deps, next, customer, {
    reason: 'subscription_cycle',
    amount: priceOf(body.plan, body.currency),
  });
  const ready: Outcome = { puts: [], events: [{ type: 'invoice.finalized', object: shownInvoice(invoice) }] };
  return merged(ready, attempt(deps, { subscription: next, invoice, customer }));
}

/** An open invoice is charged again, by the calendar or because the person asks. */
export function attempt(
  deps: BillingDeps,
  { subscription, invoice, customer }: Debt,
  presence: 'present' | 'absent' = 'absent',
): Outcome {
  const { card } = customer.body;
  const charged = card === null ? 'no_card' : charge(card, deps.at, presence);
  if (charged === 'paid' || charged === 'later') return paidWith(deps, subscription, invoice, card);
  const attempts = invoice.body.attempts + 1;
  const days = RETRY_DAYS[attempts - 1];
  const next_attempt_at = days === undefined ? null : later(deps.at, days * DAY_MS);
  const failed = withBody(invoice, deps.at, { attempts, next_attempt_at });
  const told: Outcome = {
    puts: [failed],
    events: [{ type: 'invoice.payment_failed', object: shownInvoice(failed) }],
  };
  if (next_attempt_at === null) {
    const given = withBody(failed, deps.at, { status: 'void' });
    return merged(told, end(deps, subscription), { puts: [given], events: [] });
  }
  const late = withBody(
    subscription,
    deps.at,
    { status: 'past_due', open_invoice: invoice.id },
    next_attempt_at,
  );
  return merged(told, updated(late));
}

export function cancelAtPeriodEnd(
  deps: BillingDeps,
  subscription: SandboxSubscription,
  wish: { isPlanned: boolean },
): Outcome {
  return updated(withBody(subscription, deps.at, { cancel_at_period_end: wish.isPlanned }));
}

export function end(deps: BillingDeps, subscription: SandboxSubscription): Outcome {
  const ended = withBody(subscription, deps.at, { status: 'canceled', ended_at: deps.at }, null);
  return {
    puts: [ended],
    events: [{ type: 'customer.subscription.deleted', object: shownSubscription(ended) }],
  };
}

export function charge(card: Card, at: string, presence: 'present' | 'absent') {
  if (isExpired(card, Date.parse(at))) return 'expired_card';
  switch (card.behaviour) {
    case 'pays':
      return 'paid';
    case 'declined':
      return 'card_declined';
    case 'fails_later':
      return presence === 'present' ? 'paid' : 'card_declined';
    case 'pays_later':
      return presence === 'present' ? 'later' : 'paid';
  }
}

export function newInvoice(
  deps: BillingDeps,
  { id, body }: SandboxSubscription,
  customer: Customer,
  { reason, amount }: { reason: BodyOf<'invoice'>['reason']; amount: number },
): Invoice {
  const invoiceId = deps.newId('in');
  return make(deps, 'invoice', {
    id: invoiceId,
    customerId: customer.id,
    body: {
      number: `${deps.at.slice(0, 10).replaceAll('-', '')}-${invoiceId.slice(-6).toUpperCase()}`,
      subscription_id: id,
      plan: body.plan,
      currency: body.currency,
      amount,
      status: 'open',
      reason,
      period_start: body.period_start,
      period_end: body.period_end,
      attempts: 0,
      next_attempt_at: null,
      paid_at: null,
      card_last4: null,
      url: `${customer.body.origin}/api/v1/payment/sandbox/invoices/${invoiceId}`,
    },
  });
}

export function paidWith(
  deps: BillingDeps,
  subscription: SandboxSubscription,
  invoice: Invoice,
  card: Card | null,
): Outcome {
  const { period_end } = subscription.body;
  const running = withBody(subscription, deps.at, { status: 'active', open_invoice: null }, period_end);
  return merged(invoicePaid(deps, invoice, card), updated(running));
}

export function invoicePaid(deps: BillingDeps, invoice: Invoice, card: Card | null): Outcome {
  const paid = withBody(invoice, deps.at, {
    status: 'paid',
    attempts: invoice.body.attempts + 1,
    next_attempt_at: null,
    paid_at: deps.at,
    card_last4: card?.last4 ?? null,
  });
  const object = shownInvoice(paid);
  return {
    puts: [paid],
    events: [
      { type: 'invoice.paid', object },
      { type: 'invoice.payment_succeeded', object },
    ],
  };
}

export function updated(subscription: SandboxSubscription): Outcome {
  const object = shownSubscription(subscription);
  return { puts: [subscription], events: [{ type: 'customer.subscription.updated', object }] };
}

/** One after the other; of a thing that is put twice the last counts. */
export function merged(...outcomes: readonly Outcome[]): Outcome {
  const puts = new Map(outcomes.flatMap(({ puts }) => puts.map((thing) => [thing.id, thing] as const)));
  return { puts: [...puts.values()], events: outcomes.flatMap(({ events }) => events) };
}

export function make<K extends Kind>(
  { at }: Pick<BillingDeps, 'at'>,
  kind: K,
  { id, customerId, body, dueAt = null }: NewThing<K>,
): Thing<K> {
  return { id, kind, customer_id: customerId, body, due_at: dueAt, created_at: at, updated_at: at };
}

type NewThing<K extends Kind> = {
  id: string;
  customerId: string | null;
  body: BodyOf<K>;
  dueAt?: string | null;
};

export const later = (at: string, ms: number): string => isoOf(Date.parse(at) + ms);
