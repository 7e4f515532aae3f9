import type * as z from 'zod';
import { farmMember, type memberInput } from '#contract/resources/farms.ts';
import { emailKeyOf } from '#contract/resources/users.ts';
import type { MemberRole } from '#contract/words.ts';
import { remove } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import { type Member, membership, roleEntry } from '../membership.ts';
import type { Invited, MemberQueries, Person } from './ports.ts';

export type MemberDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> & {
  queries: MemberQueries;
  /** Decides an invitation of whoever has this address, whether there is such an account or not. */
  inviteMember: (
    by: { userId: string; farmId: string; source: string; language: string },
    wish: { email: string; role: MemberRole },
  ) => Promise<Decision<Invited>>;
};

/** Where an account stands that does not exist: what is asked of it nobody can answer. */
const NOBODY = '@nobody.invalid';

/** Who is a member, or who was asked to be one. */
export type Added = { member: Member; person: Person } | { invited: Invited; asked: Asked };
type Asked = z.infer<typeof memberInput>;

/**
 * Decides another role for a member. Anybody else is asked: nobody becomes a member without accepting, and the owner
 * never learns whether there is such an account. Throws 409 for the owner.
 */
export async function addMember(
  deps: MemberDeps,
  by: { farmId: string; userId: string; source: string; language: string },
  input: Asked,
): Promise<Decision<Added>> {
  const { farmId, userId } = by;
  const guard = await deps.guard('farm', farmId);
  if ((await deps.queries.ownerOf(farmId)) === null) throw notFound('Farm');
  const person = await personOf(deps, input);
  if (person !== null) await refuseOwner(deps, farmId, person.id);
  const known = person === null ? null : await deps.queries.memberOf(farmId, person.id);
  if (person === null || known === null) {
    const email = input.email ?? person?.email ?? `${input.user_id}${NOBODY}`;
    const { answer: invited, ...decided } = await deps.inviteMember(by, {
      email,
      role: input.role,
    });
    return { ...decided, answer: { invited, asked: input } };
  }
  const { member, before, changes } = await membership(deps, { farmId, userId: person.id, role: input.role });
  if (changes.length === 0) return { answer: { member, person } };
  const entry = roleEntry(deps, { farmId, memberId: person.id, userId, before, after: member.role });
  return { answer: { member, person }, changes: [...changes, entry], guards: [guard] };
}

/** Decides that a person is no longer a member. Throws 409 for the owner, 404 for one who is not a member. */
export async function removeMember(
  deps: MemberDeps,
  { farmId, userId }: { farmId: string; userId: string },
  memberId: string,
): Promise<Decision<void>> {
  await refuseOwner(deps, farmId, memberId);
  const known = await deps.queries.memberOf(farmId, memberId);
  if (known === null) throw notFound('Member');
  const entry = roleEntry(deps, { farmId, memberId, userId, before: known.role, after: null });
  return { answer: undefined, changes: [remove(farmMember, known), entry] };
}

async function refuseOwner(deps: MemberDeps, farmId: string, userId: string): Promise<void> {
  if ((await deps.queries.ownerOf(farmId)) !== userId) return;
  throw conflict('This user owns the farm, and a farm always keeps an owner', 'OWNER_STAYS');
}

function personOf(deps: MemberDeps, { user_id, email }: Asked): Promise<Person | null> {
  return user_id === undefined
    ? deps.queries.personByEmail(emailKeyOf(email ?? ''))
    : deps.queries.personById(user_id);
}
