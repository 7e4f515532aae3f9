import { createHash, createHmac, randomBytes } from 'node:crypto';
import { paymentObject } from '#contract/resources/local-tables.ts';
import { type Change, type Commit, purge, put } from '#core/changes.ts';
import { type AppError, conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type { PaymentProvider, Snapshot } from '#features/people/payments/ports.ts';
import { readStripeEvent, requireSignature, wrongSignature } from '../read-stripe-event.ts';
import { stripeSubscription, subscriptionContent } from '../stripe-objects.ts';
import { type BillingDeps, cancelAtPeriodEnd, end, later, make, merged, type Outcome } from './billing.ts';
import {
  type Customer,
  type Row,
  type SandboxSubscription,
  secondsOf,
  shownSubscription,
  thingOf,
  things,
  withBody,
} from './objects.ts';
import { expireSession } from './purchase.ts';

const SESSION_MS = 24 * 3_600_000;
const PORTAL_MS = 3_600_000;
const PAGES = '/api/v1/payment/sandbox';
/** The newest pages of a customer: every new one closes those before. */
const PAGES_LOOKED_AT = 20;

/** The provider of an instance without one: it behaves as Stripe does, and no money moves. */
export function sandboxProvider(deps: SandboxDeps): PaymentProvider {
  const secret = signingSecret(deps);
  return {
    name: 'sandbox',
    async createCustomer({ userId, email, name }) {
      // the same for the same person, so that two that ask at once make one
      const id = `cus_${createHmac('sha256', secret).update(userId).digest('hex').slice(0, 24)}`;
      const known = await deps.queries.objectById(id);
      if (known !== null) return id;
      const body = { user_id: userId, email, name, card: null, address: '', origin: '' };
      await putAll(deps, [make(billing(deps), 'customer', { id, customerId: null, body })]);
      return id;
    },
    createCheckout: (order) => openSession(deps, order),
    async createPortal({ customerId, returnUrl, language, origin }) {
      const token = randomBytes(24).toString('base64url');
      const at = isoOf(deps.now());
      const expires_at = later(at, PORTAL_MS);
      const body = { return_url: returnUrl, language, origin, expires_at };
      const session = make({ at }, 'portal_session', {
        id: portalId(token),
        customerId,
        body,
        dueAt: expires_at,
      });
      await rememberOrigin(deps, customerId, origin, [session]);
      return { url: `${origin}${PAGES}/portal/${token}` };
    },
    async cancelSubscription({ subscriptionId, when }) {
      await onCustomerOf(deps, subscriptionId, (subscription, work) => {
        if (subscription.body.status === 'canceled') return null;
        return when === 'now'
          ? end(work, subscription)
          : cancelAtPeriodEnd(work, subscription, { isPlanned: true });
      });
      return snapshot(deps, subscriptionId);
    },
    async endDouble(id) {
      await onCustomerOf(deps, id, (subscription, work) =>
        subscription.body.status === 'canceled' ? null : end(work, subscription),
      );
      return snapshot(deps, id);
    },
    async deleteCustomer(id) {
      if ((await deps.queries.objectById(id)) === null) return;
      await onCustomer(deps, id, (customer, work) => forgotten(deps, customer, work));
    },
    knowsCustomer: async (id) => (await deps.queries.objectById(id)) !== null,
    subscriptionNow: (id) => snapshot(deps, id),
    async subscriptionsOf(customerId) {
      const running = await runningOf(deps, customerId);
      return running.map((subscription) => ({ id: subscription.id, ...shownNow(deps, subscription) }));
    },
    readEvent(raw, signature) {
      requireSignature(raw, signature, secret, deps.clockQuality() === 'trusted' ? deps.now() : null);
      return readStripeEvent('sandbox', parsed(raw), () => null);
    },
  };
}

/** Derived, so that it need not be stored. */
export function signingSecret({ secret }: Pick<SandboxDeps, 'secret'>): string {
  return createHmac('sha256', secret).update('events of the sandbox payment provider').digest('hex');
}

/** A portal address opens the account: only its hash is kept. */
export const portalId = (token: string): string => `bps_${createHash('sha256').update(token).digest('hex')}`;

/** A new page; those that are still open are closed with the same commit, so that one alone can be paid. */
async function openSession(deps: SandboxDeps, order: Parameters<PaymentProvider['createCheckout']>[0]) {
  const { customerId, origin } = order;
  const work = billing(deps);
  const id = work.newId('cs_sandbox');
  const expires_at = later(work.at, SESSION_MS);
  const session = make(work, 'checkout_session', {
    id,
    customerId,
    dueAt: expires_at,
    body: {
      user_id: order.person.userId,
      plan: order.plan,
      currency: order.currency,
      language: order.language,
      origin,
      success_url: order.successUrl,
      cancel_url: order.cancelUrl,
      changes: order.changes,
      status: 'open',
      payment_status: 'unpaid',
      subscription_id: order.changes,
      invoice_id: null,
      expires_at,
    },
  });
  await onCustomer(deps, customerId, async (customer, now) => {
    const pages = await deps.queries.objectsOf(customerId, 'checkout_session', PAGES_LOOKED_AT);
    const open = things('checkout_session', pages).filter(({ body }) => body.status === 'open');
    const seen = customer.body.origin === origin ? [] : [withBody(customer, now.at, { origin })];
    return merged(...open.map((page) => expireSession(now, page)), { puts: [session, ...seen], events: [] });
  });
  return { sessionId: id, url: `${origin}${PAGES}/checkout/${id}` };
}

/** Links in later invoices lead to where the person last saw this instance. */
function rememberOrigin(
  deps: SandboxDeps,
  customerId: string,
  origin: string,
  puts: Outcome['puts'],
): Promise<void> {
  return onCustomer(deps, customerId, (customer, work) => ({
    puts: customer.body.origin === origin ? puts : [...puts, withBody(customer, work.at, { origin })],
    events: [],
  }));
}

async function onCustomerOf(
  deps: SandboxDeps,
  subscriptionId: string,
  decide: (subscription: SandboxSubscription, work: BillingDeps) => Outcome | null,
): Promise<void> {
  const found = await deps.queries.objectById(subscriptionId);
  // as the real one: nothing to do, and the caller hears that there is none
  if (found?.customer_id == null) return;
  await onCustomer(deps, found.customer_id, async (_customer, work) => {
    const subscription = thingOf('subscription', await deps.queries.objectById(subscriptionId));
    return subscription === null ? null : decide(subscription, work);
  });
}

/** What a person paid for ends; who it was is forgotten, the invoices stay. */
async function forgotten(deps: SandboxDeps, customer: Customer, work: BillingDeps): Promise<Outcome> {
  const running = await runningOf(deps, customer.id);
  const nobody = { email: '', name: '', address: '', card: null };
  const gone = withBody(customer, work.at, nobody, null);
  return merged(...running.map((subscription) => end(work, subscription)), { puts: [gone], events: [] });
}

async function putAll(deps: SandboxDeps, puts: Outcome['puts']): Promise<void> {
  await deps.commit({ changes: puts.map((thing) => put(paymentObject, thing)), actor: null });
}

async function snapshot(deps: SandboxDeps, id: string) {
  const subscription = thingOf('subscription', await deps.queries.objectById(id));
  if (subscription === null) return null;
  const customer = thingOf('customer', await deps.queries.objectById(subscription.customer_id ?? ''));
  const card = customer?.body.card ?? null;
  return {
    ...shownNow(deps, subscription),
    card:
      card === null ? null : { id: card.id, last4: card.last4, year: card.exp_year, month: card.exp_month },
  };
}

function shownNow({ now }: Pick<SandboxDeps, 'now'>, subscription: SandboxSubscription): Snapshot {
  const shown = stripeSubscription.parse(shownSubscription(subscription));
  return { at: secondsOf(isoOf(now())) * 1000, content: subscriptionContent(shown, () => null) };
}

function parsed(raw: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(raw).toString('utf8'));
  } catch {
    throw wrongSignature();
  }
}

export type SandboxDeps = Pick<
  Kernel,
  'now' | 'clockQuality' | 'newId' | 'random' | 'pause' | 'guard' | 'log'
> & {
  commit: Commit;
  queries: {
    objectById: (id: string) => Promise<Row | null>;
    /** Newest first. */
    objectsOf: (customerId: string, kind: Row['kind'], limit: number) => Promise<Row[]>;
    /** Longest due first. */
    dueObjects: (at: string, limit: number) => Promise<Row[]>;
  };
  /** Secret of this instance; what signs events is derived from it. */
  secret: string;
  /** Hands an event to our own webhook. Rejects when it was not taken; it is sent again then. */
  deliver: (raw: Uint8Array, signature: string) => Promise<void>;
};

function billing({ now }: Pick<SandboxDeps, 'now'>, at = isoOf(now())): BillingDeps {
  return { at, newId: (prefix) => `${prefix}_${randomBytes(18).toString('base64url')}` };
}

/**
 * Decides and stores what happens to one customer's things. Whoever else works on the same customer, here or in another
 * process, makes it run again. `null`: nothing happens. `at`: when it happened, if not now.
 */
export async function onCustomer(
  deps: SandboxDeps,
  customerId: string,
  decide: (customer: Customer, work: BillingDeps) => Promise<Outcome | null> | Outcome | null,
  at?: string,
): Promise<void> {
  await perform(deps, null, async () => {
    const guard = await deps.guard('sandbox', customerId);
    const customer = thingOf('customer', await deps.queries.objectById(customerId));
    if (customer === null) throw unknown();
    const work = billing(deps, at);
    const outcome = await decide(customer, work);
    if (outcome === null) return { answer: undefined };
    const changes = changesOf(deps, customerId, outcome, secondsOf(work.at));
    return { answer: undefined, changes, guards: [guard] };
  });
}

/** Rows of an outcome; its events lie beside it in the same commit until they were taken. */
function changesOf(
  deps: SandboxDeps,
  customerId: string,
  { puts, events }: Outcome,
  created: number,
): Change[] {
  const at = isoOf(deps.now());
  const told = events.map(({ type, object }) =>
    // ids grow, so that events that are due together go in their order
    make({ at }, 'event', {
      id: `evt_${deps.newId()}`,
      customerId,
      body: { type, created, object, attempts: 0 },
      dueAt: at,
    }),
  );
  return [...puts, ...told].map((thing) => put(paymentObject, thing));
}

export async function forget(deps: Pick<SandboxDeps, 'commit'>, id: string): Promise<void> {
  await deps.commit({ changes: [purge(paymentObject, id)], actor: null });
}

const SUBSCRIPTIONS_LOOKED_AT = 20;

/** The newest subscription of a customer that has not ended; else the newest of all. */
export async function subscriptionOfCustomer(
  deps: Pick<SandboxDeps, 'queries'>,
  customerId: string,
): Promise<SandboxSubscription | null> {
  const all = await deps.queries.objectsOf(customerId, 'subscription', SUBSCRIPTIONS_LOOKED_AT);
  const newestFirst = things('subscription', all);
  return newestFirst.find(({ body }) => body.status !== 'canceled') ?? newestFirst[0] ?? null;
}

/** Those that have not ended. */
export async function runningOf(
  deps: Pick<SandboxDeps, 'queries'>,
  customerId: string,
): Promise<SandboxSubscription[]> {
  const all = await deps.queries.objectsOf(customerId, 'subscription', SUBSCRIPTIONS_LOOKED_AT);
  return things('subscription', all).filter(({ body }) => body.status !== 'canceled');
}

function unknown(): AppError {
  return conflict('The payment provider does not know you any more; please try again', 'CUSTOMER_UNKNOWN');
}
