import { type Beside, type LimitDeps, limitFarm, limitReached } from './limit-creates.ts';
import { limitsOf, noSubscription } from './terms.ts';
import { crossingIdOf } from './usage-crossings.ts';
import { hasRoom } from './usage-rules.ts';

/**
 * Throws when the plan of the new owner has no room for a farm, or allows fewer ponds on it or batches in them than
 * there are: what comes by a handover is judged like what is created.
 */
export async function limitHandover(
  deps: LimitDeps,
  { farmId, ownerId, pondIds }: { farmId: string; ownerId: string; pondIds: readonly string[] },
): Promise<Beside> {
  const crossingId = crossingIdOf(deps, ownerId, 'ponds');
  const facts = await deps.queries.pondFacts({ ownerId, crossingId, farmId });
  if (facts === null) throw noSubscription();
  const limits = limitsOf(facts.terms);
  if (!hasRoom(facts.there, limits.max_ponds_per_farm, 0))
    throw limitReached(facts, { resource: 'ponds', max: limits.max_ponds_per_farm });
  for (const pondId of pondIds) {
    const there = (await deps.batchesIn(pondId)).length;
    if (!hasRoom(there, limits.max_batches_per_pond, 0))
      throw limitReached(
        { ...facts, there },
        { resource: 'active_batches', max: limits.max_batches_per_pond },
      );
  }
  return limitFarm(deps, { id: farmId, owner_id: ownerId });
}
