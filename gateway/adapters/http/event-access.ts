import { farm, farmMember } from '#contract/resources/farms.ts';
import { revokedToken } from '#contract/resources/local-tables.ts';
import { user } from '#contract/resources/users.ts';
import { type Committed, rowsOf } from '#core/changes.ts';
import type { Caller } from '#core/route.ts';

/** Says of a caller whether this unit ended their session: logged out, another password, no longer active. */
export function sessionsEndedBy(committed: Committed): (caller: Caller) => boolean {
  const tokens = new Set(rowsOf(committed, revokedToken).map((row) => row.id));
  const users = new Set(
    rowsOf(committed, user)
      .filter(({ before, after, hidden }) => {
        const isDenied = before !== null && before.password_version !== after.password_version;
        return hidden || !after.is_active || isDenied;
      })
      .map((row) => row.id),
  );
  return ({ tokenId, userId }) => tokens.has(tokenId) || users.has(userId);
}

export type FarmChange = {
  /** A membership concerns one person, the farm itself all who see it. */
  of: 'farm' | 'member';
  farmId: string;
  /** The member, or the owner. */
  userId: string;
  /** From now on these hear nothing of the farm until asked anew: one person, everybody, or nobody. */
  closedTo: 'user' | 'everybody' | 'nobody';
};

/** Who may see which farm differently after this unit. */
export function farmChangesIn(committed: Committed): FarmChange[] {
  return [
    ...rowsOf(committed, farmMember).map(
      ({ after, hidden }): FarmChange => ({
        of: 'member',
        farmId: after.farm_id,
        userId: after.user_id,
        closedTo: hidden ? 'user' : 'nobody',
      }),
    ),
    ...rowsOf(committed, farm).map(({ id, before, after, hidden }): FarmChange => {
      const hasNewOwner = before !== null && before.owner_id !== after.owner_id;
      return {
        of: 'farm',
        farmId: id,
        userId: after.owner_id,
        closedTo: hidden || hasNewOwner ? 'everybody' : 'nobody',
      };
    }),
  ];
}
