import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type {
  CheckoutOrder,
  Currency,
  PaymentProvider,
  Person,
  Snapshot,
  SoldPlan,
} from '#features/payments/ports.ts';
import { readStripeEvent } from './read-stripe-event.ts';
import { type PlanOfPrice, stripeSubscription, subscriptionContent } from './stripe-objects.ts';
import { TOLERANCE_S, wrongSignature } from './webhook-signature.ts';

export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** null: Stripe's own. */
  apiBase: string | null;
  /** Price ids; null where a plan is not sold in that currency. */
  prices: Readonly<Record<SoldPlan, Readonly<Record<Currency, string | null>>>>;
};

type StripeDeps = Pick<Kernel, 'now' | 'clockQuality' | 'log'>;

const TIMEOUT_MS = 10_000;
const RETRIES = 2;
/** Stripe takes 500 characters of a comment. */
const COMMENT_LENGTH = 500;

/** Stripe, through its own library. */
export function stripeProvider(deps: StripeDeps, settings: StripeSettings): PaymentProvider {
  const stripe = new Stripe(settings.secretKey, {
    ...addressOf(settings.apiBase),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
  const planOfPrice = planFinder(settings.prices);
  const asked = <Answer>(question: () => Promise<Answer>) => question().catch((error) => fail(deps, error));
  return {
    name: 'stripe',
    createCustomer: (person) => asked(async () => (await createCustomer(stripe, person)).id),
    createCheckout: (order) => {
      const price = settings.prices[order.plan][order.currency];
      if (price === null) throw notSold(order);
      return asked(() =>
        order.changes === null ? sell(stripe, order, price) : change(stripe, order, price),
      );
    },
    createPortal: ({ customerId, returnUrl, language }) =>
      asked(async () => {
        const { url } = await stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: returnUrl,
          locale: language,
        });
        return { url };
      }),
    cancelSubscription: (wish) => asked(async () => snapshotOf(await cancel(stripe, wish), planOfPrice)),
    deleteCustomer: (id) => asked(async () => void (await stripe.customers.del(id).catch(nullIfMissing))),
    subscriptionNow: (id) =>
      asked(async () => {
        const found = await stripe.subscriptions.retrieve(id).catch(nullIfMissing);
        return found === null ? null : snapshotOf(found, planOfPrice);
      }),
    readEvent: (raw, signature) =>
      readStripeEvent('stripe', verified(deps, stripe.webhooks, settings, { raw, signature }), planOfPrice),
  };
}

function addressOf(apiBase: string | null): Stripe.StripeConfig {
  if (apiBase === null) return {};
  const { protocol, hostname, port } = new URL(apiBase);
  const isPlain = protocol === 'http:';
  return {
    protocol: isPlain ? 'http' : 'https',
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? (isPlain ? 80 : 443) : Number(port),
  };
}

function planFinder(prices: StripeSettings['prices']): PlanOfPrice {
  const plans = new Map<string, SoldPlan>();
  for (const plan of ['BASIC', 'PROFESSIONAL'] as const) {
    for (const price of Object.values(prices[plan])) if (price !== null) plans.set(price, plan);
  }
  return (id) => plans.get(id) ?? null;
}

function notSold({ plan, currency }: CheckoutOrder): AppError {
  const detail = `${plan} is not sold in ${currency} here; choose another currency`;
  return new AppError(422, detail, {
    code: 'PLAN_NOT_SOLD',
    errors: [{ path: 'currency', code: 'PLAN_NOT_SOLD', message: detail }],
  });
}

/** Two that ask at once get one customer. */
function createCustomer(stripe: Stripe, { userId, email, name }: Person) {
  const key = createHash('sha256')
    .update(JSON.stringify([userId, email, name]))
    .digest('hex');
  return stripe.customers.create(
    { email, name, metadata: { user_id: userId } },
    { idempotencyKey: `customer-${key}` },
  );
}

async function sell(stripe: Stripe, order: CheckoutOrder, price: string) {
  const noted = { user_id: order.person.userId, plan: order.plan };
  const session = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: order.customerId,
    client_reference_id: order.person.userId,
    line_items: [{ price, quantity: 1 }],
    success_url: order.successUrl,
    cancel_url: order.cancelUrl,
    locale: order.language,
    metadata: noted,
    subscription_data: { metadata: noted },
  });
  if (session.url === null) throw new Error('a checkout session came without its page');
  return { sessionId: session.id, url: session.url };
}

/** Another plan for who pays already: a page that confirms the change of the one subscription there is. */
async function change(stripe: Stripe, order: CheckoutOrder, price: string) {
  const id = order.changes ?? '';
  const { items } = await stripe.subscriptions.retrieve(id);
  const [item] = items.data;
  if (item === undefined) throw new Error('a subscription without an item cannot change its plan');
  const session = await stripe.billingPortal.sessions.create({
    customer: order.customerId,
    return_url: order.cancelUrl,
    locale: order.language,
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: { subscription: id, items: [{ id: item.id, price, quantity: 1 }] },
      after_completion: { type: 'redirect', redirect: { return_url: order.successUrl } },
    },
  });
  return { sessionId: session.id, url: session.url };
}

async function cancel(
  stripe: Stripe,
  { subscriptionId, when, reason }: Parameters<PaymentProvider['cancelSubscription']>[0],
) {
  const details =
    reason === null || reason === ''
      ? {}
      : { cancellation_details: { comment: reason.slice(0, COMMENT_LENGTH) } };
  if (when === 'at period end')
    return stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true, ...details });
  return stripe.subscriptions.cancel(subscriptionId, details).catch(async (error: unknown) => {
    // cancelled by an earlier call whose answer got lost
    const found = await stripe.subscriptions.retrieve(subscriptionId).catch(nullIfMissing);
    if (found?.status === 'canceled') return found;
    throw error;
  });
}

function snapshotOf(answer: Stripe.Response<Stripe.Subscription>, planOfPrice: PlanOfPrice): Snapshot {
  const { lastResponse, ...subscription } = answer;
  const date = Date.parse(lastResponse.headers['date'] ?? '');
  const content = subscriptionContent(stripeSubscription.parse(subscription), planOfPrice);
  // without a clock of theirs the answer counts as old: the event that follows tells the same
  return { at: Number.isNaN(date) ? subscription.created * 1000 : date, content };
}

function nullIfMissing(error: unknown): null {
  if (error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'resource_missing')
    return null;
  throw error;
}

function verified(
  { now, clockQuality }: StripeDeps,
  webhooks: Stripe['webhooks'],
  { webhookSecret }: StripeSettings,
  { raw, signature }: { raw: Uint8Array; signature: string | null },
): unknown {
  // by a clock that is not to be trusted every event could be refused, for days
  const tolerance = clockQuality() === 'trusted' ? TOLERANCE_S : 0;
  try {
    return webhooks.constructEvent(
      Buffer.from(raw),
      signature ?? '',
      webhookSecret,
      tolerance,
      undefined,
      now(),
    );
  } catch {
    // the library's error carries the body and the header
    throw wrongSignature();
  }
}

/** What Stripe's library throws becomes an answer of ours; its messages may quote what nobody should read. */
function fail({ log }: StripeDeps, error: unknown): never {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { type, code, statusCode, requestId } = error;
  log.warn({ type, code, statusCode, requestId }, 'the payment provider did not do what it was asked');
  throw new AppError(
    503,
    'The payment provider cannot be reached now; nothing was changed, please try again',
    {
      code: 'PAYMENT_PROVIDER_UNAVAILABLE',
      headers: { 'Retry-After': '30' },
    },
  );
}
