import type { PlanLimits } from '#contract/plans.ts';
import type { Change } from '#core/changes.ts';
import { type Beside, type LimitDeps, limitFarm, limitReached } from './limit-creates.ts';
import type { Usage } from './ports.ts';
import { limitsOf, noSubscription } from './terms.ts';
import { crossing } from './usage-crossings.ts';
import { hasRoom, levelOf, maximaOf } from './usage-rules.ts';

/**
 * Throws when the plan of the new owner has no room for a farm, or allows fewer ponds on it or batches in them than
 * there are: what comes by a handover is judged like what is created.
 */
export async function limitHandover(
  deps: LimitDeps,
  { farmId, ownerId, pondIds }: { farmId: string; ownerId: string; pondIds: readonly string[] },
): Promise<Beside> {
  const facts = await deps.queries.pondFacts({ ownerId, farmId });
  if (facts === null) throw noSubscription();
  const limits = limitsOf(facts.terms);
  if (!hasRoom(facts.there, limits.max_ponds_per_farm, 0))
    throw limitReached(facts, { resource: 'ponds', max: limits.max_ponds_per_farm });
  const batches = new Set<string>();
  for (const pondId of pondIds) {
    const inPond = await deps.batchesIn(pondId);
    for (const batch of inPond) batches.add(batch);
    const there = inPond.length;
    if (!hasRoom(there, limits.max_batches_per_pond, 0))
      throw limitReached(
        { ...facts, there },
        { resource: 'active_batches', max: limits.max_batches_per_pond },
      );
  }
  const { changes = [], guards = [] } = await limitFarm(deps, { id: farmId, owner_id: ownerId });
  const coming: Omit<Usage, 'farms'> = { ponds: facts.there, active_batches: batches.size };
  return { changes: [...changes, ...(await crossings(deps, { ownerId, farmId, limits, coming }))], guards };
}

/** The farm itself is told by limitFarm. */
async function crossings(
  deps: LimitDeps,
  of: { ownerId: string; farmId: string; limits: PlanLimits; coming: Omit<Usage, 'farms'> },
): Promise<Change[]> {
  const { ownerId: userId, farmId: cause, limits, coming } = of;
  const usage = await deps.queries.usageOf(userId);
  const changes: Change[] = [];
  for (const resource of ['ponds', 'active_batches'] as const) {
    const max = maximaOf(limits)[resource];
    const current = usage[resource] + coming[resource];
    const before = levelOf(usage[resource], max);
    const after = levelOf(current, max);
    changes.push(...(await crossing(deps, { userId, resource, before, after, current, max, cause })));
  }
  return changes;
}
