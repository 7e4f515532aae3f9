import { accessToken } from '#contract/resources/access-tokens.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { revokedToken } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { Caller } from '#core/route.ts';

/** Says of a caller whether this unit ended their session: logged out, revoked, another password, no longer active. */
export function sessionsEndedBy(committed: Committed): (caller: Caller) => boolean {
  const tokens = new Set([
    ...rowsOf(committed, revokedToken).map(({ id }) => id),
    ...rowsOf(committed, accessToken)
      .filter(({ after, hidden }) => hidden || after.revoked_at !== null)
      .map(({ id }) => id),
  ]);
  const gone = new Set<string>();
  const denied = new Set<string>();
  for (const { id, before, after, hidden } of rowsOf(committed, user)) {
    if (hidden || !after.is_active) gone.add(id);
    if (before !== null && before.password_version !== after.password_version) denied.add(id);
  }
  return ({ tokenId, userId, scopes }) =>
    tokens.has(tokenId) || gone.has(userId) || (scopes === null && denied.has(userId));
}

export type FarmChange = {
  farmId: string;
  /** The member, or the owner. */
  userId: string;
  /** From now on these hear nothing of the farm until asked anew: one person, everybody, or nobody. */
  closedTo: 'user' | 'everybody' | 'nobody';
};

/**
 * Farms on which a pond or control point went out of sight with this unit. What ended on it long ago goes with it, and no
 * row tells so.
 */
export function farmsWithLessIn(committed: Committed): ReadonlySet<string> {
  const gone = [...rowsOf(committed, pond), ...rowsOf(committed, controlPoint)].filter(
    ({ hidden }) => hidden,
  );
  return new Set(gone.map(({ after }) => after.farm_id));
}

/** Who may see which farm differently after this unit. */
export function farmChangesIn(committed: Committed): FarmChange[] {
  return [
    ...rowsOf(committed, farmMember).map(
      ({ after, hidden }): FarmChange => ({
        farmId: after.farm_id,
        userId: after.user_id,
        closedTo: hidden ? 'user' : 'nobody',
      }),
    ),
    ...rowsOf(committed, farm).map(({ id, before, after, hidden }): FarmChange => {
      const hasNewOwner = before !== null && before.owner_id !== after.owner_id;
      return {
        farmId: id,
        userId: after.owner_id,
        closedTo: hidden || hasNewOwner ? 'everybody' : 'nobody',
      };
    }),
  ];
}
