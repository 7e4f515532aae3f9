import type * as z from 'zod';
import { farmMember, type memberInput } from '#contract/resources/farms.ts';
import { emailKeyOf } from '#contract/resources/users.ts';
import { asParent, remove } from '#core/changes.ts';
import { conflict, invalidField, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { type Member, membership, roleEntry } from '#core/membership.ts';
import type { Decision } from '#core/use-case.ts';
import type { MemberQueries, Person } from './ports.ts';

export type MemberDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> & {
  queries: MemberQueries;
};

/**
 * Decides that a person is a member of a farm in this role; for one who is, the role is changed. Throws 422 for an
 * account that does not exist, 409 for the owner.
 */
export async function addMember(
  deps: MemberDeps,
  { farmId, userId }: { farmId: string; userId: string },
  input: z.infer<typeof memberInput>,
): Promise<Decision<{ member: Member; person: Person }>> {
  const guard = await deps.guard('farm', farmId);
  if ((await deps.queries.ownerOf(farmId)) === null) throw notFound('Farm');
  const { id: personId } = await personOf(deps, input);
  // an account that is being deleted joins no farm
  const accountGuard = asParent(await deps.guard('account', personId));
  const person = await personOf(deps, { ...input, user_id: personId, email: undefined });
  await refuseOwner(deps, farmId, person.id);
  const { member, before, changes } = await membership(deps, {
    farmId,
    userId: person.id,
    role: input.role,
  });
  if (changes.length === 0) return { answer: { member, person } };
  const entry = roleEntry(deps, { farmId, memberId: person.id, userId, before, after: member.role });
  return { answer: { member, person }, changes: [...changes, entry], guards: [guard, accountGuard] };
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

async function personOf(deps: MemberDeps, { user_id, email }: z.infer<typeof memberInput>): Promise<Person> {
  const person =
    user_id === undefined
      ? await deps.queries.personByEmail(emailKeyOf(email ?? ''))
      : await deps.queries.personById(user_id);
  if (person !== null) return person;
  throw invalidField(
    422,
    user_id === undefined ? 'email' : 'user_id',
    'no such account; the person registers first',
    'UNKNOWN_ACCOUNT',
  );
}
