import { invitationLetter } from '#contract/resources/local-tables.ts';
import { type Change, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { languageOf, type Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { letterOf, notSentNews } from './invitation-words.ts';
import type {
  Farm,
  Invitation,
  InvitationLetter,
  LetterOutcome,
  LetterQueries,
  LetterSeal,
  SendLetter,
} from './ports.ts';

export type SendLettersDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'> & {
  queries: LetterQueries;
  notify: Notify;
  seal: Pick<LetterSeal, 'open'>;
  /** null: this instance sends no mail any more. */
  send: SendLetter | null;
};

const MINUTE = 60_000;
const MOST_AT_ONCE = 20;
/** So long one process of several has it for itself. */
const LEASE_MS = 2 * MINUTE;
const LONGEST_WAIT_MS = 60 * MINUTE;
/** Then whoever invites hears that it did not go: the code can be given another way. */
const GIVEN_UP_AFTER_MS = 24 * 60 * MINUTE;

/** Sends the letters with codes that are due. What cannot be sent now is tried again; each is erased when it is gone. */
export async function sendLetters(deps: SendLettersDeps): Promise<void> {
  for (const letter of await deps.queries.due(deps.now(), MOST_AT_ONCE)) {
    try {
      if (await deps.queries.claim(letter, isoOf(deps.now() + LEASE_MS))) await sendOne(deps, letter);
    } catch (error) {
      deps.log.warn({ err: error, invitationId: letter.id }, 'an invitation waits to be sent by e-mail');
    }
  }
}

async function sendOne(deps: SendLettersDeps, letter: InvitationLetter): Promise<void> {
  const { id } = letter;
  const found = await deps.queries.invitation(id);
  const isOpen = found?.invitation.state === 'OPEN' && found.invitation.expires_at > isoOf(deps.now());
  // nobody needs it any more
  if (found === null || !isOpen) return erase(deps, id, []);
  const what = deps.seal.open(id, letter.sealed);
  const outcome = what === null ? UNREADABLE : await sent(deps, { letter, found, ...what });
  if (outcome.is === 'sent') return erase(deps, id, []);
  const age = deps.clockQuality() === 'trusted' ? deps.now() - Date.parse(letter.created_at) : 0;
  if (outcome.is === 'retry' && age < GIVEN_UP_AFTER_MS) {
    const waitMs = Math.min(LONGEST_WAIT_MS, MINUTE * 2 ** Math.min(letter.attempts, 10));
    await deps.queries.putOff(id, isoOf(deps.now() + waitMs), letter.attempts + 1);
    return;
  }
  deps.log.warn({ invitationId: id, why: outcome.why }, 'an invitation was not sent by e-mail');
  const news = notSentNews(found.invitation, found.farm, what?.to ?? found.invitation.email_key ?? '');
  await erase(deps, id, await deps.notify({ userIds: [found.invitation.created_by] }, news));
}

const UNREADABLE: LetterOutcome = { is: 'refused', why: 'it was sealed with a secret that is gone' };

async function sent(
  { send }: SendLettersDeps,
  {
    letter,
    found,
    to,
    code,
  }: { letter: InvitationLetter; found: { invitation: Invitation; farm: Farm }; to: string; code: string },
): Promise<LetterOutcome> {
  if (send === null) return { is: 'refused', why: 'this instance sends no mail' };
  const words = { row: found.invitation, code, farm: found.farm, to };
  return send({ id: letter.id, ...letterOf(languageOf(letter.language), words) });
}

async function erase(deps: SendLettersDeps, id: string, told: readonly Change[]): Promise<void> {
  await perform(deps, null, () =>
    Promise.resolve({ answer: undefined, changes: [purge(invitationLetter, id), ...told] }),
  );
}
