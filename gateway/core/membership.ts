import type { RowOf, Stored } from '#contract/resource.ts';
import { farmMember } from '#contract/resources/farms.ts';
import type { MemberRole } from '#contract/words.ts';
import { audit } from './audit.ts';
import { type Change, insert, update } from './changes.ts';
import { isoOf, type Kernel } from './kernel.ts';

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
    /** Who changed it. */
    userId: string;
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

/** Changes that make a person a member of a farm in this role; for one who is, the role is changed. */
export async function membership(
  deps: MembershipDeps,
  { farmId, userId, role }: { farmId: string; userId: string; role: MemberRole },
): Promise<{ member: Member; before: MemberRole | null; changes: Change[] }> {
  const known = await deps.queries.memberOf(farmId, userId);
  if (known?.role === role) return { member: known, before: role, changes: [] };
  const at = isoOf(deps.now());
  if (known !== null) {
    const set = { role, updated_at: at };
    return {
      member: { ...known, ...set, rev: known.rev + 1 },
      before: known.role,
      changes: [update(farmMember, known, set)],
    };
  }
  const row = {
    id: await memberId(deps, farmId, userId),
    farm_id: farmId,
    user_id: userId,
    role,
    created_at: at,
    updated_at: null,
  };
  return { member: { ...row, rev: 1 }, before: null, changes: [insert(farmMember, row)] };
}

/** A deleted row is never brought back: who returns begins a membership of its own. */
async function memberId(deps: MembershipDeps, farmId: string, userId: string): Promise<string> {
  const past = await deps.queries.pastMemberships(farmId, userId);
  return deps.idOf(`member:${farmId}:${userId}${past === 0 ? '' : `:${past}`}`);
}
