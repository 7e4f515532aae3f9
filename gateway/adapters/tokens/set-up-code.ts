import { createHmac, timingSafeEqual } from 'node:crypto';

// The code on the label of a box, which its first owner says. It is made of the secret of the instance, so that it is
// stored nowhere and the label can be printed again.

/** Without letters and digits that are taken for others: 31 signs, about 40 bits in eight of them. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';
const LENGTH = 8;

export function setUpCodeOf(secret: string): string {
  const bytes = createHmac('sha256', secret).update('set-up code').digest();
  return [...bytes.subarray(0, LENGTH)].map((byte) => ALPHABET.charAt(byte % ALPHABET.length)).join('');
}

/** As people read and type it: `abcd-efgh`. */
export const shownSetUpCode = (secret: string): string => {
  const code = setUpCodeOf(secret);
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
};

/** Is that the code, whatever its case and hyphens? */
export function isSetUpCode(secret: string, typed: string): boolean {
  const plain = Buffer.from(typed.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));
  const code = Buffer.from(setUpCodeOf(secret));
  return plain.length === code.length && timingSafeEqual(plain, code);
}
