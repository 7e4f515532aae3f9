import { Secret, TOTP } from 'otpauth';
import type { OneTimeCodes } from '#features/second-factor/ports.ts';

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
