import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type InvitationAnswer,
  invitationAccepted,
  invitationAnswer,
  invitationCode,
  invitationCreate,
  invitationMade,
  invitationOffer,
} from '#contract/resources/invitations.ts';
import { notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { invalidToken, onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { perform } from '#core/use-case.ts';
import { acceptInvitation, declineInvitation } from './answer-invitation.ts';
import { invite, revokeInvitation, takeLetter } from './invite.ts';
import type { AnswerDeps, Invitation, InvitationRow, InviteDeps } from './ports.ts';

export type InvitationDeps = InviteDeps & AnswerDeps & Pick<Kernel, 'commit' | 'pause' | 'random'>;

const tag = 'Invitations';
const farmParams = z.object({ farm_id: idInput });
const ownFarm = {
  who: 'farm',
  right: 'own',
  of: 'farm',
  at: 'params',
  field: 'farm_id',
  others: 404,
} as const;
// who comes to a farm, and whose it is, is decided by people
const mine = { tag, access: { who: 'account' }, token: 'never' } as const;

export function invitationRoutes(deps: InvitationDeps): Route[] {
  return [...ownerRoutes(deps), ...guestRoutes(deps)];
}

function ownerRoutes(deps: InvitationDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/invitations',
      tag,
      summary: 'Invitations to a farm, answered and expired ones too',
      access: ownFarm,
      params: farmParams,
      query: pageQuery,
      answers: { 200: { schema: invitationAnswer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const rows = deps.queries.allOfFarm(onFarm(request).farmId, { skip, limit });
        return { answer: { status: 200, rows: answersOf(deps, rows) } };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/invitations',
      answersSecret: true,
      tag,
      summary: 'Invite somebody to a farm, or offer to hand it over; the code is shown once',
      access: ownFarm,
      params: farmParams,
      body: invitationCreate,
      answers: { 201: { schema: invitationMade } },
      async handle(request) {
        const { userId } = signedIn(request);
        const { body: input, source, language } = request;
        const by = { userId, farmId: onFarm(request).farmId, source, language };
        const isMailed = Boolean(input.email) && deps.letterSeal !== null;
        if (isMailed) await takeLetter(deps, userId);
        const { answer } = await perform(deps, userId, () => invite(deps, by, input));
        const body = { ...toAnswer(deps, answer.row), code: answer.code, emailed: isMailed };
        return { answer: { status: 201, body } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/farms/{farm_id}/invitations/{invitation_id}',
      tag,
      summary: 'Revoke an invitation',
      access: ownFarm,
      params: farmParams.extend({ invitation_id: idInput }),
      answers: { 204: null },
      async handle(request) {
        const found = await deps.queries.ofFarm(onFarm(request).farmId, request.params.invitation_id);
        if (found === null) throw notFound('Invitation');
        return { ...revokeInvitation(deps, found), answer: { status: 204 } };
      },
    }),
  ];
}

function guestRoutes(deps: InvitationDeps): Route[] {
  return [
    route({
      ...mine,
      method: 'GET',
      path: '/invitations',
      summary: "Open invitations to the caller's e-mail address; on a hosted instance once it is confirmed",
      query: pageQuery,
      answers: { 200: { schema: invitationOffer, list: true } },
      async handle(request) {
        const { skip, limit } = request.query;
        const person = await deps.queries.person(signedIn(request).userId);
        if (person === null) throw invalidToken();
        if (!(await deps.isProved(person.id))) return { answer: { status: 200, rows: [] } };
        const rows = deps.queries.offersTo(person.email_key, isoOf(deps.now()), { skip, limit });
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      ...mine,
      method: 'POST',
      path: '/invitations/accept',
      summary: 'Become a member of a farm, or its owner',
      body: invitationCode,
      answers: { 200: { schema: invitationAccepted } },
      async handle(request) {
        const who = { userId: signedIn(request).userId, source: request.source };
        const accepted = await acceptInvitation(deps, who, request.body);
        const { farm, role } = accepted.answer;
        const body = { farm_id: farm.id, farm_name: farm.name, role };
        return { ...accepted, answer: { status: 200, body } };
      },
    }),
    route({
      ...mine,
      method: 'POST',
      path: '/invitations/decline',
      summary: 'Decline an invitation',
      body: invitationCode,
      answers: { 204: null },
      async handle(request) {
        const who = { userId: signedIn(request).userId, source: request.source };
        return { ...(await declineInvitation(deps, who, request.body)), answer: { status: 204 } };
      },
    }),
  ];
}

function toAnswer(deps: Pick<Kernel, 'now'>, row: InvitationRow): InvitationAnswer {
  const isExpired = row.state === 'OPEN' && deps.now() >= Date.parse(row.expires_at);
  return {
    id: row.id,
    farm_id: row.farm_id,
    kind: row.kind,
    role: row.role,
    email: row.email_key,
    created_by: row.created_by,
    expires_at: row.expires_at,
    state: isExpired ? 'EXPIRED' : row.state,
    answered_by: row.answered_by,
    answered_at: row.answered_at,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

async function* answersOf(
  deps: Pick<Kernel, 'now'>,
  rows: AsyncIterable<Invitation>,
): AsyncIterable<InvitationAnswer> {
  for await (const row of rows) yield toAnswer(deps, row);
}
