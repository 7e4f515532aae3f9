import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type FarmContact,
  farmContact,
  farmMember,
  invitedAnswer,
  type MemberAnswer,
  memberAnswer,
  memberInput,
  memberRole,
} from '#contract/resources/farms.ts';
import { emailKeyOf, standInEmail } from '#contract/resources/users.ts';
import type { MemberRole } from '#contract/words.ts';
import { remove } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type Member, membership, roleEntry } from '../membership.ts';
import type { Invited, MemberQueries, Person } from './ports.ts';

const farmParams = z.object({ farm_id: idInput });
const memberParams = farmParams.extend({ user_id: idInput });
const ownFarm = {
  who: 'farm',
  right: 'own',
  of: 'farm',
  at: 'params',
  field: 'farm_id',
  others: 404,
} as const;
const tag = 'Farms';

export function memberRoutes(deps: MemberDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/members',
      tag,
      summary: 'Members of a farm, without its owner',
      access: ownFarm,
      params: farmParams,
      query: pageQuery,
      answers: { 200: { schema: memberAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const rows = deps.queries.membersOf(onFarm(request).farmId, { skip, limit });
        return { answer: { status: 200, rows: answersOf(rows) } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/contacts',
      tag,
      summary:
        'Whom to call about an alarm: owner and members who answer alarms, and gave a telephone number',
      access: { ...ownFarm, right: 'attend' },
      token: 'never',
      params: farmParams,
      query: pageQuery,
      answers: { 200: { schema: farmContact, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const rows = deps.queries.contactsOf(onFarm(request).farmId, { skip, limit });
        return { answer: { status: 200, rows: contactsIn(rows) } };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/members',
      tag,
      summary: 'Change the role of a member; anybody else is invited and becomes one by accepting',
      access: ownFarm,
      params: farmParams,
      body: memberInput,
      answers: { 201: { schema: z.union([memberAnswer, invitedAnswer]) } },
      idempotent: true,
      async handle(request) {
        const { source, language, body } = request;
        const made = await addMember(deps, { ...by(request), source, language }, body);
        const { answer } = made;
        if ('invited' in answer)
          return { ...made, answer: { status: 201, body: invitedTo(answer.invited, answer.asked) } };
        const { member, person } = answer;
        return { ...made, answer: { status: 201, body: toAnswer(member, person), rev: member.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/farms/{farm_id}/members/{user_id}',
      tag,
      summary: 'End a membership; each member may end his own',
      access: { ...ownFarm, self: 'user_id' },
      params: memberParams,
      answers: { 204: null },
      async handle(request) {
        const ended = await removeMember(deps, by(request), request.params.user_id);
        return { ...ended, answer: { status: 204 } };
      },
    }),
  ];
}

async function* contactsIn(rows: AsyncIterable<FarmContact>): AsyncIterable<FarmContact> {
  for await (const { user_id, name, phone_number } of rows) yield { user_id, name, phone_number };
}

const by = (request: Parameters<typeof onFarm>[0] & Parameters<typeof signedIn>[0]) => ({
  farmId: onFarm(request).farmId,
  userId: signedIn(request).userId,
});

/** Nothing in it tells whether there is such an account. */
function invitedTo(
  { id, farm_id, role, created_at }: Invited,
  {
    user_id = null,
    email = null,
  }: { user_id?: string | null | undefined; email?: string | null | undefined },
): z.infer<typeof invitedAnswer> {
  return {
    id,
    farm_id,
    user_id,
    role: memberRole.parse(role),
    status: 'INVITED',
    name: null,
    email,
    created_at,
    updated_at: null,
  };
}

function toAnswer(member: Member, { name, email }: Pick<Person, 'name' | 'email'>): MemberAnswer {
  const { id, farm_id, user_id, role, created_at, updated_at } = member;
  return { id, farm_id, user_id, role, status: 'MEMBER', name, email, created_at, updated_at };
}

async function* answersOf(
  rows: AsyncIterable<Member & Pick<Person, 'name' | 'email'>>,
): AsyncIterable<MemberAnswer> {
  for await (const row of rows) yield toAnswer(row, row);
}

type MemberDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> & {
  queries: MemberQueries;
  /** Decides an invitation of whoever this is, whether there is such an account or not; see inviteMember. */
  inviteMember: (
    by: { userId: string; farmId: string; source: string; language: string },
    wish: { emailKey: string; to: string | null; role: MemberRole },
  ) => Promise<Decision<Invited>>;
};

/** Who is a member, or who was asked to be one. */
type Added = { member: Member; person: Person } | { invited: Invited; asked: Asked };
type Asked = z.infer<typeof memberInput>;

/**
 * Decides another role for a member. Anybody else is asked: nobody becomes a member without accepting, and the owner
 * never learns whether there is such an account. Throws 409 for the owner.
 */
async function addMember(
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
    // who was named by an id stays that: the address behind it is not this owner's to read
    const emailKey =
      input.user_id === undefined ? emailKeyOf(input.email ?? '') : standInEmail(input.user_id);
    const to = input.email ?? person?.email ?? null;
    const { answer: invited, ...decided } = await deps.inviteMember(by, { emailKey, to, role: input.role });
    return { ...decided, answer: { invited, asked: input } };
  }
  const { member, before, changes } = await membership(deps, { farmId, userId: person.id, role: input.role });
  if (changes.length === 0) return { answer: { member, person } };
  const entry = roleEntry(deps, { farmId, memberId: person.id, userId, before, after: member.role });
  return { answer: { member, person }, changes: [...changes, entry], guards: [guard] };
}

/** Decides that a person is no longer a member. Throws 409 for the owner, 404 for one who is not a member. */
async function removeMember(
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
