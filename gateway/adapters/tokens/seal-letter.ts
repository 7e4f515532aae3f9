import type { LetterSeal } from '#features/invitations/ports.ts';
import { textSeal } from './seal-text.ts';

/** Address and code of a letter that waits, bound to its invitation. */
export function letterSeal(instanceSecret: string): LetterSeal {
  const { seal, open } = textSeal(instanceSecret, 'invitation letters');
  return {
    seal: (invitationId, what) => seal(invitationId, JSON.stringify(what)),
    open(invitationId, sealed) {
      const text = open(invitationId, sealed);
      // what opens is what was sealed here
      return text === null ? null : (JSON.parse(text) as { to: string; code: string });
    },
  };
}
