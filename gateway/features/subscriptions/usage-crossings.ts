import { usageCrossing } from '#contract/resources/local-tables.ts';
import { type Change, purge, put } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import type { Counted } from './ports.ts';
import { usageWords } from './subscription-words.ts';
import type { UsageLevel } from './usage-rules.ts';

export type CrossingDeps = Pick<Kernel, 'now' | 'idOf'> & { notify: Notify };

/** Id of the row that says what a user was told about one resource. */
export const crossingIdOf = (deps: Pick<Kernel, 'idOf'>, userId: string, resource: Counted): string =>
  deps.idOf(`usage:${userId}:${resource}`);

/**
 * Changes that tell an owner of a limit that comes near (80) or is reached (100): once per crossing. Usage that was
 * lower in between, whoever lowered it, counts as not told.
 *
 * @param told what the owner was last told, percent
 * @param before level before this change, `after` behind it
 * @param cause names the change: the same one tells once
 */
export async function crossing(
  deps: CrossingDeps,
  of: {
    userId: string;
    resource: Counted;
    told: number;
    before: UsageLevel;
    after: UsageLevel;
    current: number;
    max: number;
    cause: string;
  },
): Promise<Change[]> {
  const { userId, resource, told, before, after, current, max } = of;
  const known = Math.min(told, before);
  const id = crossingIdOf(deps, userId, resource);
  const row = { id, user_id: userId, resource, level: after, crossed_at: isoOf(deps.now()) };
  if (after <= known) {
    if (after === told) return [];
    return [after === 0 ? purge(usageCrossing, id) : put(usageCrossing, row)];
  }
  const news = await deps.notify(
    { userIds: [userId] },
    {
      type: 'SUBSCRIPTION',
      ...usageWords(resource, { level: after, current, max }),
      data: { event: after === 100 ? 'limit_reached' : 'usage_high', resource, current, max },
      cause: `usage:${userId}:${resource}:${after}:${of.cause}`,
    },
  );
  return [put(usageCrossing, row), ...news];
}
