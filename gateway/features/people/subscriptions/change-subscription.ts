import { type SubscriptionUpdate, subscription } from '#contract/resources/subscriptions.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Subscription, SubscriptionQueries, SubscriptionRow } from './ports.ts';
import { cancelledWords, createdWords, updatedWords } from './subscription-words.ts';
import { firstSubscription, limitsOf, planSet } from './terms.ts';
import { type CrossingDeps, crossing } from './usage-crossings.ts';
import { COUNTED, levelOf, maximaOf } from './usage-rules.ts';

type SubscriptionChangedDeps = CrossingDeps & {
  queries: Pick<SubscriptionQueries, 'usageOf'>;
};

export type SubscriptionChange = {
  /** null: there was none. */
  before: SubscriptionRow | null;
  after: SubscriptionRow;
  userId: string;
  /** Of a user who is made in the same commit. */
  language?: string | null;
  /** Names the event (a payment event's id, a request): the same cause tells once, on every instance. */
  cause: string;
};

/** What a change of a subscription means to its user; null: nothing anybody has to know (ids, a next period). */
type SubscriptionEvent = 'created' | 'updated' | 'cancelled' | 'cancellation_scheduled';

function eventOf(before: SubscriptionRow | null, after: SubscriptionRow): SubscriptionEvent | null {
  if (before === null) return 'created';
  const isOver = after.status === 'CANCELED';
  if (isOver && before.status !== 'CANCELED') return 'cancelled';
  if (!isOver && isNewlyBought(before, after)) return 'created';
  if (!isOver && after.cancel_at_period_end && !before.cancel_at_period_end) return 'cancellation_scheduled';
  const isSame = TOLD_FIELDS.every(
    (field) =>
      // what is over cannot be cancelled
      (isOver && field === 'cancel_at_period_end') ||
      JSON.stringify(before[field]) === JSON.stringify(after[field]),
  );
  return isSame ? null : 'updated';
}

/** A person's first paid subscription, or a new one after the end of another. */
function isNewlyBought(before: SubscriptionRow, after: SubscriptionRow): boolean {
  const { payment_subscription_id: id } = after;
  if (id === null || id === before.payment_subscription_id) return false;
  return before.payment_subscription_id === null || before.status === 'CANCELED';
}

const TOLD_FIELDS = [
  'plan',
  'status',
  'currency',
  'cancel_at_period_end',
  'max_farms',
  'max_ponds_per_farm',
  'max_batches_per_pond',
  'features',
] as const satisfies readonly (keyof SubscriptionRow)[];

/**
 * Changes that tell the user of a new, changed or cancelled subscription, and of limits that it brings near; for the
 * very commit that changes it.
 */
export async function subscriptionChanged(
  deps: SubscriptionChangedDeps,
  change: SubscriptionChange,
): Promise<Change[]> {
  const { before, after, userId, language = null, cause } = change;
  const event = eventOf(before, after);
  if (event === null) return [];
  const news = await deps.notify(
    { userIds: [userId], language },
    {
      type: 'SUBSCRIPTION',
      ...wordsOf(event, before, after),
      data: {
        event,
        plan: after.plan,
        previous_plan: before?.plan ?? null,
        status: after.status,
        previous_status: before?.status ?? null,
        cancel_at_period_end: after.cancel_at_period_end,
        current_period_end: after.current_period_end,
      },
      cause: `subscription:${after.id}:${event}:${cause}`,
    },
  );
  return [...news, ...(await crossings(deps, change))];
}

function wordsOf(event: SubscriptionEvent, before: SubscriptionRow | null, after: SubscriptionRow) {
  if (event === 'created' || before === null) return createdWords(after);
  return event === 'updated' ? updatedWords(before, after) : cancelledWords(after);
}

/** A smaller plan may already be used up; a larger one makes old warnings untrue. */
async function crossings(
  deps: SubscriptionChangedDeps,
  { before, after, userId, cause }: SubscriptionChange,
): Promise<Change[]> {
  const maxAfter = maximaOf(limitsOf(after));
  const maxBefore = before === null ? maxAfter : maximaOf(limitsOf(before));
  if (COUNTED.every((resource) => maxBefore[resource] === maxAfter[resource])) return [];
  const usage = await deps.queries.usageOf(userId);
  const changes: Change[] = [];
  for (const resource of COUNTED) {
    const current = usage[resource];
    changes.push(
      ...(await crossing(deps, {
        userId,
        resource,
        before: levelOf(current, maxBefore[resource]),
        after: levelOf(current, maxAfter[resource]),
        current,
        max: maxAfter[resource],
        cause,
        terms: after,
      })),
    );
  }
  return changes;
}

export type ChangeSubscriptionDeps = Pick<Kernel, 'now' | 'newId'> & {
  subscriptionChanged: (change: SubscriptionChange) => Promise<Change[]>;
};

/**
 * Decides what an administrator sets. Fields left out stay, but a new plan brings its own limits and features. An
 * account without a subscription gets one.
 */
export async function changeSubscription(
  deps: ChangeSubscriptionDeps,
  { userId, current }: { userId: string; current: Subscription | null },
  input: SubscriptionUpdate,
): Promise<Decision<Subscription>> {
  const at = isoOf(deps.now());
  if (current === null) {
    const first = firstSubscription(deps, userId, input.plan ?? 'FREE');
    const row = { ...first, ...setOf(first, input, at) };
    const news = await deps.subscriptionChanged({ before: null, after: row, userId, cause: row.id });
    return { answer: { ...row, rev: 1 }, changes: [insert(subscription, row), ...news] };
  }
  const set = setOf(current, input, at);
  const wanted = { ...current, ...set };
  if (JSON.stringify(wanted) === JSON.stringify(current)) return { answer: current };
  const after: Subscription = { ...wanted, updated_at: at, rev: current.rev + 1 };
  const cause = `${current.id}:${after.rev}`;
  const news = await deps.subscriptionChanged({ before: current, after, userId, cause });
  return {
    answer: after,
    changes: [update(subscription, current, { ...set, updated_at: at }), ...news],
  };
}

function setOf(current: SubscriptionRow, input: SubscriptionUpdate, at: string): Partial<SubscriptionRow> {
  const isNewPlan = input.plan !== undefined && input.plan !== current.plan;
  const set: Partial<SubscriptionRow> = isNewPlan && input.plan !== undefined ? planSet(input.plan) : {};
  for (const field of ['max_farms', 'max_ponds_per_farm', 'max_batches_per_pond'] as const) {
    const value = input[field];
    if (value !== undefined) set[field] = value;
  }
  if (input.features !== undefined) {
    const before = isNewPlan ? null : current.features;
    set.features = input.features === null ? null : { ...before, ...given(input.features) };
  }
  if (input.currency !== undefined) set.currency = input.currency;
  return { ...set, ...statusSet(current, input.status, at) };
}

/** What a change of status sets beside it; PAST_DUE that goes on keeps its grace running. */
function statusSet(
  current: Pick<SubscriptionRow, 'status' | 'past_due_since'>,
  status: SubscriptionRow['status'] | undefined,
  at: string,
): Partial<SubscriptionRow> {
  if (status === undefined) return {};
  const isStillDue = current.status === 'PAST_DUE' && current.past_due_since !== null;
  return {
    status,
    past_due_since: status === 'PAST_DUE' ? (isStillDue ? current.past_due_since : at) : null,
    ...(status === 'ACTIVE' ? { cancel_at_period_end: false } : {}),
  };
}

const given = (flags: Readonly<Record<string, boolean | undefined>>): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(flags).flatMap(([name, flag]) => (flag === undefined ? [] : [[name, flag]])),
  );
