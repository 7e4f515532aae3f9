import type { LetterSeal } from '#core/notifying.ts';
import { textSeal } from './seal-text.ts';

/** Address and code of a letter that waits, bound to it. */
export function letterSeal(instanceSecret: string): LetterSeal {
  const { seal, open } = textSeal(instanceSecret, 'invitation letters');
  return {
    seal: (letterId, what) => seal(letterId, JSON.stringify(what)),
    open(letterId, sealed) {
      const text = open(letterId, sealed);
      // what opens is what was sealed here
      return text === null ? null : (JSON.parse(text) as { to: string; code: string });
    },
  };
}
