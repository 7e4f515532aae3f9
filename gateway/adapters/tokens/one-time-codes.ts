import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import type { ResetCodes } from '#features/people/accounts/ports.ts';

/** As those of invitations: neither look nor sound alike. */
const LETTERS = 'ACDEFHJKMPRTWXY34679';
/** 138 bits: nobody guesses one, so that its plain hash keeps it. */
const LENGTH = 32;
const GROUP = 4;
const WHOLE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/** Codes that stand in a link, and that a person can still copy by hand from another screen. */
export const resetCodes: ResetCodes = {
  make: () => Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  shown: (code) => code.match(new RegExp(`.{1,${GROUP}}`, 'g'))?.join('-') ?? code,
  normal(typed) {
    const code = typed.toUpperCase().replaceAll(/[\s-]/g, '');
    return WHOLE.test(code) ? code : null;
  },
  hashOf,
  isOf(code, hash) {
    const [own, known] = [Buffer.from(hashOf(code)), Buffer.from(hash)];
    return own.length === known.length && timingSafeEqual(own, known);
  },
};
