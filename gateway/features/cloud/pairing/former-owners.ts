import { farm } from '#contract/resources/farms.ts';
import type { Change } from '#core/changes.ts';
import { type MembershipDeps, membership } from '#features/people/membership.ts';

// A paired gateway's farms belong to whoever claimed it. Whoever owned one here, or makes one here afterwards, goes on
// as its manager: the row is made here, in the same commit, so that there is no moment without a role on the farm.

export type FormerOwnersDeps = MembershipDeps & {
  /** Farms of this gateway with their owners. */
  farms: () => Promise<readonly { id: string; owner_id: string }[]>;
};

/** Memberships for the owners until now, when the gateway becomes another account's. */
export async function keepFormerOwners(deps: FormerOwnersDeps, ownerId: string): Promise<Change[]> {
  const others = (await deps.farms()).filter(({ owner_id }) => owner_id !== ownerId);
  const kept = await Promise.all(others.map(({ id, owner_id }) => asManager(deps, id, owner_id)));
  return kept.flat();
}

/** The same for farms that these changes make. */
export async function keepCreators(
  deps: MembershipDeps,
  changes: readonly Change[],
  ownerId: string,
): Promise<Change[]> {
  const made = changes.flatMap((change) =>
    change.op === 'insert' && change.resource.name === farm.name ? [change.row] : [],
  );
  const others = made.filter((row) => row['owner_id'] !== ownerId);
  const kept = await Promise.all(others.map((row) => asManager(deps, row.id, String(row['owner_id']))));
  return kept.flat();
}

async function asManager(deps: MembershipDeps, farmId: string, userId: string): Promise<Change[]> {
  return (await membership(deps, { farmId, userId, role: 'MANAGER' })).changes;
}
