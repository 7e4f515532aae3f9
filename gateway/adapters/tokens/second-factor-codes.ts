import { createHash, randomInt, timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes, RecoveryCodes } from '#features/people/second-factor/ports.ts';

const SECRET_BYTES = 20;
const PERIOD_S = 30;
/** Steps before and after the present one: a phone's clock is off by seconds, and typing takes some. */
const WINDOW = 1;
/** What every authenticator app understands. */
const FORM = { algorithm: 'SHA1', digits: 6, period: PERIOD_S };

export const oneTimeCodes: OneTimeCodes = {
  newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
  uriOf: (secret, { issuer, account }) => new TOTP({ ...FORM, issuer, label: account, secret }).toString(),
  stepOf(secret, code, now) {
    const delta = TOTP.validate({
      ...FORM,
      secret: Secret.fromBase32(secret),
      token: code,
      timestamp: now,
      window: WINDOW,
    });
    return delta === null ? null : TOTP.counter({ period: PERIOD_S, timestamp: now }) + delta;
  },
};

const CODES = 10;
/** Crockford's: no letter that is taken for a digit on paper. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 119 bits: a plain hash keeps them (OWASP ASVS 6.5.2 asks for 112). The first is a letter, so that none is taken for a one-time code. */
const LENGTH = 24;

/** However it is written: small, with blanks and hyphens, O for 0, I and L for 1. */
const plain = (code: string): string =>
  code
    .toUpperCase()
    .replace(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1');

const digestOf = (code: string): Buffer => createHash('sha256').update(plain(code)).digest();

function newCode(): string {
  const letters = Array.from({ length: LENGTH }, (_, at) => LETTERS[randomInt(at === 0 ? 10 : 0, 32)]);
  return (letters.join('').match(/.{4}/g) ?? []).join('-');
}

export const recoveryCodes: RecoveryCodes = {
  make: () => Array.from({ length: CODES }, newCode),
  hashOf: (code) => digestOf(code).toString('base64url'),
  find(hashes, code) {
    const said = digestOf(code);
    let found: string | null = null;
    for (const hash of hashes) {
      const known = Buffer.from(hash, 'base64url');
      if (known.length === said.length && timingSafeEqual(known, said)) found = hash;
    }
    return found;
  },
};
