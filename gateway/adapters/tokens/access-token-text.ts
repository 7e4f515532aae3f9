import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { TokenText } from '#features/people/access-tokens/ports.ts';

/** Scanners of code and logs find tokens by it, and by the checksum tell them from other text. */
const PREFIX = 'sfat_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
/** Letters and digits alone, so that a double click marks all of it: 256 bits take 43 of them, a CRC-32 six. */
const SECRET_LENGTH = 43;
const CHECK_LENGTH = 6;
const WHOLE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}}$`);

/** Access tokens as text: `sfat_`, 256 random bits, a checksum that tells a mistyped one without asking the database. */
export const accessTokenText: TokenText = {
  make() {
    const secret = inDigits(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
    return `${PREFIX}${secret}${checkOf(secret)}`;
  },
  isOne: (text) => text.startsWith(PREFIX),
  isWhole(text) {
    if (!WHOLE.test(text)) return false;
    return checkOf(text.slice(PREFIX.length, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH);
  },
  hashOf: (text) => createHash('sha256').update(text).digest('hex'),
};

const checkOf = (secret: string): string => inDigits(BigInt(crc32(secret)), CHECK_LENGTH);

function inDigits(number: bigint, length: number): string {
  let text = '';
  const base = BigInt(DIGITS.length);
  for (let left = number; left > 0n; left /= base) text = `${DIGITS[Number(left % base)]}${text}`;
  return text.padStart(length, DIGITS[0]);
}
