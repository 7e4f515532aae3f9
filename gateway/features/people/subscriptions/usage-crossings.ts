import type { Change } from '#core/changes.ts';
import type { Notify } from '#core/notifying.ts';
import type { Counted, LimitFacts, Place } from './ports.ts';
import { placeWords, usageWords } from './subscription-words.ts';
import { limitsOf } from './terms.ts';
import { hasRoom, isAllOfUse, type UsageLevel } from './usage-rules.ts';

export type CrossingDeps = { notify: Notify };

/**
 * Changes that tell an owner of a limit that comes near (80) or is reached (100), unless ordinary use reaches it. A
 * crossing is made by one change, on one instance, and told with it; what the other instance brings has been told there.
 * Usage that fell crosses again.
 *
 * @param before level before this change, `after` behind it
 * @param cause names the change: the same one tells once
 */
export async function crossing(
  deps: CrossingDeps,
  of: {
    userId: string;
    resource: Counted;
    before: UsageLevel;
    after: UsageLevel;
    current: number;
    max: number;
    cause: string;
    terms: LimitFacts['terms'];
  },
): Promise<Change[]> {
  const { userId, resource, before, after, current, max, cause, terms } = of;
  if (after <= before) return [];
  if (current <= max && isAllOfUse(terms.plan, limitsOf(terms), resource)) return [];
  return deps.notify(
    { userIds: [userId] },
    {
      type: 'SUBSCRIPTION',
      ...usageWords(resource, { level: after, current, max }),
      data: { event: after === 100 ? 'limit_reached' : 'usage_high', resource, current, max },
      cause: `usage:${userId}:${resource}:${after}:${cause}`,
    },
  );
}

/** Changes that tell an owner that little, or nothing, more can be created on one farm, or in one pond. */
export async function placeReached(
  deps: CrossingDeps,
  of: { userId: string; place: Place; current: number; max: number; cause: string },
): Promise<Change[]> {
  const { userId, place, current, max, cause } = of;
  const { resource, ids } = placeIs(place);
  return deps.notify(
    { userIds: [userId] },
    {
      type: 'SUBSCRIPTION',
      ...placeWords(place, { current, max }),
      data: { event: hasRoom(current, max) ? 'usage_high' : 'limit_reached', resource, current, max, ...ids },
      cause: `usage:${userId}:${Object.values(ids).join(':')}:${cause}`,
    },
  );
}

/** What a place is full of, and which it is, by the names of the interface. */
export function placeIs(place: Place) {
  return place.kind === 'farm'
    ? ({ resource: 'ponds', ids: { farm_id: place.farmId } } as const)
    : ({ resource: 'active_batches', ids: { farm_id: place.farmId, pond_id: place.pondId } } as const);
}
