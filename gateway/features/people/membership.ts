import type { RowOf, Stored } from '#contract/resource.ts';
import { farmMember } from '#contract/resources/farms.ts';
import { LATER_ROLES, type MemberRole } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, remove, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

export type Member = Stored<RowOf<typeof farmMember>>;

export type MembershipDeps = Pick<Kernel, 'now' | 'idOf'> & {
  queries: {
    memberOf: (farmId: string, userId: string) => Promise<Member | null>;
    /** How often the person was a member here before. */
    pastMemberships: (farmId: string, userId: string) => Promise<number>;
  };
};

/** The audit entry of a person's role on a farm, before and after; null: none. By id alone: a log outlives an account. */
export function roleEntry(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  change: {
    farmId: string;
    memberId: string;
    /** Who changed it; null: somebody at the command line. */
    userId: string | null;
    before: MemberRole | null;
    after: MemberRole | null;
  },
): Change {
  const { farmId, memberId, userId, before, after } = change;
  return audit(deps, {
    farm_id: farmId,
    entity_type: 'SYSTEM',
    entity_id: farmId,
    entity_name: 'Members',
    action: 'update',
    user_id: userId,
    details: { record: 'farm_member', member_id: memberId, before: { role: before }, after: { role: after } },
  });
}

/**
 * Changes that make a person a member of a farm in this role; for one who is, the role is changed, or the membership ends
 * and another begins (LATER_ROLES).
 */
export async function membership(
  deps: MembershipDeps,
  { farmId, userId, role }: { farmId: string; userId: string; role: MemberRole },
): Promise<{ member: Member; before: MemberRole | null; changes: Change[] }> {
  const known = await deps.queries.memberOf(farmId, userId);
  if (known?.role === role) return { member: known, before: role, changes: [] };
  const at = isoOf(deps.now());
  if (known !== null && ![known.role, role].some((one) => LATER_ROLES.includes(one))) {
    const set = { role, updated_at: at };
    return {
      member: { ...known, ...set, rev: known.rev + 1 },
      before: known.role,
      changes: [update(farmMember, known, set)],
    };
  }
  const past = (await deps.queries.pastMemberships(farmId, userId)) + (known === null ? 0 : 1);
  const row = {
    // a deleted row is never brought back: who returns begins a membership of its own
    id: deps.idOf(`member:${farmId}:${userId}${past === 0 ? '' : `:${past}`}`),
    farm_id: farmId,
    user_id: userId,
    role,
    created_at: known?.created_at ?? at,
    updated_at: known === null ? null : at,
  };
  return {
    member: { ...row, rev: 1 },
    before: known?.role ?? null,
    changes: [...(known === null ? [] : [remove(farmMember, known)]), insert(farmMember, row)],
  };
}
