import { PLAN_TERMS, type PlanLimits, type PlanTerms, UNLIMITED } from '#contract/plans.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { subscription } from '#contract/resources/subscriptions.ts';
import { PLANS, type Plan } from '#contract/words.ts';
import { type Change, type GuardSeen, onTables } from '#core/changes.ts';
import { AppError } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { type Remembered, remembered } from '#core/newest-map.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { Counted, LapseTerms, LimitFacts, SubscriptionQueries, Usage } from './ports.ts';
import { lapseOf, limitsOf, noSubscription } from './terms.ts';
import { type CrossingDeps, crossing, placeReached } from './usage-crossings.ts';
import { hasRoom, isOfUse, levelOf, maximaOf, type UsageLevel } from './usage-rules.ts';

// The plan's word on what is created, inside the transaction that creates it. Every create of an owner holds one guard,
// so that two at the same moment do not both take the last place.

export type LimitDeps = Pick<Kernel, 'now' | 'clockQuality'> &
  CrossingDeps & {
    queries: Pick<
      SubscriptionQueries,
      'farmFacts' | 'pondFacts' | 'batchFacts' | 'usageOf' | 'farmNamed' | 'pondNamed'
    >;
    /** ACTIVE batches that hold animals in the pond, or began there and hold none anywhere. */
    batchesIn: (pondId: string) => Promise<readonly string[]>;
  };

/** Rows and guards for the commit that creates. */
type Beside = Pick<Decision<never>, 'changes' | 'guards'>;

/** Throws when the owner's plan allows no further farm. */
export async function limitFarm(deps: LimitDeps, farm: { id: string; owner_id: string }): Promise<Beside> {
  const ownerId = farm.owner_id;
  const facts = standing(deps, await deps.queries.farmFacts({ ownerId }));
  requireRoom(facts, { resource: 'farms', limit: 'max_farms', adding: 1 });
  const { changes } = await counted(deps, facts, { ownerId, resource: 'farms', adding: 1, cause: farm.id });
  return { changes, guards: guardsOf(facts, 'max_farms', 'farms') };
}

/** Throws when the plan of the farm's owner allows no further pond on it. */
export async function limitPond(
  deps: LimitDeps,
  pond: { id: string; farm_id: string },
  ownerId: string,
): Promise<Beside> {
  const { id: cause, farm_id: farmId } = pond;
  const facts = standing(deps, await deps.queries.pondFacts({ ownerId, farmId }));
  const limit = 'max_ponds_per_farm';
  requireRoom(facts, { resource: 'ponds', limit, adding: 1 });
  const total = await counted(deps, facts, { ownerId, resource: 'ponds', adding: 1, cause });
  const max = limitsOf(facts.terms)[limit];
  const current = facts.there + 1;
  const level = levelOf(current, max);
  const isNews = level > levelOf(facts.there, max) && level > total.level;
  const place = isNews ? await deps.queries.farmNamed(farmId) : null;
  const told =
    place === null ? [] : await placeReached(deps, { userId: ownerId, place, current, max, cause });
  return { changes: [...total.changes, ...told], guards: guardsOf(facts, limit, 'ponds') };
}

/** Throws when the plan allows no further ACTIVE batch in one of the ponds. All batches are of one owner. */
export async function limitBatches(
  deps: LimitDeps,
  batches: readonly { id: string; pond_id: string; owner_id: string }[],
): Promise<Beside> {
  const [first] = batches;
  if (first === undefined) return {};
  const ownerId = first.owner_id;
  const limit = 'max_batches_per_pond';
  const ponds: { pondId: string; facts: LimitFacts; incoming: number; cause: string }[] = [];
  for (const [pondId, incoming] of Map.groupBy(batches, ({ pond_id }) => pond_id)) {
    const adding = incoming.length;
    const facts = await pondFactsOf(deps, { ownerId, pondId, adding });
    requireRoom(facts, { resource: 'active_batches', limit, adding });
    ponds.push({ pondId, facts, incoming: adding, cause: incoming[0]?.id ?? pondId });
  }
  // the guard as it stood before the first pond was looked at covers them all
  const facts = ponds[0]?.facts;
  if (facts === undefined) return {};
  const asked = { ownerId, resource: 'active_batches', adding: batches.length, cause: first.id } as const;
  const total = await counted(deps, facts, asked);
  const told: Change[] = [];
  for (const { pondId, incoming, cause, ...pond } of ponds) {
    const of = { ownerId, pondId, adding: incoming, cause, told: total.level };
    told.push(...(await pondReached(deps, pond.facts, of)));
  }
  return { changes: [...total.changes, ...told], guards: guardsOf(facts, limit, 'active_batches') };
}

/**
 * Throws when there is no room for another batch in the pond it is moved to. Moving animals creates nothing: a lapsed
 * plan does not hinder it.
 */
export async function limitIncoming(
  deps: LimitDeps,
  { batchId, pondId, ownerId }: { batchId: string; pondId: string; ownerId: string },
): Promise<Beside> {
  const facts = await deps.queries.batchFacts({ ownerId, pondId, exceptId: batchId });
  if (facts === null) throw noSubscription();
  const limit = 'max_batches_per_pond';
  const max = limitsOf(facts.terms)[limit];
  // there is room for it and for one more
  if (hasRoom(facts.there, max, 2)) return max === UNLIMITED ? {} : { changes: [], guards: [facts.guard] };
  const there = await deps.batchesIn(pondId);
  // more animals of a batch that lives there are no further batch, however many others do
  if (there.includes(batchId)) return {};
  const exact = { ...facts, there: there.length };
  requireRoom(exact, { resource: 'active_batches', limit, adding: 1 });
  const cause = `${batchId}:${pondId}`;
  const told = await pondReached(deps, exact, { ownerId, pondId, adding: 1, cause, told: 0 });
  return { changes: told, guards: [facts.guard] };
}

/** The facts of a create, once it is sure that the subscription allows one at all. */
function standing(deps: LimitDeps, facts: LimitFacts | null): LimitFacts {
  if (facts === null) throw noSubscription();
  const lapse = lapseOf(deps, facts.terms);
  if (lapse !== null) throw lapse;
  return facts;
}

/** Facts of a pond; who is really in it is looked up only where the answer rests on it. */
async function pondFactsOf(
  deps: LimitDeps,
  { ownerId, pondId, adding }: { ownerId: string; pondId: string; adding: number },
): Promise<LimitFacts> {
  const facts = standing(deps, await deps.queries.batchFacts({ ownerId, pondId, exceptId: null }));
  if (levelOf(facts.there + adding, limitsOf(facts.terms).max_batches_per_pond) === 0) return facts;
  return { ...facts, there: (await deps.batchesIn(pondId)).length };
}

/** Where nothing is limited creates need not wait for each other. */
function guardsOf(facts: LimitFacts, limit: keyof PlanLimits, resource: Counted): GuardSeen[] {
  const limits = limitsOf(facts.terms);
  const isUnlimited = limits[limit] === UNLIMITED && maximaOf(limits)[resource] === UNLIMITED;
  return isUnlimited ? [] : [facts.guard];
}

function requireRoom(
  facts: LimitFacts,
  { resource, limit, adding }: { resource: Counted; limit: keyof PlanLimits; adding: number },
): void {
  const max = limitsOf(facts.terms)[limit];
  if (!hasRoom(facts.there, max, adding)) throw limitReached(facts, { resource, max });
}

/** What is told of all that the owner has. `level`: a place that stands no worse is no news beside it. */
async function counted(
  deps: CrossingDeps,
  facts: LimitFacts,
  of: { ownerId: string; resource: Counted; adding: number; cause: string },
): Promise<{ changes: Change[]; level: UsageLevel }> {
  const { ownerId, resource, adding, cause } = of;
  const limits = limitsOf(facts.terms);
  const max = maximaOf(limits)[resource];
  const current = facts.used + adding;
  const after = levelOf(current, max);
  const before = levelOf(facts.used, max);
  const { terms } = facts;
  const changes = await crossing(deps, {
    userId: ownerId,
    resource,
    before,
    after,
    current,
    max,
    cause,
    terms,
  });
  return { changes, level: after };
}

/** What is told of one pond when little or nothing more goes into it. */
async function pondReached(
  deps: LimitDeps,
  facts: LimitFacts,
  of: { ownerId: string; pondId: string; adding: number; cause: string; told: UsageLevel },
): Promise<Change[]> {
  const { ownerId, pondId, adding, cause, told } = of;
  const max = limitsOf(facts.terms).max_batches_per_pond;
  const current = facts.there + adding;
  const level = levelOf(current, max);
  const isNews = level > levelOf(facts.there, max) && level > told && !isOfUse(facts.terms.plan, max);
  const place = isNews ? await deps.queries.pondNamed(pondId) : null;
  if (place === null) return [];
  return placeReached(deps, { userId: ownerId, place, current, max, cause });
}

const PLACES: Readonly<Record<Counted, readonly [one: string, many: string]>> = {
  farms: ['farm', 'farms'],
  ponds: ['pond on a farm', 'ponds on a farm'],
  active_batches: ['active batch in a pond', 'active batches in a pond'],
};

function limitReached(
  { there, terms }: LimitFacts,
  { resource, max }: { resource: Counted; max: number },
): AppError {
  return new AppError(
    403,
    `The plan (${terms.plan}) allows ${max} ${PLACES[resource][max === 1 ? 0 : 1]} and there ${there === 1 ? 'is' : 'are'} ${there}; a larger plan allows more`,
    { code: 'SUBSCRIPTION_LIMIT_REACHED', more: { resource, current: there, max } },
  );
}

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
  const { terms } = facts;
  const limits = limitsOf(terms);
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
  return { changes: [...changes, ...(await crossings(deps, { ownerId, farmId, terms, coming }))], guards };
}

/** The farm itself is told by limitFarm. */
async function crossings(
  deps: LimitDeps,
  of: { ownerId: string; farmId: string; terms: LimitFacts['terms']; coming: Omit<Usage, 'farms'> },
): Promise<Change[]> {
  const { ownerId: userId, farmId: cause, terms, coming } = of;
  const maxima = maximaOf(limitsOf(terms));
  const usage = await deps.queries.usageOf(userId);
  const changes: Change[] = [];
  for (const resource of ['ponds', 'active_batches'] as const) {
    const max = maxima[resource];
    const current = usage[resource] + coming[resource];
    const before = levelOf(usage[resource], max);
    const after = levelOf(current, max);
    changes.push(...(await crossing(deps, { userId, resource, before, after, current, max, cause, terms })));
  }
  return changes;
}

const REMEMBERED_MS = 30_000;
const REMEMBERED_USERS = 10_000;

type RateOfCallerDeps = Pick<Kernel, 'now' | 'clockQuality'> & {
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
