import { isoOf, type Kernel } from '#core/kernel.ts';
import type { LetterKind, Notify } from '#core/notifying.ts';
import { letterOf, notSentNews } from './invitation-words.ts';
import type { Farm, Invitation } from './ports.ts';

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
        onGivenUp: (to) =>
          deps.notify({ userIds: [row.created_by] }, notSentNews(row, farm, to ?? row.email_key ?? '')),
      };
    },
  };
}
