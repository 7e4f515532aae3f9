import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  invitedAnswer,
  type MemberAnswer,
  memberAnswer,
  memberInput,
  memberRole,
} from '#contract/resources/farms.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { Member } from '../membership.ts';
import { addMember, type MemberDeps, removeMember } from './change-members.ts';
import type { Invited, Person } from './ports.ts';

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
