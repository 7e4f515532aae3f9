import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import { AppError } from '#core/errors.ts';
import type {
  FactContent,
  InvoiceNews,
  PaymentNews,
  ProviderEvent,
  ProviderName,
} from '#features/people/payments/ports.ts';
import {
  currencyOf,
  instantOf,
  type PlanOfPrice,
  planWord,
  type StripeCheckoutSession,
  type StripeInvoice,
  stripeCard,
  stripeCharge,
  stripeCheckoutSession,
  stripeEvent,
  stripeInvoice,
  stripeSubscription,
  subscriptionContent,
  subscriptionOfInvoice,
} from './stripe-objects.ts';

// The scheme of Stripe: `t=<seconds>,v1=<HMAC-SHA256 of "t.body" in hex>`, also used by the built-in provider.

/** How far the time of a signature may be from ours, as the SDK has it. */
export const TOLERANCE_S = 300;

export function signatureOf(raw: Uint8Array, secret: string, atMs: number): string {
  const at = Math.floor(atMs / 1000);
  return `t=${at},v1=${hmac(raw, secret, at)}`;
}

/** Throws 400 for a body that was not signed with this secret, or long ago; `nowMs` null: no clock to judge by. */
export function requireSignature(
  raw: Uint8Array,
  header: string | null,
  secret: string,
  nowMs: number | null,
): void {
  const parts = partsOf(header);
  const at = signedAt(parts);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value = '']) => Buffer.from(value));
  if (!Number.isSafeInteger(at)) throw wrongSignature();
  const expected = Buffer.from(hmac(raw, secret, at));
  const isOurs = signatures.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
  if (!isOurs) throw wrongSignature();
  if (nowMs !== null && Math.abs(nowMs / 1000 - at) > TOLERANCE_S) throw wrongSignature();
}

/** Throws 400 for a signature from further ahead than clocks differ: the library of Stripe looks at old ones alone. */
export function requireNotAhead(header: string | null, nowMs: number): void {
  if (signedAt(partsOf(header)) - nowMs / 1000 > TOLERANCE_S) throw wrongSignature();
}

const partsOf = (header: string | null): string[][] =>
  (header ?? '').split(',').map((part) => part.split('='));

const signedAt = (parts: readonly string[][]): number => Number(parts.find(([name]) => name === 't')?.[1]);

/** Says nothing of what was wrong, and nothing of the body: neither belongs into an answer or a log. */
export function wrongSignature(): AppError {
  return new AppError(400, 'The event is not signed by the payment provider, or too long ago', {
    code: 'INVALID_SIGNATURE',
  });
}

function hmac(raw: Uint8Array, secret: string, at: number): string {
  return createHmac('sha256', secret).update(`${at}.`).update(raw).digest('hex');
}

type Meaning = Pick<ProviderEvent, 'about' | 'content' | 'news'> & { word: Rank };
type Rank = 'invoice' | 'created' | 'updated' | 'deleted';
type Read = (object: unknown, at: number, planOfPrice: PlanOfPrice) => Meaning;

// places of FACT_RANKS in features/payments/ports.ts; `asked` is between updated and deleted
const RANKS: Readonly<Record<Rank, ProviderEvent['rank']>> = {
  invoice: 0,
  created: 1,
  updated: 2,
  deleted: 4,
};

/** What an event of Stripe's shape means to us. Throws 400 when it cannot be read; a type we do not use is about nobody. */
export function readStripeEvent(
  provider: ProviderName,
  body: unknown,
  planOfPrice: PlanOfPrice,
): ProviderEvent {
  const { id, type, created, data } = readable(stripeEvent, body);
  const at = created * 1000;
  const read = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  const meaning = read?.(data.object, at, planOfPrice);
  if (meaning === undefined)
    return { id, type, provider, at, rank: 0, about: null, content: null, news: null };
  const { word, ...means } = meaning;
  return { id, type, provider, at, rank: RANKS[word], ...means };
}

const subscriptionReader =
  (word: Rank): Read =>
  (object, _at, planOfPrice) => {
    const subscription = readable(stripeSubscription, object);
    const { id, customer, metadata } = subscription;
    const content = subscriptionContent(subscription, planOfPrice);
    return {
      about: { subscriptionId: id, customerId: customer, userId: metadata?.['user_id'] ?? null },
      content: word === 'deleted' ? { ...content, status: 'CANCELED' } : content,
      news: null,
      word,
    };
  };

const invoiceReader =
  (kind: InvoiceNews['kind']): Read =>
  (object) => {
    const invoice = readable(stripeInvoice, object);
    return {
      about: {
        subscriptionId: subscriptionOfInvoice(invoice),
        customerId: invoice.customer,
        userId: invoice.parent?.subscription_details?.metadata?.['user_id'] ?? null,
      },
      content: invoiceContent(kind, invoice),
      news: invoiceNews(kind, invoice),
      word: 'invoice',
    };
  };

function invoiceContent(kind: InvoiceNews['kind'], invoice: StripeInvoice): FactContent | null {
  if (kind === 'invoice_ready') return null;
  // the first payment of a subscription that has not begun does not make anybody late
  if (kind === 'payment_failed') {
    return invoice.billing_reason === 'subscription_create' ? null : { payment: 'failed' };
  }
  const period = paidPeriod(invoice);
  return { payment: 'paid', ...(period === null ? {} : { period }) };
}

/** What a regular invoice pays for; others (a change within a month) have lines of their own. */
function paidPeriod({ billing_reason, lines }: StripeInvoice): { start: string; end: string } | null {
  if (billing_reason !== 'subscription_create' && billing_reason !== 'subscription_cycle') return null;
  const periods = (lines?.data ?? []).flatMap(({ period }) => (period == null ? [] : [period]));
  const last = periods.sort((a, b) => b.end - a.end)[0];
  return last === undefined ? null : { start: instantOf(last.start), end: instantOf(last.end) };
}

function invoiceNews(kind: InvoiceNews['kind'], invoice: StripeInvoice): PaymentNews | null {
  const amount = (kind === 'payment_succeeded' ? invoice.amount_paid : invoice.amount_due) ?? 0;
  // a month that costs nothing is no news
  if (amount === 0) return null;
  return {
    kind,
    invoiceId: invoice.id,
    amount,
    currency: invoice.currency,
    url: invoice.hosted_invoice_url ?? null,
    attempt: invoice.attempt_count ?? 0,
    nextAttemptAt: invoice.next_payment_attempt == null ? null : instantOf(invoice.next_payment_attempt),
  };
}

const checkoutReader: Read = (object, at) => {
  const session = readable(stripeCheckoutSession, object);
  return {
    about: {
      subscriptionId: session.subscription,
      customerId: session.customer,
      userId: session.client_reference_id ?? session.metadata?.['user_id'] ?? null,
    },
    content: session.subscription === null ? null : checkoutContent(session, at),
    news: null,
    word: 'invoice',
  };
};

function checkoutContent(session: StripeCheckoutSession, at: number): FactContent {
  const plan = planWord(session.metadata);
  const currency = currencyOf(session.currency);
  const isPaid = session.payment_status === 'paid' || session.payment_status === 'no_payment_required';
  return {
    // unpaid: the money is on its way (a bank slip), and counts when it is there
    ...(isPaid ? { payment: 'paid' as const } : {}),
    ...(plan === null ? {} : { plan }),
    ...(currency === null ? {} : { currency }),
    since: instantOf(at / 1000),
  };
}

const cardReader: Read = (object) => {
  const { id, customer, card, ...own } = readable(stripeCard, object);
  const year = card?.exp_year ?? own.exp_year;
  const month = card?.exp_month ?? own.exp_month;
  return {
    about: { subscriptionId: null, customerId: customer, userId: null },
    content: null,
    news:
      year == null || month == null
        ? null
        : {
            kind: 'payment_method_expired',
            cardId: id,
            last4: card?.last4 ?? own.last4 ?? '',
            year,
            month,
          },
    word: 'invoice',
  };
};

const chargeReader: Read = (object) => {
  const { id, customer, currency, amount_refunded, receipt_url } = readable(stripeCharge, object);
  return {
    about: { subscriptionId: null, customerId: customer, userId: null },
    content: null,
    news: { kind: 'refunded', chargeId: id, amount: amount_refunded, currency, url: receipt_url ?? null },
    word: 'invoice',
  };
};

const trialReader: Read = (object, at, planOfPrice) => {
  const trial = readable(z.object({ trial_end: z.number().nullish() }), object);
  const endsAt = instantOf(trial.trial_end ?? at / 1000);
  // its picture of the subscription counts as any other
  const picture = subscriptionReader('updated')(object, at, planOfPrice);
  return { ...picture, news: { kind: 'trial_ending', endsAt } };
};

const READERS: Readonly<Record<string, Read>> = {
  'checkout.session.completed': checkoutReader,
  'checkout.session.async_payment_succeeded': checkoutReader,
  'customer.subscription.created': subscriptionReader('created'),
  'customer.subscription.updated': subscriptionReader('updated'),
  'customer.subscription.paused': subscriptionReader('updated'),
  'customer.subscription.resumed': subscriptionReader('updated'),
  'customer.subscription.deleted': subscriptionReader('deleted'),
  'customer.subscription.trial_will_end': trialReader,
  'invoice.paid': invoiceReader('payment_succeeded'),
  'invoice.payment_succeeded': invoiceReader('payment_succeeded'),
  'invoice.payment_failed': invoiceReader('payment_failed'),
  'invoice.finalized': invoiceReader('invoice_ready'),
  // of cards from before payment methods; those are asked after (look-again.ts)
  'customer.source.expiring': cardReader,
  'charge.refunded': chargeReader,
};

function readable<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // where it is wrong, never what stands there
  throw new AppError(400, `The event cannot be read at ${issue?.path.join('.') || 'its top'}`, {
    code: 'UNREADABLE_EVENT',
  });
}
