import * as z from 'zod';
import { shownName, warnings, wordOf } from '../fields.ts';
import { lookAlikeIn } from '../look-alikes.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { BRAZILIAN_STATES, LANGUAGES, USER_ROLES } from '../words.ts';
import { passkeyAssertion } from './passkeys.ts';

export const user = defineResource({
  name: 'users',
  entity: 1,
  sync: 'editable',
  row: z.object({
    id: uuid,
    numeric_id: z.int(),
    email: z.string(),
    /** Lower-case form: what is unique and what login looks up. */
    email_key: z.string(),
    name: z.string(),
    phone_number: z.string().nullable(),
    role: z.enum(USER_ROLES),
    is_active: z.boolean(),
    /** argon2id verifier; never leaves in an answer. */
    password_hash: z.string(),
    /** Tokens carry it as `pwv`: a changed password denies all older ones. */
    password_version: z.int(),
    language: z.string().nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    email: { fields: ['email', 'email_key'], owner: 'hosted' },
    role: { fields: ['role'], owner: 'hosted' },
    is_active: { fields: ['is_active'], owner: 'hosted' },
    password: { fields: ['password_hash', 'password_version'], owner: 'hosted' },
    name: { fields: ['name'] },
    phone_number: { fields: ['phone_number'], owner: 'hosted' },
    language: { fields: ['language'], owner: 'hosted' },
  },
});

// Letters of any script, no empty label, a domain with a dot: what a mail server could be asked to deliver to.
const EMAIL = /^[^\s@"(),:;<>[\\\].]+(\.[^\s@"(),:;<>[\\\].]+)*@[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+$/u;

/** An e-mail address as a caller sends it. */
export const email = z
  .string()
  .trim()
  .max(254)
  .regex(EMAIL, { message: 'must be an email address, for example maria@fazenda.com.br', abort: true })
  .superRefine((text, context) => {
    const message = lookAlikeIn(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .transform((text) => text.normalize('NFC'))
  .meta({ override: { type: 'string', format: 'email', maxLength: 254 } });

const password = z
  .string()
  .min(8, { message: 'must have at least 8 characters' })
  .max(128, { message: 'must have at most 128 characters' })
  .meta({ format: 'password' });

const phoneNumber = z.string().trim().max(255);
const language = z.enum(LANGUAGES);

/** POST /auth/register. ADMIN is a role, but not one to register with: that is 403. */
export const registerInput = z.object({
  email,
  name: shownName,
  password,
  phone_number: phoneNumber.nullish(),
  role: wordOf(USER_ROLES).default('OWNER'),
  language: language.nullish(),
  setup_code: z
    .string()
    .max(100)
    .nullish()
    .describe('Of the box, on its label and in its log: the first OWNER of a gateway says it'),
});

/** POST /auth/login; what could not be an email or a password is simply not the right one. */
export const loginInput = z.object({
  email: z.string().trim().max(1_000),
  password: z.string().max(1_000),
  remember_me: z.boolean().default(false),
  second_factor: z
    .string()
    .max(100)
    .nullish()
    .describe(
      'A code of the authenticator app or a recovery code, of an account that has a second factor here',
    ),
  passkey: passkeyAssertion
    .optional()
    .describe('In place of second_factor: signed for the options that came with 401 SECOND_FACTOR'),
});

/** PUT /users/me */
export const userUpdate = z.object({
  name: shownName.optional(),
  email: email.optional(),
  phone_number: phoneNumber.nullish(),
  password: password.optional(),
  current_password: z
    .string()
    .max(1_000)
    .optional()
    .describe('Optional; when given it must be the present password'),
  language: language.nullish(),
});

export const userAnswer = z.object({
  id: z.uuid(),
  numeric_id: z.int(),
  email: z.string(),
  name: z.string(),
  phone_number: z.string().nullable(),
  role: z.enum(USER_ROLES),
  is_active: z.boolean(),
  language: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  addresses: z.array(
    z.object({
      id: z.uuid(),
      street: z.string(),
      number: z.int(),
      city: z.string(),
      state: z.enum(BRAZILIAN_STATES),
      zip_code: z.string(),
      country: z.string(),
      is_primary: z.boolean(),
    }),
  ),
  warnings,
});
export type UserAnswer = z.infer<typeof userAnswer>;

export const tokenAnswer = z.object({
  access_token: z.string(),
  token_type: z.literal('bearer'),
  expires_in: z.int().describe('Seconds until the token expires'),
  warnings,
});

/** POST /auth/forgot-password */
export const forgotPasswordInput = z.object({ email });

/** GET /auth/forgot-password */
export const forgotPasswordAnswer = z.object({
  by_mail: z.boolean().describe('Whether this instance sends mail, and so the letter with the code'),
  hosted_url: z
    .string()
    .nullable()
    .describe('Of a paired gateway: where accounts of the hosted instance get a new password'),
});

/** POST /auth/reset-password */
export const resetPasswordInput = z.object({
  token: z.string().max(200).describe('The code of the letter, with or without its hyphens'),
  password,
});

/** GET /users/me/email */
export const addressStateAnswer = z.object({
  email: z.string(),
  is_verified: z.boolean().describe('Invitations come to a confirmed address only'),
  by_mail: z
    .boolean()
    .describe('false: this instance sends no mail, and an administrator confirms addresses'),
});

/** POST /users/me/email/confirm */
export const addressCodeInput = z.object({ code: z.string().max(200) });

/** GET /users/unverified and the answer of POST /users/{user_id}/confirm-email */
export const unverifiedAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string(),
  role: z.enum(USER_ROLES),
  created_at: z.string(),
});
export type UnverifiedAnswer = z.infer<typeof unverifiedAnswer>;

export const messageAnswer = z.object({ message: z.string() });

/** The form in which emails are compared: one person, one account, however it is typed. */
export const emailKeyOf = (text: string): string => text.trim().normalize('NFC').toLowerCase();

/** A verifier that no password fits, as costly to try as a real one: of stand-ins, and of what a lost pairing wiped. */
export const NO_PASSWORD = `$argon2id$v=19$m=65536,t=3,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Addresses of people whose account stands on a gateway alone. The top-level domain is reserved: nobody has one. */
export const STAND_IN_DOMAIN = 'local.invalid';
export const standInEmail = (userId: string): string => `${userId}@${STAND_IN_DOMAIN}`;
export const isStandInEmail = (emailKey: string): boolean => emailKey.endsWith(`@${STAND_IN_DOMAIN}`);
