import type { Change } from '#core/changes.ts';
import type { SubscriptionQueries, SubscriptionRow } from './ports.ts';
import { cancelledWords, createdWords, updatedWords } from './subscription-words.ts';
import { limitsOf } from './terms.ts';
import { type CrossingDeps, crossing } from './usage-crossings.ts';
import { COUNTED, levelOf, maximaOf } from './usage-rules.ts';

export type SubscriptionChangedDeps = CrossingDeps & {
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
export type SubscriptionEvent = 'created' | 'updated' | 'cancelled' | 'cancellation_scheduled';

export function eventOf(before: SubscriptionRow | null, after: SubscriptionRow): SubscriptionEvent | null {
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
      })),
    );
  }
  return changes;
}
