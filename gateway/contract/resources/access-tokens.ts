import * as z from 'zod';
import { instantInput, shortText, warnings } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';

export const TOKEN_SCOPES = ['read', 'record', 'control'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** A personal access token; the token itself is shown once, its SHA-256 is kept. */
export const accessToken = defineResource({
  name: 'access_tokens',
  entity: 24,
  sync: 'editable',
  row: z.object({
    id: uuid,
    user_id: uuid,
    name: z.string(),
    scopes: z.array(z.enum(TOKEN_SCOPES)),
    token_hash: z.string(),
    /** Its last four characters, to tell one from another. */
    hint: z.string(),
    expires_at: instant.nullable(),
    revoked_at: instant.nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: { name: { fields: ['name'] }, revoked: { fields: ['revoked_at'] } },
  parents: { users: 'user_id' },
});

const scopes = z
  .array(z.enum(TOKEN_SCOPES))
  .min(1, { message: `name at least one of ${TOKEN_SCOPES.join(', ')}` })
  .max(20)
  .transform((named) => TOKEN_SCOPES.filter((scope) => named.includes(scope)))
  .describe('read: GET. record: registers and records. control: devices, aerators, schedules, alerts.')
  .meta({ override: { type: 'array', items: { type: 'string', enum: [...TOKEN_SCOPES] }, minItems: 1 } });

/** POST /access-tokens */
export const accessTokenCreate = z.object({
  name: shortText,
  scopes,
  expires_at: instantInput.nullish().describe('null: until it is revoked'),
  current_password: z
    .string()
    .max(1_000)
    .optional()
    .describe('Needed when the login is older than ten minutes'),
});

/** PATCH /access-tokens/{id} */
export const accessTokenUpdate = z.object({ name: shortText.optional() });

export const accessTokenAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  scopes: z.array(z.enum(TOKEN_SCOPES)),
  hint: z.string().describe('Its last four characters'),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable().describe('To about ten minutes'),
  last_used_from: z.string().nullable().describe('Network address'),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type AccessTokenAnswer = z.infer<typeof accessTokenAnswer>;

/** The only time that the token itself is shown. */
export const accessTokenMade = accessTokenAnswer.extend({
  token: z.string().describe('Shown this once; send it as a Bearer token'),
});
