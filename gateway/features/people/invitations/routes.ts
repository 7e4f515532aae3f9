import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  hasCode,
  type InvitationAnswer,
  invitation,
  invitationAccepted,
  invitationAnswer,
  invitationCode,
  invitationCreate,
  invitationMade,
  invitationOffer,
} from '#contract/resources/invitations.ts';
import { isStandInEmail } from '#contract/resources/users.ts';
import { update } from '#core/changes.ts';
import { AppError, conflict, forbidden, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { invalidToken, onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { tooManyAttempts } from '../attempts.ts';
import { membership, roleEntry } from '../membership.ts';
import { type AskAgainDeps, requireAgain } from '../present-password.ts';
import { takeFarmOver } from './hand-over.ts';
import { acceptedNews, declinedNews } from './invitation-words.ts';
import { invite, namesOf, revokeInvitation, takeLetter } from './invite.ts';
import type { Accepted, AnswerDeps, Farm, Invitation, InvitationRow, InviteDeps, Person } from './ports.ts';

export type InvitationDeps = InviteDeps &
  AnswerDeps &
  AskAgainDeps &
  Pick<Kernel, 'commit' | 'pause' | 'random'>;

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
        const caller = signedIn(request);
        const { userId } = caller;
        const { body: input, source, language } = request;
        // a phone left lying must not be enough to give the farm away
        if (input.kind === 'HANDOVER')
          await requireAgain(deps, caller, { password: input.current_password, source }, 'hand a farm over');
        const by = { userId, farmId: onFarm(request).farmId, source, language };
        const isMailed = Boolean(input.email) && deps.letterSeal !== null;
        if (input.email) await takeLetter(deps, by);
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
        const rows = deps.queries.offersTo(namesOf(person), isoOf(deps.now()), { skip, limit });
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
    email: row.email_key !== null && isStandInEmail(row.email_key) ? null : row.email_key,
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

/** By its code, or one that has none by its id. */
type Named = z.infer<typeof invitationCode>;
type Who = { userId: string; source: string };

/**
 * Decides that the caller accepts an invitation. Throws 404 for a code that is none, 409 for one that was answered,
 * revoked or has expired, 403 for another person's, 429 after ten wrong ones.
 */
async function acceptInvitation(deps: AnswerDeps, who: Who, named: Named): Promise<Decision<Accepted>> {
  // who gets a farm is not deleted at this moment, and who is deleted gets none: both bump the guard of the account
  const accountGuard = await deps.guard('account', who.userId);
  const { found, person } = await openInvitation(deps, who, named);
  const guards = [accountGuard, await deps.guard('farm', found.farm_id)];
  // read again behind the guards: of two who accept at this moment one wins
  const current = await deps.queries.ofFarm(found.farm_id, found.id);
  const farm = await deps.queries.farm(found.farm_id);
  if (current === null || farm === null) throw unknownCode();
  requireOpen(deps, current);
  if (farm.owner_id === person.id) throw conflict('You own this farm already', 'OWNER_STAYS');
  await refuseOneOfBefore(deps, current, person);
  const answered = update(invitation, current, answerOf(deps, 'ACCEPTED', person.id));
  const decided =
    current.kind === 'HANDOVER'
      ? await takeFarmOver(deps, { offer: current, farm, person })
      : await becomeMember(deps, { offer: current, farm, person });
  return {
    answer: decided.answer,
    changes: [answered, ...(decided.changes ?? [])],
    guards: [...guards, ...(decided.guards ?? [])],
  };
}

/** Whoever left a farm, or was taken off it, comes back by a new invitation: a code from before was meant for the time before. */
async function refuseOneOfBefore({ queries }: AnswerDeps, offer: Invitation, { id }: Person): Promise<void> {
  if ((await queries.memberOf(offer.farm_id, id)) !== null) return;
  const left = await queries.lastLeft(offer.farm_id, id);
  if (left === null || left <= Date.parse(offer.created_at)) return;
  throw conflict(
    'This invitation was made before you left this farm or were taken off it; ask for a new one',
    'INVITATION_REVOKED',
  );
}

/** Decides that the caller declines. Throws as acceptInvitation does. */
async function declineInvitation(deps: AnswerDeps, who: Who, named: Named): Promise<Decision<void>> {
  const { found, person } = await openInvitation(deps, who, named);
  const farm = await deps.queries.farm(found.farm_id);
  const told =
    farm === null ? [] : await deps.notify({ userIds: [found.created_by] }, declinedNews(found, farm));
  const answered = update(invitation, found, answerOf(deps, 'DECLINED', person.id));
  return { answer: undefined, changes: [answered, ...told] };
}

async function becomeMember(
  deps: AnswerDeps,
  { offer, farm, person }: { offer: Invitation; farm: Farm; person: Person },
): Promise<Decision<Accepted>> {
  if (offer.role === 'NONE') throw new Error(`invitation ${offer.id} offers no role`);
  const { member, before, changes } = await membership(deps, {
    farmId: farm.id,
    userId: person.id,
    role: offer.role,
  });
  const told = await deps.notify({ userIds: [farm.owner_id] }, acceptedNews(offer, farm));
  const roles = { farmId: farm.id, memberId: person.id, userId: person.id, before, after: member.role };
  const entry = changes.length === 0 ? [] : [roleEntry(deps, roles)];
  return { answer: { farm, role: member.role }, changes: [...changes, ...entry, ...told] };
}

/** The invitation behind a code. A wrong code counts against the caller; what could not be judged does not. */
async function openInvitation(
  deps: AnswerDeps,
  who: Who,
  { code: typed, invitation_id: id }: Named,
): Promise<{ found: Invitation; person: Person }> {
  const person = await deps.queries.person(who.userId);
  if (person === null) throw invalidToken();
  if (typed === undefined) {
    const offer = id === undefined ? null : await deps.queries.byId(id);
    // one of another person's is none, and so is one whose code must be known
    if (offer === null || hasCode(offer) || !isTo(offer, person)) throw unknownCode();
    if (!(await deps.isProved(person.id))) throw unprovedAddress();
    requireOpen(deps, offer);
    return { found: offer, person };
  }
  // counted before the code is looked at, so that guesses at the same moment count too
  const waitMs = await deps.attempts.take(who.userId);
  if (waitMs !== null) throw tooManyAttempts('Too many wrong codes', waitMs);
  const found = await invitationBehind(deps, who, typed).catch(async (error: unknown) => {
    await deps.attempts.giveBack(who.userId);
    throw error;
  });
  if (found === null) throw unknownCode();
  await deps.attempts.giveBack(who.userId);
  if (found.email_key !== null && !isTo(found, person)) {
    throw forbidden('This invitation is for another account: log in with the address it was sent to');
  }
  requireOpen(deps, found);
  return { found, person };
}

const isTo = ({ email_key }: Invitation, person: Person): boolean =>
  email_key !== null && namesOf(person).includes(email_key);

async function invitationBehind(
  deps: AnswerDeps,
  { source }: Who,
  typed: string,
): Promise<Invitation | null> {
  const code = deps.codes.normal(typed);
  return code === null ? null : deps.queries.byCode(await deps.codeHash(code, source));
}

function requireOpen(deps: Pick<Kernel, 'now'>, { state, expires_at }: Invitation): void {
  if (state !== 'OPEN') {
    const what = { ACCEPTED: 'was used already', DECLINED: 'was declined', REVOKED: 'was revoked' }[state];
    throw conflict(`This invitation ${what}; ask for a new one`, `INVITATION_${state}`);
  }
  if (deps.now() >= Date.parse(expires_at))
    throw conflict('This invitation has expired; ask for a new one', 'INVITATION_EXPIRED');
}

const unprovedAddress = () =>
  new AppError(403, 'Confirm your e-mail address first: the invitation is for whoever has it', {
    code: 'EMAIL_NOT_CONFIRMED',
  });

const unknownCode = (): AppError => notFound('Invitation');

function answerOf(deps: Pick<Kernel, 'now'>, state: 'ACCEPTED' | 'DECLINED', userId: string) {
  const at = isoOf(deps.now());
  return { state, answered_by: userId, answered_at: at, updated_at: at };
}
