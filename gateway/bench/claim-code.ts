import { randomBytes } from 'node:crypto';

/** Without letters that are taken for digits. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const LENGTH = 16;

/** A claim code for the label of one board: 80 random bits (device protocol, 10.1). */
export function newClaimCode(): string {
  return [...randomBytes(LENGTH)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}
