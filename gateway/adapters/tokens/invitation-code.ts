import { randomInt } from 'node:crypto';
import type { InvitationCodes } from '#features/people/invitations/ports.ts';

/** Neither look nor sound alike, in Portuguese and in English: no 0 O Q, 1 I L, 2 Z, 5 S, 8 B, G 6, M N, U V. */
const LETTERS = 'ACDEFHJKMPRTWXY34679';
/** 52 bits: with every attempt counted and slow, nobody guesses one within its days. */
const LENGTH = 12;
const GROUP = 4;
const WHOLE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

/** Codes that are read out over the telephone: K7MX-3HRT-WAC9. */
export const invitationCodes: InvitationCodes = {
  make() {
    return Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  },
  shown: (code) => code.match(new RegExp(`.{1,${GROUP}}`, 'g'))?.join('-') ?? code,
  normal(typed) {
    const code = typed.toUpperCase().replaceAll(/[\s-]/g, '');
    return WHOLE.test(code) ? code : null;
  },
};
