import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { USER_ROLES } from '../words.ts';

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
    phone_number: { fields: ['phone_number'] },
    language: { fields: ['language'] },
  },
});
