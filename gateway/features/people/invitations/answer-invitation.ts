import type * as z from 'zod';
import { hasCode, invitation, type invitationCode } from '#contract/resources/invitations.ts';
import { update } from '#core/changes.ts';
import { AppError, conflict, forbidden, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { invalidToken } from '#core/request-checks.ts';
import type { Decision } from '#core/use-case.ts';
import { tooManyAttempts } from '../attempts.ts';
import { membership, roleEntry } from '../membership.ts';
import { takeFarmOver } from './hand-over.ts';
import { acceptedNews, declinedNews } from './invitation-words.ts';
import type { Accepted, AnswerDeps, Farm, Invitation, Person } from './ports.ts';

/** By its code, or one that has none by its id. */
type Named = z.infer<typeof invitationCode>;
type Who = { userId: string; source: string };

/**
 * Decides that the caller accepts an invitation. Throws 404 for a code that is none, 409 for one that was answered,
 * revoked or has expired, 403 for another person's, 429 after ten wrong ones.
 */
export async function acceptInvitation(
  deps: AnswerDeps,
  who: Who,
  named: Named,
): Promise<Decision<Accepted>> {
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

/** Decides that the caller declines. Throws as acceptInvitation does. */
export async function declineInvitation(deps: AnswerDeps, who: Who, named: Named): Promise<Decision<void>> {
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
    if (offer === null || hasCode(offer) || offer.email_key !== person.email_key) throw unknownCode();
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
  if (found.email_key !== null && found.email_key !== person.email_key) {
    throw forbidden('This invitation is for another account: log in with the address it was sent to');
  }
  requireOpen(deps, found);
  return { found, person };
}

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
