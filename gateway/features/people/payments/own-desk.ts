import { subscription } from '#contract/resources/subscriptions.ts';
import { update } from '#core/changes.ts';
import { AppError, conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { type Answer, askAll, type HearDeps, hear } from './hear-answers.ts';
import { isRunning, NOTHING_AGREED, runningAt, sureOfMissing } from './keep-one.ts';
import type {
  Cancelled,
  CheckoutInput,
  Customer,
  PaymentDesk,
  PaymentQueries,
  Person,
  SoldPlan,
  Subscription,
  SubscriptionChanged,
} from './ports.ts';

type ChooseFreeDeps = Pick<Kernel, 'now' | 'newId' | 'commit' | 'pause' | 'random' | 'guard'> & {
  queries: Pick<PaymentQueries, 'subscriptionOf'>;
  subscriptionChanged: SubscriptionChanged;
};

export type OwnDeskDeps = HearDeps & ChooseFreeDeps;

/** The desk of an instance that has a payment provider of its own. */
export function ownDesk(deps: OwnDeskDeps): PaymentDesk {
  return {
    checkout: (customer, input) => checkout(deps, customer, input),
    portal: ({ userId, language, origin }, returnUrl) =>
      asCustomer(deps, userId, ({ customerId }) =>
        deps.provider.createPortal({ customerId, returnUrl, language, origin }),
      ),
    cancel: ({ userId }, wish) => cancel(deps, userId, wish),
  };
}

async function checkout(deps: OwnDeskDeps, customer: Customer, input: CheckoutInput) {
  const { userId, language, origin } = customer;
  if (input.plan === 'FREE') return chooseFree(deps, userId, input);
  const plan = soldPlan(input.plan);
  // what was paid for on another page a moment ago counts before anything is sold
  await askAll(deps, await ownSubscription(deps, userId));
  const current = await ownSubscription(deps, userId);
  const running = runningAt(deps.provider, current);
  if (running !== null && current.plan === plan) throw subscribedAlready(current);
  const { sessionId, url } = await asCustomer(deps, userId, ({ customerId, person }) =>
    deps.provider.createCheckout({
      person,
      customerId,
      plan,
      currency: running === null ? (input.currency ?? current.currency) : current.currency,
      successUrl: input.successUrl,
      cancelUrl: input.cancelUrl,
      language,
      origin,
      changes: running,
    }),
  );
  return { session_id: sessionId, url };
}

function soldPlan(plan: Exclude<CheckoutInput['plan'], 'FREE'>): SoldPlan {
  if (plan === 'ENTERPRISE')
    throw notForSale('ENTERPRISE is sold by agreement: please contact sales', 'CONTACT_SALES');
  return plan;
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

type Known = { customerId: string; person: Person };

/** Asks something of the provider for a user, whom it gets to know anew where it has forgotten who that is. */
async function asCustomer<Result>(
  deps: OwnDeskDeps,
  userId: string,
  ask: (customer: Known) => Promise<Result>,
): Promise<Result> {
  const customer = await customerOf(deps, userId);
  try {
    return await ask(customer);
  } catch (error) {
    if (!(error instanceof AppError) || error.extras.code !== 'CUSTOMER_UNKNOWN') throw error;
    return ask(await customerOf(deps, userId, { instead: customer.customerId }));
  }
}

/**
 * Who the user is to the provider. Made at the first need, and stored before anybody can pay: what the provider tells
 * later finds its user by it. `instead` of one that the provider does not know any more.
 */
async function customerOf(
  deps: OwnDeskDeps,
  userId: string,
  { instead = null }: { instead?: string | null } = {},
): Promise<Known> {
  const person = await deps.queries.personOf(userId);
  if (person === null) throw notFound('User');
  const { name } = deps.provider;
  const knownAs = ({ payment_provider: provider, payment_customer_id: id }: Subscription) =>
    provider === name && id !== instead ? id : null;
  const before = await ownSubscription(deps, userId);
  // asked once and before anything is decided; two that ask at once get the same customer, by the key of the attempt
  const customerId =
    knownAs(before) ?? (await deps.provider.createCustomer(person, `${before.payment_customer_id}`));
  const { answer } = await perform(deps, userId, async () => {
    const row = await ownSubscription(deps, userId);
    const known = knownAs(row);
    if (known !== null) return { answer: known };
    const isOfHere = row.payment_provider === name;
    const set = {
      payment_provider: name,
      payment_customer_id: customerId,
      // what another provider sold is nothing to this one
      payment_subscription_id: isOfHere ? row.payment_subscription_id : null,
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
  // paid for, and its event got lost
  if (runningAt(deps.provider, current) === null) await askAll(deps, current);
  const { payment_customer_id: customerId, ...held } = await ownSubscription(deps, userId);
  const id = runningAt(deps.provider, held);
  if (id === null) {
    throw new AppError(402, 'There is no paid subscription that could be cancelled', {
      code: 'SUBSCRIPTION_REQUIRED',
    });
  }
  const known = await deps.queries.providerSubscriptionsOf(userId, deps.provider.name);
  const running = new Set([id, ...known.filter(isRunning).map((one) => one.id)]);
  const answers: Answer[] = [];
  for (const subscriptionId of running)
    answers.push({
      id: subscriptionId,
      snapshot: await sureOfMissing(
        deps,
        { id: subscriptionId, customerId },
        await deps.provider.cancelSubscription({ subscriptionId, ...wish }),
      ),
    });
  await hear(deps, { userId, customerId, answers, actor: userId });
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

/**
 * The way back for who has cancelled: FREE costs nothing, so it is there before the person is. Throws 422 for anybody
 * whose subscription goes on.
 */
async function chooseFree(
  deps: ChooseFreeDeps,
  userId: string,
  { successUrl }: Pick<CheckoutInput, 'successUrl'>,
): Promise<{ session_id: string; url: string }> {
  const sessionId = `free_${deps.newId()}`;
  await perform(deps, userId, async () => {
    const guard = await deps.guard('payments', userId);
    const row = await deps.queries.subscriptionOf(userId);
    if (row === null) throw notFound('Subscription');
    if (row.status !== 'CANCELED')
      throw notForSale(
        'FREE costs nothing: cancel your subscription instead of paying for it',
        'PLAN_NOT_SOLD',
      );
    const set = {
      ...NOTHING_AGREED,
      plan: 'FREE' as const,
      status: 'ACTIVE' as const,
      payment_subscription_id: null,
      current_period_start: null,
      current_period_end: null,
      cancel_at_period_end: false,
      past_due_since: null,
      updated_at: isoOf(deps.now()),
    };
    const { rev: _rev, ...before } = row;
    const told = await deps.subscriptionChanged({
      before,
      after: { ...before, ...set },
      userId,
      cause: sessionId,
    });
    return { answer: undefined, changes: [update(subscription, row, set), ...told], guards: [guard] };
  });
  return { session_id: sessionId, url: successUrl.replaceAll('{CHECKOUT_SESSION_ID}', sessionId) };
}

function notForSale(detail: string, code: string): AppError {
  return new AppError(422, detail, { code, errors: [{ path: 'plan', code, message: detail }] });
}
