import * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import type { paymentObject } from '#contract/resources/local-tables.ts';
import { LANGUAGES } from '#contract/words.ts';

// What the built-in provider keeps. Instants are ISO texts; amounts are hundredths.

export type Row = RowOf<typeof paymentObject>;

/** How a test card behaves: see test-cards.ts. */
const BEHAVIOURS = ['pays', 'declined', 'fails_later', 'pays_later'] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** Never a number: its last digits and what it does. */
const card = z.object({
  id: z.string(),
  last4: z.string(),
  exp_year: z.number(),
  exp_month: z.number(),
  behaviour: z.enum(BEHAVIOURS),
});
export type Card = z.infer<typeof card>;

const plan = z.enum(['BASIC', 'PROFESSIONAL']);
const currency = z.enum(['USD', 'BRL']);
const language = z.enum(LANGUAGES);

const BODIES = {
  customer: z.object({
    user_id: z.string(),
    email: z.string(),
    name: z.string(),
    card: card.nullable(),
    address: z.string(),
    /** Address of this instance as last seen, for links in invoices. */
    origin: z.string(),
  }),
  checkout_session: z.object({
    user_id: z.string(),
    plan,
    currency,
    language,
    origin: z.string(),
    success_url: z.string(),
    cancel_url: z.string(),
    /** The subscription whose plan it changes; null: it sells a new one. */
    changes: z.string().nullable(),
    status: z.enum(['open', 'complete', 'expired']),
    payment_status: z.enum(['unpaid', 'paid']),
    subscription_id: z.string().nullable(),
    invoice_id: z.string().nullable(),
    expires_at: z.string(),
  }),
  subscription: z.object({
    user_id: z.string(),
    plan,
    currency,
    status: z.enum(['incomplete', 'active', 'past_due', 'canceled']),
    /** Periods are whole months from here; `month` is the one that runs, from 0. */
    anchor: z.string(),
    month: z.number(),
    period_start: z.string(),
    period_end: z.string(),
    cancel_at_period_end: z.boolean(),
    open_invoice: z.string().nullable(),
    started_at: z.string(),
    ended_at: z.string().nullable(),
  }),
  invoice: z.object({
    number: z.string(),
    subscription_id: z.string(),
    plan,
    currency,
    amount: z.number(),
    status: z.enum(['open', 'paid', 'void']),
    reason: z.enum(['subscription_create', 'subscription_cycle', 'subscription_update']),
    period_start: z.string(),
    period_end: z.string(),
    attempts: z.number(),
    next_attempt_at: z.string().nullable(),
    paid_at: z.string().nullable(),
    card_last4: z.string().nullable(),
    url: z.string(),
  }),
  portal_session: z.object({
    return_url: z.string(),
    language,
    origin: z.string(),
    expires_at: z.string(),
  }),
  event: z.object({
    type: z.string(),
    /** Seconds since 1970. */
    created: z.number(),
    object: z.record(z.string(), z.unknown()),
    attempts: z.number(),
  }),
} as const satisfies Record<Row['kind'], z.ZodType>;

export type Kind = keyof typeof BODIES;
export type BodyOf<K extends Kind> = z.infer<(typeof BODIES)[K]>;
export type Thing<K extends Kind> = Omit<Row, 'kind' | 'body'> & { kind: K; body: BodyOf<K> };

export type Customer = Thing<'customer'>;
export type CheckoutSession = Thing<'checkout_session'>;
export type SandboxSubscription = Thing<'subscription'>;
export type Invoice = Thing<'invoice'>;
export type PortalSession = Thing<'portal_session'>;
export type SandboxEvent = Thing<'event'>;

/** A stored row as the thing it is; null for another kind. */
export function thingOf<K extends Kind>(kind: K, row: Row | null): Thing<K> | null {
  if (row === null || row.kind !== kind) return null;
  // the schema of this very kind
  const body = BODIES[kind].parse(row.body) as BodyOf<K>;
  return { ...row, kind, body };
}

export function things<K extends Kind>(kind: K, rows: readonly Row[]): Thing<K>[] {
  return rows.flatMap((row) => thingOf(kind, row) ?? []);
}

/** The same thing with other values. */
export function withBody<K extends Kind>(
  thing: Thing<K>,
  now: string,
  set: Partial<BodyOf<K>>,
  dueAt: string | null = thing.due_at,
): Thing<K> {
  return { ...thing, body: { ...thing.body, ...set }, due_at: dueAt, updated_at: now };
}

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
