import * as z from 'zod';
import { shortText } from '../fields.ts';

// Passkeys (WebAuthn Level 3) as browsers send and take them, in the JSON forms of section 5.1.8. Everything is bounded
// before it is decoded.

const base64url = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');
/** 1,023 bytes at most, says the standard. */
const credentialId = base64url(1_364);
const head = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };

/** How a new credential looks; without an attestation it is some hundred bytes. */
export const passkeyAttestation = z.object({
  ...head,
  response: z.object({
    clientDataJSON: base64url(4_000),
    attestationObject: base64url(8_000),
    transports: z.array(z.string().max(30)).max(10).optional(),
  }),
});
export type PasskeyAttestation = z.infer<typeof passkeyAttestation>;

/** What a credential signed. */
export const passkeyAssertion = z.object({
  ...head,
  response: z.object({
    clientDataJSON: base64url(4_000),
    authenticatorData: base64url(4_000),
    signature: base64url(2_000),
    userHandle: base64url(100).nullish(),
  }),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

const named = z.object({
  id: z.string(),
  type: z.literal('public-key'),
  transports: z.array(z.string()).optional(),
});
const userVerification = z.enum(['required', 'preferred', 'discouraged']);

export const passkeyRequestOptions = z.object({
  challenge: z.string().describe('Good once, for five minutes'),
  rpId: z.string(),
  timeout: z.int(),
  userVerification,
  allowCredentials: z.array(named).describe('Empty: the browser offers what it has for this instance'),
});
export type PasskeyRequestOptions = z.infer<typeof passkeyRequestOptions>;

export const passkeyCreationOptions = z.object({
  challenge: z.string().describe('Good once, for five minutes'),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.int() })),
  timeout: z.int(),
  excludeCredentials: z.array(named),
  authenticatorSelection: z.object({
    residentKey: z.enum(['required', 'preferred', 'discouraged']),
    userVerification,
  }),
  attestation: z.literal('none'),
});
export type PasskeyCreationOptions = z.infer<typeof passkeyCreationOptions>;

const current_password = z
  .string()
  .max(1_000)
  .optional()
  .describe('The present password; needless within ten minutes of a login');

/** POST /auth/passkeys/begin */
export const passkeyBegin = z.object({ current_password });

const name = shortText.max(60);
/** POST /auth/passkeys */
export const passkeyInput = z.object({ name, credential: passkeyAttestation });
/** PUT /auth/passkeys/{passkey_id} */
export const passkeyRename = z.object({ name });

/** DELETE /auth/passkeys/{passkey_id} */
export const passkeyEnd = z.object({
  current_password,
  code: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'A recovery code, or `passkey`: for the last way to prove oneself, which needs the password, too',
    ),
  passkey: passkeyAssertion.optional(),
});

/** POST /auth/passkey */
export const passkeyLogin = z.object({
  passkey: passkeyAssertion,
  remember_me: z.boolean().default(false),
});

export const passkeyAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  rp_id: z.string().describe('The name of this instance that it was made for; it works under no other'),
  created_at: z.string(),
  last_used_at: z.string().nullable(),
});
export type PasskeyAnswer = z.infer<typeof passkeyAnswer>;

/** POST /auth/passkeys */
export const passkeyMade = z.object({
  ...passkeyAnswer.shape,
  recovery_codes: z
    .array(z.string())
    .nullable()
    .describe('Each stands in for the passkey once; shown once. null: the account has some already'),
});

/**
 * Why passkeys cannot be used under the address of a request. plain: it is not https. address: it is a number, no name.
 * name: this instance has another one. unset: it has no public URL.
 */
export const NO_PASSKEYS = ['plain', 'address', 'name', 'unset'] as const;
export type NoPasskeys = (typeof NO_PASSKEYS)[number];

/** GET /auth/passkeys */
export const passkeysAnswer = z.object({
  works_here: z.boolean().describe('Whether passkeys can be used under the address of this request'),
  why_not: z.enum(NO_PASSKEYS).nullable(),
  open_at: z
    .string()
    .nullable()
    .describe('An address of this instance under which they work, if one is known'),
  rp_id: z.string().nullable(),
  passkeys: z.array(passkeyAnswer),
});
export type PasskeysAnswer = z.infer<typeof passkeysAnswer>;
