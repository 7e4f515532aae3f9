import { accessToken } from '#contract/resources/access-tokens.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { farm, farmMember } from '#contract/resources/farms.ts';
import { revokedToken, sessionGeneration } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { user } from '#contract/resources/users.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { Caller } from '#core/route.ts';
import { isOfLiveGeneration, type LoginsStanding } from '#features/people/login-standing.ts';

/**
 * Says of a caller whether this unit ended their session: logged out, revoked, ended from elsewhere, another password,
 * no longer active. Of what another process committed nothing tells how it was before.
 */
export function sessionsEndedBy(committed: Committed): (caller: Caller) => boolean {
  const tokens = new Set([
    ...rowsOf(committed, revokedToken).map(({ id }) => id),
    ...rowsOf(committed, accessToken)
      .filter(({ after, hidden }) => hidden || after.revoked_at !== null)
      .map(({ id }) => id),
  ]);
  const gone = new Set<string>();
  const versions = new Map<string, number>();
  const generations = new Map<string, LoginsStanding>();
  for (const { id, after, hidden } of rowsOf(committed, user)) {
    if (hidden || !after.is_active) gone.add(id);
    versions.set(id, after.password_version);
  }
  for (const { id, after, hidden } of rowsOf(committed, sessionGeneration))
    if (!hidden) generations.set(id, after);
  return ({ tokenId, userId, login }) => {
    if (tokens.has(tokenId) || gone.has(userId)) return true;
    // an access token goes on
    if (login === undefined) return false;
    const version = versions.get(userId);
    const logins = generations.get(userId);
    return (
      tokens.has(login.id) ||
      (version !== undefined && version !== login.passwordVersion) ||
      (logins !== undefined && !isOfLiveGeneration(login, logins))
    );
  };
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
