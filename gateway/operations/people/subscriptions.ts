import type { Database } from '#adapters/sql/database.ts';
import { subscriptionQueries } from '#adapters/sql/queries/people/subscriptions.ts';
import { batchFactQueries } from '#adapters/sql/queries/production/batch-facts.ts';
import type { Feature } from '#contract/plans.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import type { Plan } from '#contract/words.ts';
import { type Change, insert } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { firstSubscription } from '#features/people/subscriptions/first-subscription.ts';
import { usedOf } from '#features/people/subscriptions/full-places.ts';
import {
  type LimitDeps,
  limitBatches,
  limitFarm,
  limitIncoming,
  limitPond,
} from '#features/people/subscriptions/limit-creates.ts';
import { limitHandover } from '#features/people/subscriptions/limit-handover.ts';
import type { Subscription } from '#features/people/subscriptions/ports.ts';
import { subscriptionRoutes } from '#features/people/subscriptions/routes.ts';
import {
  type SubscriptionChange,
  subscriptionChanged,
} from '#features/people/subscriptions/subscription-changed.ts';
import { holdsFeature } from '#features/people/subscriptions/terms.ts';
import { batchStates } from '#features/production/batches/batch-states.ts';

/** What a create asks of the plan of its owner; each answers rows and guards for the creating commit, or throws. */
export type Limits = Subscriptions['limits'];
export type Subscriptions = ReturnType<typeof subscriptionsOf>;

/** Plans, limits and who may use what. Control is wired without it: billing never stops aeration. */
export function subscriptionsOf(kernel: Kernel, database: Database, notify: Notify) {
  const queries = subscriptionQueries(database.read);
  const batches = batchStates({ ...kernel, queries: batchFactQueries(database.read) });
  const deps: LimitDeps = {
    ...kernel,
    notify,
    queries,
    async batchesIn(pondId) {
      const states = (await batches.activeInPonds([pondId])).get(pondId) ?? [];
      return states.map(({ batch }) => batch.id);
    },
  };
  const batchCountsIn = async (pondIds: readonly string[]) => {
    if (pondIds.length === 0) return new Map<string, number>();
    const states = await batches.activeInPonds(pondIds);
    return new Map([...states].map(([pondId, there]) => [pondId, there.length]));
  };
  const changed = (change: SubscriptionChange) => subscriptionChanged({ ...kernel, notify, queries }, change);
  return {
    routes: subscriptionRoutes({ ...kernel, queries, subscriptionChanged: changed, batchCountsIn }),
    limits: {
      farm: (farm: Parameters<typeof limitFarm>[1]) => limitFarm(deps, farm),
      pond: (pond: Parameters<typeof limitPond>[1], ownerId: string) => limitPond(deps, pond, ownerId),
      batches: (made: Parameters<typeof limitBatches>[1]) => limitBatches(deps, made),
      handover: (wish: Parameters<typeof limitHandover>[1]) => limitHandover(deps, wish),
      incoming: (arrival: Parameters<typeof limitIncoming>[1]) => limitIncoming(deps, arrival),
    },
    /** How much of a plan its owner uses. */
    usedOf: (row: Subscription) => usedOf({ queries, batchCountsIn }, row),
    /** The subscription a new account begins with, and the news of it, for the commit that makes the account. */
    async first(account: { id: string; language?: string | null }, plan: Plan): Promise<Change[]> {
      const { id: userId, language = null } = account;
      const row = firstSubscription(kernel, userId, plan);
      const told = await changed({ before: null, after: row, userId, language, cause: row.id });
      return [insert(subscription, row), ...told];
    },
    /** Changes that tell a user of a changed subscription, for the commit that changes it. */
    subscriptionChanged: changed,
    /** Throws 402 or 403 when a lapse is in the way. */
    async hasFeature(userId: string, feature: Feature): Promise<boolean> {
      const row = await queries.subscriptionOf(userId);
      return row !== null && holdsFeature(kernel, row, feature);
    },
  };
}
