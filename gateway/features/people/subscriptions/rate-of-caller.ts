import { PLAN_TERMS, type PlanTerms } from '#contract/plans.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { PLANS, type Plan } from '#contract/words.ts';
import { onTables } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { type Remembered, remembered } from '#core/newest-map.ts';
import type { Caller } from '#core/route.ts';
import type { LapseTerms, SubscriptionQueries } from './ports.ts';
import { lapseOf } from './terms.ts';

const REMEMBERED_MS = 30_000;
const REMEMBERED_USERS = 10_000;

export type RateOfCallerDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
  monotonic: () => number;
  queries: Pick<SubscriptionQueries, 'plansAround'>;
};

/**
 * How many requests a caller may make: by the largest plan among the caller's own and those of the farms the caller
 * works on, so that a technician does not need a plan. One that has lapsed counts as FREE. Remembered for a moment: it is asked with every request.
 * Administrators of the instance are not limited.
 */
export function rateOfCaller(deps: RateOfCallerDeps) {
  const fresh = (): Remembered<PlanTerms['rate']> =>
    remembered({ monotonic: deps.monotonic, ttlMs: REMEMBERED_MS, limit: REMEMBERED_USERS });
  let rates = fresh();
  const load = async (userId: string) =>
    PLAN_TERMS[largestOf(deps, await deps.queries.plansAround(userId))].rate;
  return {
    async rateOf({ userId, role }: Pick<Caller, 'userId' | 'role'>): Promise<PlanTerms['rate']> {
      return role === 'ADMIN' ? null : rates.get(userId, load);
    },
    /** Hears of commits: an upgrade counts at once. */
    hear: onTables([subscription, farmMember, farm], () => {
      rates = fresh();
    }),
  };
}

function largestOf(deps: RateOfCallerDeps, around: readonly LapseTerms[]): Plan {
  const held = around.filter((terms) => lapseOf(deps, terms) === null).map(({ plan }) => plan);
  return held.reduce<Plan>(
    (largest, plan) => (PLANS.indexOf(plan) > PLANS.indexOf(largest) ? plan : largest),
    'FREE',
  );
}
