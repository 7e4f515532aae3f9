import { errorBody } from '#contract/fields.ts';
import { paymentEvent, providerSubscription } from '#contract/resources/local-tables.ts';
import {
  cancelInput,
  cancelledSubscription,
  checkoutInput,
  checkoutSession,
  eventReceived,
  portalInput,
  portalSession,
} from '#contract/resources/payments.ts';
import { type Change, insert, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { applied } from './hear-answers.ts';
import type { EndedDoubles } from './keep-one.ts';
import { newsOf } from './payment-news.ts';
import type {
  Customer,
  Fact,
  PaymentDesk,
  PaymentProvider,
  PaymentQueries,
  ProviderEvent,
  ProviderSubscription,
  SubscriptionChanged,
} from './ports.ts';
import { factOfAnswer, factsOf, isOutdated, isUnclear, withFact } from './provider-facts.ts';

export type PaymentRoutesDeps = TakeEventDeps & {
  desk: PaymentDesk;
  /** Address of this instance for people; null: the one the caller used. */
  publicUrl: string | null;
};

/** Events of the provider are a few KiB. */
const MAX_EVENT_BYTES = 524_288;

const common = { method: 'POST', tag: 'Payments', access: { who: 'account' } } as const;

export function paymentRoutes(deps: PaymentRoutesDeps): Route[] {
  const customer = (request: Request<unknown, unknown, unknown>): Customer => ({
    userId: signedIn(request).userId,
    language: request.language,
    origin: deps.publicUrl ?? request.origin,
  });
  const portalRoute = (path: string) =>
    route({
      ...common,
      path,
      summary: 'Get the address of the billing portal: invoices, payment method, cancellation',
      body: portalInput,
      answers: { 200: { schema: portalSession } },
      async handle(request) {
        const body = await deps.desk.portal(customer(request), request.body.return_url);
        return { answer: { status: 200, body } };
      },
    });
  return [
    route({
      ...common,
      path: '/payment/create-checkout-session',
      summary: 'Get the address of a page that sells a plan to the caller',
      body: checkoutInput,
      idempotent: true,
      answers: { 200: { schema: checkoutSession } },
      async handle(request) {
        const { plan, success_url: successUrl, cancel_url: cancelUrl, currency = null } = request.body;
        const input = { plan, successUrl, cancelUrl, currency };
        return { answer: { status: 200, body: await deps.desk.checkout(customer(request), input) } };
      },
    }),
    portalRoute('/payment/create-billing-portal'),
    portalRoute('/payment/create-portal-session'),
    route({
      ...common,
      path: '/payment/cancel-subscription',
      summary: 'Cancel the subscription of the caller, at the end of what is paid or at once',
      body: cancelInput,
      answers: { 200: { schema: cancelledSubscription }, 402: { schema: errorBody } },
      async handle(request) {
        const { cancel_at_period_end, reason = null } = request.body;
        const when = cancel_at_period_end ? ('at period end' as const) : ('now' as const);
        return { answer: { status: 200, body: await deps.desk.cancel(customer(request), { when, reason }) } };
      },
    }),
    webhookRoute(deps),
  ];
}

function webhookRoute(deps: TakeEventDeps): Route {
  return route({
    method: 'POST',
    path: '/payment/webhook',
    tag: 'Payments',
    summary: 'Events of the payment provider, signed by it; an event that comes twice counts once',
    // the signature is the credential
    access: { who: 'anyone' },
    takes: { media: 'application/json', maxBytes: MAX_EVENT_BYTES },
    answers: { 200: { schema: eventReceived } },
    async handle({ upload, signature }) {
      const event = deps.provider.readEvent(upload ?? new Uint8Array(), signature);
      const taken = await takeEvent(deps, event);
      return { ...taken, answer: { status: 200, body: { received: true } } };
    },
  });
}

type TakeEventDeps = Pick<Kernel, 'now' | 'guard' | 'log'> & {
  queries: PaymentQueries;
  provider: PaymentProvider;
  subscriptionChanged: SubscriptionChanged;
  notify: Notify;
  endedDoubles: EndedDoubles;
};

type Outcome = 'applied' | 'outdated' | 'ignored';

/**
 * Decides what an event of the provider changes: the subscription, what its user is told, and that the event was taken,
 * in one commit. An event that was taken before changes nothing. Throws 503 when the provider has to be asked and does
 * not answer; then it sends the event again.
 */
export async function takeEvent(deps: TakeEventDeps, event: ProviderEvent): Promise<Decision<Outcome>> {
  const seen = await deps.queries.eventSeen(event.id);
  if (seen !== null && seen.outcome !== 'ignored') return { answer: seen.outcome };
  const userId = await userOf(deps.queries, event);
  if (userId === null) {
    if (event.about !== null)
      deps.log.info({ event: event.id, type: event.type }, 'a payment event is about nobody we know');
    return { answer: 'ignored', changes: [put(paymentEvent, eventRow(deps, event, 'ignored'))] };
  }
  const guard = await deps.guard('payments', userId);
  const { changes, isOld } = await subscriptionChanges(deps, event, userId);
  const news = isOld && !staysTrue(event) ? [] : await newsChanges(deps, event, userId);
  const outcome: Outcome = isOld && news.length === 0 ? 'outdated' : 'applied';
  const row = eventRow(deps, event, outcome);
  return {
    answer: outcome,
    changes: [seen === null ? insert(paymentEvent, row) : put(paymentEvent, row), ...changes, ...news],
    guards: [guard],
  };
}

function eventRow(deps: Pick<Kernel, 'now'>, event: ProviderEvent, outcome: Outcome) {
  return {
    id: event.id,
    type: event.type,
    provider: event.provider,
    created_at: isoOf(event.at),
    received_at: isoOf(deps.now()),
    outcome,
  };
}

/** A receipt is true whenever it comes; that a payment failed is old once it was made. */
function staysTrue({ news }: ProviderEvent): boolean {
  return news !== null && news.kind !== 'payment_failed' && news.kind !== 'trial_ending';
}

async function userOf(queries: PaymentQueries, { about }: ProviderEvent): Promise<string | null> {
  if (about === null) return null;
  const { subscriptionId, customerId, userId } = about;
  const holder = subscriptionId === null ? null : await queries.holderOf(subscriptionId);
  if (holder !== null) return holder;
  const payer = customerId === null ? null : await queries.userOfCustomer(customerId);
  if (payer !== null || userId === null) return payer;
  return (await queries.personOf(userId)) === null ? null : userId;
}

async function subscriptionChanges(
  deps: TakeEventDeps,
  event: ProviderEvent,
  userId: string,
): Promise<{ changes: Change[]; isOld: boolean }> {
  const { about, content } = event;
  const id = about?.subscriptionId ?? null;
  if (id === null) return { changes: [], isOld: false };
  const known = await deps.queries.providerSubscriptionsOf(userId, event.provider);
  const facts = factsOf(known.find((one) => one.id === id) ?? { facts: [] });
  // a first payment that failed says nothing of a subscription, and is old once that has begun
  if (content === null) return { changes: [], isOld: hadBegun(facts, isoOf(event.at)) };
  const fact: Fact = { ...content, at: isoOf(event.at), rank: event.rank, source: event.id };
  const isToAsk = isUnclear(facts, fact);
  if (!isToAsk && isOutdated(facts, fact)) {
    const kept = standing(deps, known, { id, event, userId, facts: withFact(facts, fact) });
    return { changes: [put(providerSubscription, kept)], isOld: true };
  }
  const told = isToAsk ? await askedFact(deps.provider, id, event.at) : null;
  const all = [fact, ...(told === null ? [] : [told])].reduce(withFact, facts);
  const kept = standing(deps, known, { id, event, userId, facts: all });
  return { changes: await applied(deps, { userId, known, kept: [kept], cause: event.id }), isOld: false };
}

function hadBegun(facts: readonly Fact[], at: string): boolean {
  return facts.some(
    (fact) =>
      fact.at >= at && (fact.payment === 'paid' || fact.status === 'ACTIVE' || fact.status === 'TRIALING'),
  );
}

async function askedFact(provider: PaymentProvider, id: string, notBefore: number): Promise<Fact | null> {
  const snapshot = await provider.subscriptionNow(id);
  if (snapshot === null) return null;
  return factOfAnswer(snapshot.content, Math.max(snapshot.at, notBefore));
}

function standing(
  deps: Pick<Kernel, 'now'>,
  known: readonly ProviderSubscription[],
  word: { id: string; event: ProviderEvent; userId: string; facts: Fact[] },
): ProviderSubscription {
  const before = known.find(({ id }) => id === word.id);
  return {
    id: word.id,
    provider: word.event.provider,
    user_id: word.userId,
    customer_id: before?.customer_id ?? word.event.about?.customerId ?? null,
    facts: word.facts,
    updated_at: isoOf(deps.now()),
    look_at: before?.look_at ?? null,
  };
}

async function newsChanges(deps: TakeEventDeps, event: ProviderEvent, userId: string): Promise<Change[]> {
  if (event.news === null) return [];
  return deps.notify({ userIds: [userId] }, newsOf(event.news, event.at));
}
