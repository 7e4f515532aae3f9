import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import type {
  Cancelled,
  CheckoutInput,
  Customer,
  PaymentDesk,
  PaymentProvider,
  PaymentQueries,
  Person,
  SoldPlan,
  Subscription,
  SubscriptionChanged,
} from './ports.ts';
import { factsOf, withFact } from './provider-facts.ts';
import { applied, factOfAnswer } from './take-event.ts';

export type OwnDeskDeps = Pick<Kernel, 'now' | 'commit' | 'pause' | 'random' | 'guard'> & {
  queries: PaymentQueries;
  provider: PaymentProvider;
  subscriptionChanged: SubscriptionChanged;
};

/** The desk of an instance that has a payment provider of its own. */
export function ownDesk(deps: OwnDeskDeps): PaymentDesk {
  return {
    checkout: (customer, input) => checkout(deps, customer, input),
    async portal({ userId, language, origin }, returnUrl) {
      const { customerId } = await customerOf(deps, userId);
      return deps.provider.createPortal({ customerId, returnUrl, language, origin });
    },
    cancel: ({ userId }, wish) => cancel(deps, userId, wish),
  };
}

async function checkout(deps: OwnDeskDeps, customer: Customer, input: CheckoutInput) {
  const plan = soldPlan(input.plan);
  const { userId, language, origin } = customer;
  const current = await ownSubscription(deps, userId);
  const running = runningAt(deps.provider, current);
  if (running !== null && current.plan === plan) throw subscribedAlready(current);
  const { customerId, person } = await customerOf(deps, userId);
  const { sessionId, url } = await deps.provider.createCheckout({
    person,
    customerId,
    plan,
    currency: running === null ? (input.currency ?? current.currency) : current.currency,
    successUrl: input.successUrl,
    cancelUrl: input.cancelUrl,
    language,
    origin,
    changes: running,
  });
  return { session_id: sessionId, url };
}

function soldPlan(plan: CheckoutInput['plan']): SoldPlan {
  switch (plan) {
    case 'BASIC':
    case 'PROFESSIONAL':
      return plan;
    case 'FREE':
      throw notForSale(
        'FREE costs nothing: cancel your subscription instead of paying for it',
        'PLAN_NOT_SOLD',
      );
    case 'ENTERPRISE':
      throw notForSale('ENTERPRISE is sold by agreement: please contact sales', 'CONTACT_SALES');
  }
}

function notForSale(detail: string, code: string): AppError {
  return new AppError(422, detail, { code, errors: [{ path: 'plan', code, message: detail }] });
}

function subscribedAlready({ plan, status, cancel_at_period_end }: Subscription): AppError {
  if (status === 'PAST_DUE')
    return conflict(
      `You have ${plan} already and a payment is missing: make it in the billing portal`,
      'ALREADY_SUBSCRIBED',
    );
  const hint = cancel_at_period_end ? '; take the cancellation back in the billing portal' : '';
  return conflict(`You have ${plan} already${hint}`, 'ALREADY_SUBSCRIBED');
}

async function ownSubscription({ queries }: OwnDeskDeps, userId: string): Promise<Subscription> {
  const row = await queries.subscriptionOf(userId);
  if (row === null) throw notFound('Subscription');
  return row;
}

/** The subscription that runs at this very provider; one of another provider is none here. */
function runningAt(provider: PaymentProvider, row: Subscription): string | null {
  if (row.payment_provider !== provider.name || row.status === 'CANCELED') return null;
  return row.payment_subscription_id;
}

/**
 * Who the user is to the provider. Made at the first need, and stored before anybody can pay: what the provider tells
 * later finds its user by it.
 */
async function customerOf(
  deps: OwnDeskDeps,
  userId: string,
): Promise<{ customerId: string; person: Person }> {
  const person = await deps.queries.personOf(userId);
  if (person === null) throw notFound('User');
  const { answer } = await perform(deps, userId, async () => {
    const row = await ownSubscription(deps, userId);
    if (row.payment_provider === deps.provider.name && row.payment_customer_id !== null)
      return { answer: row.payment_customer_id };
    const customerId = await deps.provider.createCustomer(person);
    const set = {
      payment_provider: deps.provider.name,
      payment_customer_id: customerId,
      payment_subscription_id: null,
      updated_at: isoOf(deps.now()),
    };
    return { answer: customerId, changes: [update(subscription, row, set)] };
  });
  return { customerId: answer, person };
}

/**
 * Cancels at the provider first: what is not cancelled there costs money. When our own commit fails afterwards the
 * provider's event brings it.
 */
async function cancel(
  deps: OwnDeskDeps,
  userId: string,
  wish: Parameters<PaymentDesk['cancel']>[1],
): Promise<Cancelled> {
  const current = await ownSubscription(deps, userId);
  if (current.status === 'CANCELED')
    throw new AppError(403, 'The subscription is cancelled already', { code: 'SUBSCRIPTION_CANCELED' });
  const id = runningAt(deps.provider, current);
  if (id === null) {
    throw new AppError(402, 'There is no paid subscription that could be cancelled', {
      code: 'SUBSCRIPTION_REQUIRED',
    });
  }
  const { at, content } = await deps.provider.cancelSubscription({ subscriptionId: id, ...wish });
  await perform(deps, userId, async () => {
    const guard = await deps.guard('payments', userId);
    const known = await deps.queries.providerSubscriptionsOf(userId, deps.provider.name);
    const before = known.find((one) => one.id === id);
    const fact = factOfAnswer(content, at);
    const kept = {
      id,
      provider: deps.provider.name,
      user_id: userId,
      customer_id: before?.customer_id ?? current.payment_customer_id,
      facts: withFact(factsOf(before ?? { facts: [] }), fact),
      updated_at: isoOf(deps.now()),
    };
    const changes = await applied(deps, { userId, known, kept, cause: `cancel:${id}:${fact.at}` });
    return { answer: undefined, changes, guards: [guard] };
  });
  return cancelledAnswer(id, await ownSubscription(deps, userId));
}

function cancelledAnswer(id: string, row: Subscription): Cancelled {
  const { status, cancel_at_period_end, current_period_end } = row;
  const until =
    current_period_end === null ? 'the end of the current billing period' : current_period_end.slice(0, 10);
  return {
    subscription_id: id,
    status,
    cancel_at_period_end,
    current_period_end,
    message:
      status === 'CANCELED'
        ? 'The subscription is cancelled as of now. What exists stays and works; nothing new can be created.'
        : `The subscription stays ${status} until ${until}, the end of the current billing period, and is not renewed.`,
  };
}
