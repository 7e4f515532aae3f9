import type * as z from 'zod';
import { batch } from '#contract/resources/batches.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { invitation, type invitationCreate, WITHOUT_CODE } from '#contract/resources/invitations.ts';
import { emailKeyOf, isStandInEmail, STAND_IN_DOMAIN, standInEmail } from '#contract/resources/users.ts';
import type { MemberRole } from '#contract/words.ts';
import { asParent, type Change, insert, update } from '#core/changes.ts';
import { conflict, notFound, UniqueViolation } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type LetterKind, letterChange, type Notify } from '#core/notifying.ts';
import type { Decision } from '#core/use-case.ts';
import { takeMessageFrom, tooManyAttempts } from '../attempts.ts';
import { invitedNews, letterOf, notSentNews } from './invitation-words.ts';
import type { Farm, Invitation, InvitationRow, InviteDeps, Person, Stray } from './ports.ts';

const DAY_MS = 24 * 3600 * 1000;
const MOST_OPEN = 50;
const DAYS_TO_ANSWER = 30;

type Invited = { row: InvitationRow; code: string };

/**
 * Decides an invitation to a farm, or the offer to take it over; the code is in the answer and, sealed, in the letter, and
 * nowhere else. Throws 409 when the farm has too many open ones, 429 when its owner sends too many letters.
 */
export async function invite(
  deps: InviteDeps,
  by: { userId: string; farmId: string; source: string; language: string },
  input: z.infer<typeof invitationCreate>,
): Promise<Decision<Invited>> {
  const guards = [
    await deps.guard('invitations', by.farmId),
    asParent(await deps.guard('farm', by.farmId)),
    asParent(await deps.guard('account', by.userId)),
  ];
  const farm = await deps.queries.farm(by.farmId);
  // it may have been handed over since the rights were looked at
  if (farm === null || farm.owner_id !== by.userId) throw notFound('Farm');
  const at = isoOf(deps.now());
  const open = (await deps.queries.openOfFarm(by.farmId)).filter(({ expires_at }) => expires_at > at);
  if (open.length >= MOST_OPEN) throw tooManyOpen();
  const code = deps.codes.make();
  const row: InvitationRow = {
    ...anOffer(deps, by, input.expires_in_days),
    kind: input.kind,
    role: input.kind === 'HANDOVER' ? (input.former_owner ?? 'MANAGER') : (input.role ?? 'VIEWER'),
    email_key: input.email ? emailKeyOf(input.email) : null,
    code_hash: await deps.codeHash(code, by.source),
  };
  return {
    answer: { row, code: deps.codes.shown(code) },
    changes: [
      insert(invitation, row),
      ...letterChanges(deps, { row, code: deps.codes.shown(code), to: input.email, language: by.language }),
      ...(await toldChanges(deps, row, farm)),
    ],
    guards,
  };
}

const anOffer = (
  deps: Pick<InviteDeps, 'now' | 'newId'>,
  by: { userId: string; farmId: string },
  days: number,
): Omit<InvitationRow, 'kind' | 'role' | 'email_key' | 'code_hash'> => ({
  id: deps.newId(),
  farm_id: by.farmId,
  created_by: by.userId,
  expires_at: isoOf(deps.now() + days * DAY_MS),
  state: 'OPEN',
  answered_by: null,
  answered_at: null,
  created_at: isoOf(deps.now()),
  updated_at: null,
});

/** What an invitation to this person may name: the address, or the stand-in of the id by which an owner asked. */
export const namesOf = ({ id, email_key }: Pick<Person, 'id' | 'email_key'>): string[] => [
  email_key,
  standInEmail(id),
];

/**
 * Decides that whoever has this address, or the id of a stand-in, is asked to be a member in this role. Asked again it
 * is the same invitation, in another role one that takes its place. Where letters prove an address it needs the code of its
 * letter; elsewhere the account answers it by its id. What is answered is the same whether there is such an account or not.
 * Throws 409 when the farm has too many open ones, 429 when its owner asks too many people.
 */
export async function inviteMember(
  deps: InviteDeps,
  by: { userId: string; farmId: string; source: string; language: string },
  { emailKey, to, role }: { emailKey: string; to: string | null; role: MemberRole },
): Promise<Decision<InvitationRow>> {
  const guards = [await deps.guard('invitations', by.farmId), asParent(await deps.guard('farm', by.farmId))];
  const farm = await deps.queries.farm(by.farmId);
  if (farm === null || farm.owner_id !== by.userId) throw notFound('Farm');
  const at = isoOf(deps.now());
  const open = (await deps.queries.openOfFarm(by.farmId)).filter(({ expires_at }) => expires_at > at);
  const before = open.find(({ kind, email_key }) => kind === 'MEMBER' && email_key === emailKey);
  if (before?.role === role) return { answer: before };
  if (before === undefined && open.length >= MOST_OPEN) throw tooManyOpen();
  await takeLetter(deps, by);
  const code = deps.codes.make();
  const isMailed = deps.letterSeal !== null && deps.provesAddresses;
  const offer = anOffer(deps, by, DAYS_TO_ANSWER);
  const row: InvitationRow = {
    ...offer,
    kind: 'MEMBER',
    role,
    email_key: emailKey,
    code_hash: isMailed ? await deps.codeHash(code, by.source) : WITHOUT_CODE + offer.id,
  };
  const letter = { row, code: deps.codes.shown(code), to, language: by.language };
  return {
    answer: row,
    changes: [
      ...(before === undefined ? [] : (revokeInvitation(deps, before).changes ?? [])),
      insert(invitation, row),
      ...(isMailed ? letterChanges(deps, letter) : []),
      ...(await toldChanges(deps, row, farm)),
    ],
    guards,
  };
}

const tooManyOpen = () =>
  conflict(`This farm has ${MOST_OPEN} open invitations; revoke some first`, 'TOO_MANY_INVITATIONS');

function letterChanges(
  { letterSeal }: InviteDeps,
  {
    row: { id, created_at },
    code,
    to,
    language,
  }: { row: InvitationRow; code: string; to: string | null | undefined; language: string },
): Change[] {
  if (!to || letterSeal === null) return [];
  return [letterChange(letterSeal, { id, kind: 'INVITATION', to, code, language, at: created_at })];
}

/** Counts somebody whom this owner asks, by letter or on the screen alone, before anything is made. */
export async function takeLetter(
  deps: Pick<InviteDeps, 'letters' | 'messagesFrom'>,
  { userId, source }: { userId: string; source: string },
): Promise<void> {
  const waitMs = await deps.letters.take(userId);
  if (waitMs !== null) throw tooManyAttempts('You invited too many people', waitMs);
  await takeMessageFrom(deps, source);
}

/** Who has an account of that address sees it in the list of notifications; the code comes another way. */
async function toldChanges(deps: InviteDeps, row: InvitationRow, farm: Farm) {
  if (row.email_key === null) return [];
  const person = isStandInEmail(row.email_key)
    ? await deps.queries.person(row.email_key.slice(0, -STAND_IN_DOMAIN.length - 1))
    : await deps.queries.personByEmail(row.email_key);
  if (person === null || person.id === row.created_by) return [];
  // of somebody else's farm only who has the address hears
  if (!(await deps.isProved(person.id))) return [];
  return deps.notify({ userIds: [person.id] }, invitedNews(row, farm));
}

/** Decides that an invitation is void. One that was answered stays as it is: 409. */
export function revokeInvitation(deps: Pick<InviteDeps, 'now'>, current: Invitation): Decision<void> {
  if (current.state === 'REVOKED') return { answer: undefined };
  if (current.state !== 'OPEN')
    throw conflict(`This invitation was answered already (${current.state})`, 'ALREADY_ANSWERED');
  const set = { state: 'REVOKED' as const, updated_at: isoOf(deps.now()) };
  return { answer: undefined, changes: [update(invitation, current, set)] };
}

/** Then whoever invites hears that it did not go: the code can be given another way. */
const GIVEN_UP_AFTER_MS = 24 * 3_600_000;

/** How the letter with the code of an invitation is written. */
export function invitationLetters(
  deps: Pick<Kernel, 'now'> & {
    notify: Notify;
    /** null: it is gone, or its farm is. */
    invitation: (id: string) => Promise<{ invitation: Invitation; farm: Farm } | null>;
  },
): LetterKind {
  return {
    triedForMs: GIVEN_UP_AFTER_MS,
    async task({ id }) {
      const found = await deps.invitation(id);
      const isOpen = found?.invitation.state === 'OPEN' && found.invitation.expires_at > isoOf(deps.now());
      if (found === null || !isOpen) return null;
      const { invitation: row, farm } = found;
      return {
        write: async ({ to, code }, language) => letterOf(language, { row, code, farm, to }),
        onGivenUp: async (to) =>
          // the address of who was asked by an id is not the inviter's to read
          row.email_key !== null && isStandInEmail(row.email_key)
            ? []
            : deps.notify({ userIds: [row.created_by] }, notSentNews(row, farm, to ?? row.email_key ?? '')),
      };
    },
  };
}

type FollowOwnerDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  /** Control points and batches whose owner is not the owner of their farm, at most `limit`. */
  strays: (limit: number) => Promise<Stray[]>;
};

const SLICE = 200;

/**
 * Gives what stands on a farm to the owner of the farm: something that was made while it changed hands, here or on the
 * other instance, was made for the former one.
 */
export async function followOwner(deps: FollowOwnerDeps): Promise<void> {
  for (const { of, id, owner_id } of await deps.strays(SLICE)) {
    const set = { owner_id, updated_at: isoOf(deps.now()) };
    const change = of === 'control_point' ? update(controlPoint, id, set) : update(batch, id, set);
    try {
      await deps.commit({ changes: [change], actor: null });
    } catch (error) {
      // the new owner uses the same code on another farm: it stays until one of them has another
      if (!(error instanceof UniqueViolation)) throw error;
      deps.log.warn(
        { of, id, ownerId: owner_id },
        'a code that its new owner has already keeps its former owner',
      );
    }
  }
}
