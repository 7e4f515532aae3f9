import * as z from 'zod';
import { passkeyAssertion } from './passkeys.ts';

const code = z.string().trim().min(1).max(100);
const current_password = z.string().max(1_000);

/** POST /auth/second-factor */
export const secondFactorBegin = z.object({ current_password });

export const secondFactorBegun = z.object({
  secret: z.string().describe('Base32, to be typed into an authenticator app; shown once'),
  uri: z.string().describe('otpauth URI, to be shown as a QR code; shown once'),
});

/** POST /auth/second-factor/confirm */
export const secondFactorConfirm = z.object({ code });

export const secondFactorConfirmed = z.object({
  recovery_codes: z.array(z.string()).describe('Each stands in for a code once; shown once'),
});

/** DELETE /auth/second-factor */
export const secondFactorEnd = z.object({
  current_password,
  code: code.optional().describe('A code of the app or a recovery code; needless before it was confirmed'),
  passkey: passkeyAssertion.optional().describe('In place of a code'),
});

export const secondFactorAnswer = z.object({
  state: z.enum(['OFF', 'PENDING', 'ON']).describe('Of the authenticator app; passkeys stand by themselves'),
  confirmed_at: z.string().nullable(),
  recovery_codes_left: z.int(),
  judges_codes: z
    .boolean()
    .describe('false: the clock here is not to be trusted, so only recovery codes count'),
});
export type SecondFactorAnswer = z.infer<typeof secondFactorAnswer>;
export type SecondFactorBegun = z.infer<typeof secondFactorBegun>;
