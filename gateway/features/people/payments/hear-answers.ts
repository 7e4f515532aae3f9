import { providerSubscription } from '#contract/resources/local-tables.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { type Change, put, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { changedFields, type EndedDoubles, keepOne, runningAt, sureOfMissing } from './keep-one.ts';
import { newsOf } from './payment-news.ts';
import type {
  PaymentNews,
  PaymentProvider,
  PaymentQueries,
  ProviderSubscription,
  Snapshot,
  Subscription,
  SubscriptionChanged,
} from './ports.ts';
import { withAnswer } from './provider-facts.ts';

export type AppliedDeps = Pick<Kernel, 'now' | 'log'> & {
  queries: PaymentQueries;
  provider: PaymentProvider;
  subscriptionChanged: SubscriptionChanged;
  notify: Notify;
  endedDoubles: EndedDoubles;
};
export type HearDeps = AppliedDeps & Pick<Kernel, 'commit' | 'pause' | 'random' | 'guard'>;

/**
 * What the provider answered when it was asked of a subscription; null: it knows none of that id. `lookAt`: when it is
 * asked again, as the subscription stands then.
 */
export type Answer = {
  id: string;
  snapshot: Snapshot | null;
  lookAt?: (heard: ProviderSubscription) => string;
};

/**
 * Asks the provider for everything that runs for a user, and takes it over: what a person paid for counts although its
 * event got lost or is still on its way. Throws 503 when the provider does not answer, 422 when it never knew the user.
 */
export async function askAll(deps: HearDeps, { user_id: userId, ...row }: Subscription): Promise<void> {
  const { provider } = deps;
  const customerId = row.payment_customer_id;
  if (row.payment_provider !== provider.name || customerId === null) return;
  const found = await provider.subscriptionsOf(customerId);
  const answers: Answer[] = found.map(({ id, ...snapshot }) => ({ id, snapshot }));
  const running = runningAt(provider, row);
  if (running !== null && !answers.some(({ id }) => id === running))
    answers.push({
      id: running,
      snapshot: await sureOfMissing(
        deps,
        { id: running, customerId },
        await provider.subscriptionNow(running),
      ),
    });
  await hear(deps, { userId, customerId, answers, actor: userId });
}

/** Takes over what the provider answered of the subscriptions of one user, and tells `news` beside it. */
export async function hear(
  deps: HearDeps,
  of: {
    userId: string;
    customerId: string | null;
    answers: readonly Answer[];
    news?: readonly PaymentNews[];
    actor: string | null;
  },
): Promise<void> {
  const { userId, customerId, answers, news = [], actor } = of;
  if (answers.length === 0) return;
  await perform(deps, actor, async () => {
    const guard = await deps.guard('payments', userId);
    const known = await deps.queries.providerSubscriptionsOf(userId, deps.provider.name);
    const kept = answers.map(({ id, snapshot, lookAt }) => {
      const before = known.find((one) => one.id === id);
      const heard = withAnswer(before ?? unheard(deps, { id, userId, customerId }), snapshot, deps.now());
      return lookAt === undefined ? heard : { ...heard, look_at: lookAt(heard) };
    });
    const told: Change[] = [];
    for (const one of news) told.push(...(await deps.notify({ userIds: [userId] }, newsOf(one, deps.now()))));
    const cause = `asked:${answers.map(({ id, snapshot }) => `${id} ${snapshot?.at ?? ''}`).join()}`;
    const changes = await applied(deps, { userId, known, kept, cause });
    return { answer: undefined, changes: [...changes, ...told], guards: [guard] };
  });
}

function unheard(
  deps: Pick<AppliedDeps, 'now' | 'provider'>,
  { id, userId, customerId }: { id: string; userId: string; customerId: string | null },
): ProviderSubscription {
  return {
    id,
    provider: deps.provider.name,
    user_id: userId,
    customer_id: customerId,
    facts: [],
    updated_at: isoOf(deps.now()),
    look_at: null,
  };
}

/**
 * The changes that bring the user's row to what the provider says now, and tell the user. Of two subscriptions that run
 * the older is ended at the provider first.
 */
export async function applied(
  deps: AppliedDeps,
  word: {
    userId: string;
    known: readonly ProviderSubscription[];
    kept: readonly ProviderSubscription[];
    cause: string;
  },
): Promise<Change[]> {
  const { userId, known, cause } = word;
  const heard = [...known.filter((one) => !word.kept.some(({ id }) => id === one.id)), ...word.kept];
  const { all, ended } = await keepOne(deps, heard);
  const keeping = all.filter((one) => !known.includes(one)).map((one) => put(providerSubscription, one));
  const row = await deps.queries.subscriptionOf(userId);
  if (row === null) return keeping;
  const told: Change[] = [];
  for (const double of ended)
    told.push(
      ...(await deps.notify({ userIds: [userId] }, newsOf({ kind: 'double_ended', ...double }, deps.now()))),
    );
  const set = changedFields(deps.provider.name, row, known, all);
  if (Object.keys(set).length === 0) return [...keeping, ...told];
  const changed = { ...set, updated_at: isoOf(deps.now()) };
  const { rev: _rev, ...before } = row;
  const after = { ...before, ...changed };
  told.push(...(await deps.subscriptionChanged({ before, after, userId, cause })));
  return [...keeping, update(subscription, row, changed), ...told];
}
