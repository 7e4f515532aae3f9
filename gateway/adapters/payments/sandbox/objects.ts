import * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import type { paymentObject } from '#contract/resources/local-tables.ts';

// What the built-in provider keeps. Instants are ISO texts; amounts are hundredths.

export type Row = RowOf<typeof paymentObject>;

/** How a test card behaves: see test-cards.ts. */
export const BEHAVIOURS = ['pays', 'declined', 'fails_later', 'pays_later'] as const;
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
const language = z.enum(['pt-BR', 'en']);

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
