import { invitationLetter } from '#contract/resources/local-tables.ts';
import { type Change, purge } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type LetterOutcome, type SendLetter, sendDueLetters } from '#core/letters.ts';
import { languageOf, type Notify } from '#core/notifying.ts';
import { perform } from '#core/use-case.ts';
import { letterOf, notSentNews } from './invitation-words.ts';
import type { Farm, Invitation, InvitationLetter, LetterQueries, LetterSeal } from './ports.ts';

export type SendLettersDeps = Pick<Kernel, 'now' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'> & {
  queries: LetterQueries;
  notify: Notify;
  seal: Pick<LetterSeal, 'open'>;
  /** null: this instance sends no mail any more. */
  send: SendLetter | null;
};

/** Sends the letters with codes that are due. Of one that is given up whoever invites hears: the code can be given another way. */
export async function sendLetters(deps: SendLettersDeps): Promise<void> {
  await sendDueLetters(deps, deps.queries, {
    send: async (letter) => {
      const found = await openInvitation(deps, letter);
      if (found === null) return null;
      const what = deps.seal.open(letter.id, letter.sealed);
      return what === null ? UNREADABLE : sent(deps, { letter, found, ...what });
    },
    erase: ({ id }) => erase(deps, id, []),
    giveUp: async (letter, why) => {
      const { id } = letter;
      deps.log.warn({ invitationId: id, why }, 'an invitation was not sent by e-mail');
      const found = await openInvitation(deps, letter);
      if (found === null) return erase(deps, id, []);
      const to = deps.seal.open(id, letter.sealed)?.to ?? found.invitation.email_key ?? '';
      const news = notSentNews(found.invitation, found.farm, to);
      await erase(deps, id, await deps.notify({ userIds: [found.invitation.created_by] }, news));
    },
  });
}

/** null: nobody needs the letter any more. */
async function openInvitation(deps: SendLettersDeps, { id }: InvitationLetter) {
  const found = await deps.queries.invitation(id);
  const isOpen = found?.invitation.state === 'OPEN' && found.invitation.expires_at > isoOf(deps.now());
  return isOpen ? found : null;
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
