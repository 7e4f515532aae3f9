import { type PlanLimits, UNLIMITED } from '#contract/plans.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Counted, LimitFacts, SubscriptionQueries } from './ports.ts';
import { lapseOf, limitsOf, noSubscription } from './terms.ts';
import { type CrossingDeps, crossing, crossingIdOf } from './usage-crossings.ts';
import { hasRoom, levelOf, maximaOf } from './usage-rules.ts';

// The plan's word on what is created, inside the transaction that creates it. Every create of an owner holds one guard,
// so that two at the same moment do not both take the last place.

export type LimitDeps = Pick<Kernel, 'now' | 'idOf' | 'clockQuality'> &
  CrossingDeps & {
    queries: Pick<SubscriptionQueries, 'farmFacts' | 'pondFacts' | 'batchFacts'>;
    /** ACTIVE batches that hold animals in the pond, or began there and hold none anywhere. */
    batchesIn: (pondId: string) => Promise<readonly string[]>;
  };

/** Rows and guards for the commit that creates. */
export type Beside = Pick<Decision<never>, 'changes' | 'guards'>;

/** Throws when the owner's plan allows no further farm. */
export async function limitFarm(deps: LimitDeps, farm: { id: string; owner_id: string }): Promise<Beside> {
  const ownerId = farm.owner_id;
  const facts = await deps.queries.farmFacts({ ownerId, crossingId: crossingIdOf(deps, ownerId, 'farms') });
  const asked = { ownerId, resource: 'farms', cause: farm.id } as const;
  return take(deps, asked, { facts: standing(deps, facts), limit: 'max_farms', adding: 1 });
}

/** Throws when the plan of the farm's owner allows no further pond on it. */
export async function limitPond(
  deps: LimitDeps,
  pond: { id: string; farm_id: string },
  ownerId: string,
): Promise<Beside> {
  const crossingId = crossingIdOf(deps, ownerId, 'ponds');
  const facts = await deps.queries.pondFacts({ ownerId, crossingId, farmId: pond.farm_id });
  const asked = { ownerId, resource: 'ponds', cause: pond.id } as const;
  return take(deps, asked, { facts: standing(deps, facts), limit: 'max_ponds_per_farm', adding: 1 });
}

/** Throws when the plan allows no further ACTIVE batch in one of the ponds. All batches are of one owner. */
export async function limitBatches(
  deps: LimitDeps,
  batches: readonly { id: string; pond_id: string; owner_id: string }[],
): Promise<Beside> {
  const besides: Beside[] = [];
  for (const [pondId, incoming] of Map.groupBy(batches, ({ pond_id }) => pond_id)) {
    const [first] = incoming;
    if (first === undefined) continue;
    const facts = await pondFactsOf(deps, { ownerId: first.owner_id, pondId, adding: incoming.length });
    const asked = { ownerId: first.owner_id, resource: 'active_batches', cause: first.id } as const;
    besides.push(
      await take(deps, asked, {
        facts,
        limit: 'max_batches_per_pond',
        adding: incoming.length,
        // the pond takes its own, the owner has all of them
        total: batches.length,
      }),
    );
  }
  // the guard as it stood before the first pond was looked at covers them all
  return { changes: besides.at(-1)?.changes ?? [], guards: besides[0]?.guards ?? [] };
}

/**
 * Throws when there is no room for another batch in the pond it is moved to. Moving animals creates nothing: a lapsed
 * plan does not hinder it.
 */
export async function limitIncoming(
  deps: LimitDeps,
  { batchId, pondId, ownerId }: { batchId: string; pondId: string; ownerId: string },
): Promise<Beside> {
  const facts = await deps.queries.batchFacts({ ...ofPond(deps, ownerId, pondId), exceptId: batchId });
  if (facts === null) throw noSubscription();
  const asked = { ownerId, resource: 'active_batches', cause: `${batchId}:${pondId}` } as const;
  const limit = 'max_batches_per_pond';
  if (hasRoom(facts.there, limitsOf(facts.terms)[limit]))
    return take(deps, asked, { facts, limit, adding: 1, total: 0 });
  const there = await deps.batchesIn(pondId);
  // more animals of a batch that lives there are no further batch, however many others do
  if (there.includes(batchId)) return {};
  return take(deps, asked, { facts: { ...facts, there: there.length }, limit, adding: 1, total: 0 });
}

/** The facts of a create, once it is sure that the subscription allows one at all. */
function standing(deps: LimitDeps, facts: LimitFacts | null): LimitFacts {
  if (facts === null) throw noSubscription();
  const lapse = lapseOf(deps, facts.terms);
  if (lapse !== null) throw lapse;
  return facts;
}

const ofPond = (deps: LimitDeps, ownerId: string, pondId: string) => ({
  ownerId,
  pondId,
  crossingId: crossingIdOf(deps, ownerId, 'active_batches'),
});

/** Facts of a pond; who is really in it is looked up only where the answer rests on it. */
async function pondFactsOf(
  deps: LimitDeps,
  { ownerId, pondId, adding }: { ownerId: string; pondId: string; adding: number },
): Promise<LimitFacts> {
  const facts = standing(
    deps,
    await deps.queries.batchFacts({ ...ofPond(deps, ownerId, pondId), exceptId: null }),
  );
  if (hasRoom(facts.there, limitsOf(facts.terms).max_batches_per_pond, adding)) return facts;
  return { ...facts, there: (await deps.batchesIn(pondId)).length };
}

async function take(
  deps: LimitDeps,
  { ownerId, resource, cause }: { ownerId: string; resource: Counted; cause: string },
  {
    facts,
    limit,
    adding,
    total = adding,
  }: { facts: LimitFacts; limit: keyof PlanLimits; adding: number; total?: number },
): Promise<Beside> {
  const limits = limitsOf(facts.terms);
  const max = limits[limit];
  if (!hasRoom(facts.there, max, adding)) throw limitReached(facts, { resource, max });
  const maxUsed = maximaOf(limits)[resource];
  if (max === UNLIMITED && maxUsed === UNLIMITED) return {};
  const current = facts.used + total;
  const changes = await crossing(deps, {
    userId: ownerId,
    resource,
    told: facts.told,
    before: levelOf(facts.used, maxUsed),
    after: levelOf(current, maxUsed),
    current,
    max: maxUsed,
    cause,
  });
  return { changes, guards: [facts.guard] };
}

const PLACES: Readonly<Record<Counted, string>> = {
  farms: 'farms',
  ponds: 'ponds on a farm',
  active_batches: 'active batches in a pond',
};

export function limitReached(
  { there, terms }: LimitFacts,
  { resource, max }: { resource: Counted; max: number },
): AppError {
  return new AppError(
    403,
    `The plan (${terms.plan}) allows ${max} ${PLACES[resource]} and there are ${there}; a larger plan allows more`,
    { code: 'SUBSCRIPTION_LIMIT_REACHED', more: { resource, current: there, max } },
  );
}
