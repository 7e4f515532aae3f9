import { type PlanLimits, UNLIMITED } from '#contract/plans.ts';
import type { Place, Subscription, SubscriptionQueries, Usage } from './ports.ts';
import { limitsOf } from './terms.ts';
import { isWarnedOf, warnedFrom } from './usage-rules.ts';

/** A farm or a pond on which the plan allows little or nothing more: its limits carry a warning. */
export type TightPlace = { place: Place; current: number; max: number };

export type UsedDeps = {
  queries: Pick<SubscriptionQueries, 'usageOf' | 'farmsWithPonds' | 'pondsWithBatches'>;
  /** How many ACTIVE batches are in each of the ponds; see `batchesIn` of LimitDeps. */
  batchCountsIn: (pondIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
};

/** How much of a plan its owner uses: altogether, and the places where it is used up, or nearly. */
export type Used = { usage: Usage; tight: readonly TightPlace[] };

export async function usedOf(deps: UsedDeps, row: Subscription): Promise<Used> {
  return {
    usage: await deps.queries.usageOf(row.user_id),
    tight: await tightPlaces(deps, row.user_id, limitsOf(row)),
  };
}

/** There may be room on other farms and in other ponds of the owner, or none anywhere. */
async function tightPlaces(deps: UsedDeps, ownerId: string, limits: PlanLimits): Promise<TightPlace[]> {
  const { max_ponds_per_farm: maxPonds, max_batches_per_pond: maxBatches } = limits;
  const farms =
    maxPonds === UNLIMITED
      ? []
      : await deps.queries.farmsWithPonds({ ownerId, atLeast: warnedFrom(maxPonds) });
  const maybe =
    maxBatches === UNLIMITED
      ? []
      : await deps.queries.pondsWithBatches({ ownerId, atLeast: warnedFrom(maxBatches) });
  // counted were all that were ever there
  const counts = await deps.batchCountsIn(maybe.map(({ pondId }) => pondId));
  const ponds = maybe.map((place) => ({ place, current: counts.get(place.pondId) ?? 0, max: maxBatches }));
  return [
    ...farms.map(({ current, ...place }) => ({ place, current, max: maxPonds })),
    ...ponds.filter(({ current }) => isWarnedOf(current, maxBatches)),
  ];
}
