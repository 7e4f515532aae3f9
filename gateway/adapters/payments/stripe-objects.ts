import * as z from 'zod';
import { PLANS, type Plan } from '#contract/words.ts';
import { isoOf } from '#core/kernel.ts';
import type { Card, FactContent, ProviderStatus } from '#features/people/payments/ports.ts';

// Objects as Stripe writes them, in the versions of its interface an account may have: what moved is read at both
// places. Only what we use is looked at; the rest may change.

const seconds = z.number().int().min(0);
/** An object, or its id where it was not expanded. */
const idOf = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);
const metadata = z.record(z.string(), z.string()).nullish();
const price = z.object({ id: z.string(), metadata }).nullish();

const periodFields = { current_period_start: seconds.nullish(), current_period_end: seconds.nullish() };

export const stripeSubscription = z.object({
  id: z.string(),
  status: z.string(),
  customer: idOf,
  currency: z.string().nullish(),
  created: seconds.nullish(),
  cancel_at_period_end: z.boolean().nullish(),
  cancel_at: seconds.nullish(),
  metadata,
  ...periodFields,
  items: z.object({ data: z.array(z.object({ id: z.string(), price, ...periodFields })) }).nullish(),
});
export type StripeSubscription = z.infer<typeof stripeSubscription>;

export const stripeInvoice = z.object({
  id: z.string(),
  customer: idOf,
  currency: z.string(),
  amount_due: z.number().int().nullish(),
  amount_paid: z.number().int().nullish(),
  attempt_count: z.number().int().nullish(),
  next_payment_attempt: seconds.nullish(),
  billing_reason: z.string().nullish(),
  hosted_invoice_url: z.string().nullish(),
  subscription: idOf,
  parent: z.object({ subscription_details: z.object({ subscription: idOf, metadata }).nullish() }).nullish(),
  lines: z
    .object({
      data: z.array(z.object({ period: z.object({ start: seconds, end: seconds }).nullish() })),
    })
    .nullish(),
});
export type StripeInvoice = z.infer<typeof stripeInvoice>;

export const stripeCheckoutSession = z.object({
  id: z.string(),
  mode: z.string().nullish(),
  customer: idOf,
  subscription: idOf,
  client_reference_id: z.string().nullish(),
  payment_status: z.string().nullish(),
  currency: z.string().nullish(),
  metadata,
});
export type StripeCheckoutSession = z.infer<typeof stripeCheckoutSession>;

export const stripeCard = z.object({
  id: z.string(),
  customer: idOf,
  // a payment method wraps its card; an old source is one
  card: z.object({ last4: z.string(), exp_year: z.number().int(), exp_month: z.number().int() }).nullish(),
  last4: z.string().nullish(),
  exp_year: z.number().int().nullish(),
  exp_month: z.number().int().nullish(),
});

const expandedMethod = z
  .object({
    id: z.string(),
    card: z.object({ last4: z.string(), exp_year: z.number().int(), exp_month: z.number().int() }).nullish(),
  })
  .nullish()
  .catch(null);
const payingMethods = z.object({
  default_payment_method: expandedMethod,
  customer: z
    .object({ invoice_settings: z.object({ default_payment_method: expandedMethod }).nullish() })
    .nullish()
    .catch(null),
});

/** The card a subscription is paid with next: its own, else that of its customer. null: none, or no card. */
export function cardOf(subscription: unknown): Card | null {
  const { default_payment_method: own, customer } = payingMethods.parse(subscription);
  const method = own ?? customer?.invoice_settings?.default_payment_method;
  if (method?.card == null) return null;
  const { last4, exp_year: year, exp_month: month } = method.card;
  return { id: method.id, last4, year, month };
}

export const stripeCharge = z.object({
  id: z.string(),
  customer: idOf,
  currency: z.string(),
  amount_refunded: z.number().int(),
  receipt_url: z.string().nullish(),
});

export const stripeEvent = z.object({
  id: z.string().min(1).max(255),
  type: z.string().min(1).max(255),
  created: seconds,
  data: z.object({ object: z.looseObject({}) }),
});

const STATUSES: Readonly<Record<string, ProviderStatus>> = {
  incomplete: 'PENDING',
  incomplete_expired: 'CANCELED',
  trialing: 'TRIALING',
  active: 'ACTIVE',
  past_due: 'PAST_DUE',
  unpaid: 'PAST_DUE',
  // a trial that ended without a payment method
  paused: 'PAST_DUE',
  canceled: 'CANCELED',
};

/** Plan of a price id, as configured; null for one we do not sell. */
export type PlanOfPrice = (priceId: string) => Plan | null;

export function subscriptionContent(object: StripeSubscription, planOfPrice: PlanOfPrice): FactContent {
  const status = STATUSES[object.status];
  const plan = planOf(object, planOfPrice);
  const currency = currencyOf(object.currency);
  const period = periodOf(object);
  return {
    ...(status === undefined ? {} : { status }),
    ...(plan === null ? {} : { plan }),
    ...(currency === null ? {} : { currency }),
    ...(period === null ? {} : { period }),
    isCancelPlanned: isCancelPlanned(object, period),
    ...(object.created == null ? {} : { since: instantOf(object.created) }),
  };
}

/** A price tells what is paid now; what we wrote into the subscription tells what was bought first. */
function planOf({ items, metadata: noted }: StripeSubscription, planOfPrice: PlanOfPrice): Plan | null {
  for (const item of items?.data ?? []) {
    const plan = item.price == null ? null : (planOfPrice(item.price.id) ?? planWord(item.price.metadata));
    if (plan !== null) return plan;
  }
  return planWord(noted);
}

export function planWord(noted: z.infer<typeof metadata>): Plan | null {
  const word = noted?.['plan'];
  return PLANS.find((plan) => plan === word) ?? null;
}

export function currencyOf(word: string | null | undefined): 'USD' | 'BRL' | null {
  const upper = word?.toUpperCase();
  return upper === 'USD' || upper === 'BRL' ? upper : null;
}

function periodOf(object: StripeSubscription): { start: string; end: string } | null {
  const [item] = object.items?.data ?? [];
  const start = object.current_period_start ?? item?.current_period_start;
  const end = object.current_period_end ?? item?.current_period_end;
  if (start == null || end == null) return null;
  return { start: instantOf(start), end: instantOf(end) };
}

function isCancelPlanned(object: StripeSubscription, period: { end: string } | null): boolean {
  if (object.cancel_at_period_end === true) return true;
  // newer versions say the day instead
  return object.cancel_at != null && period !== null && instantOf(object.cancel_at) <= period.end;
}

export const instantOf = (atSeconds: number): string => isoOf(atSeconds * 1000);

/** The subscription an invoice belongs to. */
export function subscriptionOfInvoice({ subscription, parent }: StripeInvoice): string | null {
  return subscription ?? parent?.subscription_details?.subscription ?? null;
}
