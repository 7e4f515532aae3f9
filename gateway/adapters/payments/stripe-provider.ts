import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import * as z from 'zod';
import { AppError, conflict } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type {
  CheckoutOrder,
  Currency,
  PaymentProvider,
  Person,
  Snapshot,
  SoldPlan,
} from '#features/people/payments/ports.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { readStripeEvent, requireNotAhead, TOLERANCE_S, wrongSignature } from './read-stripe-event.ts';
import { cardOf, type PlanOfPrice, stripeSubscription, subscriptionContent } from './stripe-objects.ts';

export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** null: Stripe's own. */
  apiBase: string | null;
  /** Price ids; null where a plan is not sold in that currency. */
  prices: Readonly<Record<SoldPlan, Readonly<Record<Currency, string | null>>>>;
};

type Answered = Stripe.Response<Stripe.Subscription>;
type StripeDeps = Pick<Kernel, 'now' | 'clockQuality' | 'log'>;

/** One try, with all of its answer. */
const TIMEOUT_MS = 10_000;
const RETRIES = 2;
/** Pages and subscriptions of one customer that are looked at; one is what there should be. */
const AT_ONCE = 100;
/** Where Stripe says what is paid with next. */
const CARD = ['default_payment_method', 'customer.invoice_settings.default_payment_method'];
/** Stripe takes 500 characters of a comment. */
const COMMENT_LENGTH = 500;

/** Stripe, through its own library. */
export function stripeProvider(
  deps: StripeDeps,
  settings: StripeSettings,
  withinMs = TIMEOUT_MS,
): PaymentProvider {
  const stripe = new Stripe(settings.secretKey, {
    ...addressOf(settings.apiBase),
    // the library's own client has no bound for an answer, and counts its time anew with each byte
    httpClient: Stripe.createFetchHttpClient(boundedFetch),
    timeout: withinMs,
    maxNetworkRetries: RETRIES,
    telemetry: false,
  });
  const planOfPrice = planFinder(settings.prices);
  const shown = (found: Answered | null) => (found === null ? null : snapshotOf(found, planOfPrice));
  const asked = <Answer>(question: () => Promise<Answer>) => question().catch((error) => fail(deps, error));
  return {
    name: 'stripe',
    createCustomer: (person, attempt) =>
      asked(async () => z.string().parse((await createCustomer(stripe, person, attempt)).id)),
    createCheckout: (order) => {
      const price = settings.prices[order.plan][order.currency];
      if (price === null) throw notSold(order);
      return asked(async () => {
        await closePages(stripe, order.customerId);
        return order.changes === null ? sell(stripe, order, price) : change(stripe, order, price);
      });
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
    cancelSubscription: (wish) => asked(async () => shown(await cancel(stripe, wish))),
    endDouble: (id) => asked(async () => shown(await endDouble(stripe, id))),
    deleteCustomer: (id) => asked(async () => void (await stripe.customers.del(id).catch(nullIfMissing))),
    // a deleted one is answered as such
    knowsCustomer: (id) =>
      asked(async () => (await stripe.customers.retrieve(id).catch(nullIfMissing)) !== null),
    subscriptionNow: (id) =>
      asked(async () => {
        const found = await stripe.subscriptions.retrieve(id, { expand: CARD }).catch(nullIfMissing);
        return found === null ? null : { ...snapshotOf(found, planOfPrice), card: cardOf(found) };
      }),
    subscriptionsOf: (customer) => asked(() => runningOf(stripe, customer, planOfPrice)),
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
    host: hostname,
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
function createCustomer(stripe: Stripe, { userId, email, name }: Person, attempt: string) {
  const key = createHash('sha256')
    .update(JSON.stringify([userId, email, name, attempt]))
    .digest('hex');
  return stripe.customers.create(
    { email, name, metadata: { user_id: userId } },
    { idempotencyKey: `customer-${key}` },
  );
}

/** One that was paid this very moment cannot be closed any more: the caller is told, and asks anew. */
async function closePages(stripe: Stripe, customer: string): Promise<void> {
  const open = await stripe.checkout.sessions.list({ customer, status: 'open', limit: AT_ONCE });
  for (const { id } of open.data) {
    await stripe.checkout.sessions.expire(id).catch(async (error: unknown) => {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      const { status } = await stripe.checkout.sessions.retrieve(id);
      if (status === 'complete') throw stateChanged();
    });
  }
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
): Promise<Answered | null> {
  const details =
    reason === null || reason === ''
      ? {}
      : { cancellation_details: { comment: reason.slice(0, COMMENT_LENGTH) } };
  const cancelled =
    when === 'now'
      ? stripe.subscriptions.cancel(subscriptionId, details)
      : stripe.subscriptions.update(subscriptionId, { cancel_at_period_end: true, ...details });
  return cancelled.catch((error: unknown) => endedOr(stripe, subscriptionId, error));
}

/** The days that are left of what was paid become credit of the customer; of what was never paid there are none. */
async function endDouble(stripe: Stripe, id: string): Promise<Answered | null> {
  const found = await stripe.subscriptions.retrieve(id).catch(nullIfMissing);
  if (found === null || found.status === 'canceled') return found;
  const credit = found.status === 'active' ? { prorate: true, invoice_now: true } : {};
  return stripe.subscriptions.cancel(id, credit).catch((error: unknown) => endedOr(stripe, id, error));
}

/** What cannot be cancelled because it has ended, perhaps by an earlier call whose answer got lost, is as wished. */
async function endedOr(stripe: Stripe, id: string, error: unknown): Promise<Answered | null> {
  if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
  const found = await stripe.subscriptions.retrieve(id).catch(nullIfMissing);
  if (found === null || found.status === 'canceled') return found;
  throw error;
}

async function runningOf(stripe: Stripe, customer: string, planOfPrice: PlanOfPrice) {
  const found = await stripe.subscriptions.list({ customer, limit: AT_ONCE }).catch(nullIfMissing);
  if (found === null) return [];
  const { data, lastResponse } = found;
  return data
    .map((one) => ({ id: one.id, ...snapshotOf({ ...one, lastResponse }, planOfPrice) }))
    .filter(({ content }) => content.plan !== undefined);
}

function snapshotOf(answer: Answered, planOfPrice: PlanOfPrice): Snapshot {
  const { lastResponse, ...subscription } = answer;
  const date = Date.parse(lastResponse.headers['date'] ?? '');
  const content = subscriptionContent(stripeSubscription.parse(subscription), planOfPrice);
  // without a clock of theirs the answer counts as old: the event that follows tells the same
  return { at: Number.isNaN(date) ? subscription.created * 1000 : date, content };
}

function verified(
  { now, clockQuality }: StripeDeps,
  webhooks: Stripe['webhooks'],
  { webhookSecret }: StripeSettings,
  { raw, signature }: { raw: Uint8Array; signature: string | null },
): unknown {
  // by a clock that is not to be trusted every event could be refused, for days
  const isJudged = clockQuality() === 'trusted';
  const tolerance = isJudged ? TOLERANCE_S : 0;
  if (isJudged) requireNotAhead(signature, now());
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
function fail({ log }: Pick<Kernel, 'log'>, error: unknown): never {
  if (error instanceof AppError) throw error;
  if (!(error instanceof Stripe.errors.StripeError)) {
    log.error({ err: error }, 'the payment provider answered in a form that is not known');
    throw unavailable();
  }
  const { type, code, statusCode, requestId, param } = error;
  log.warn({ type, code, statusCode, requestId, param }, 'the payment provider did not do what it was asked');
  if (isMissing(error) && param === 'customer')
    throw conflict('The payment provider does not know you any more; please try again', 'CUSTOMER_UNKNOWN');
  if (isMissing(error)) throw stateChanged();
  if (
    error instanceof Stripe.errors.StripeInvalidRequestError ||
    error instanceof Stripe.errors.StripeCardError
  )
    throw new AppError(
      422,
      'The payment provider does not accept this, and will not when asked again; nothing was changed. Please contact support',
      { code: 'PAYMENT_REFUSED' },
    );
  throw unavailable();
}

function unavailable(): AppError {
  const detail = 'The payment provider cannot be reached now; nothing was changed, please try again';
  return new AppError(503, detail, {
    code: 'PAYMENT_PROVIDER_UNAVAILABLE',
    headers: { 'Retry-After': '30' },
  });
}

function stateChanged(): AppError {
  return conflict(
    'Something changed at the payment provider meanwhile, and nothing was changed now; look at your subscription and try again',
    'PAYMENT_STATE_CHANGED',
  );
}

/** For what may have gone: null in place of the error that says so. */
function nullIfMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}

/** With a key for tests Stripe says the same of everything that is real: that is a wrong key, and nothing is missing. */
function isMissing(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError &&
    error.code === 'resource_missing' &&
    !error.message.includes('similar object exists')
  );
}
