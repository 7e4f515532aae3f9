import * as z from 'zod';
import { idInput, shortText, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { MEMBER_ROLES } from '../words.ts';
import { email } from './users.ts';

export const INVITATION_KINDS = ['MEMBER', 'HANDOVER'] as const;
export const INVITATION_STATES = ['OPEN', 'ACCEPTED', 'DECLINED', 'REVOKED'] as const;
/** NONE: who hands a farm over leaves it. */
export const INVITATION_ROLES = [...MEMBER_ROLES, 'NONE'] as const;

/** An offer that somebody becomes a member of a farm, or (HANDOVER) its owner; the code is shown once, its hash is kept. */
export const invitation = defineResource({
  name: 'invitations',
  entity: 25,
  sync: 'editable',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    kind: z.enum(INVITATION_KINDS),
    /** What the invited will be; for a HANDOVER what the former owner stays. */
    role: z.enum(INVITATION_ROLES),
    /** null: whoever has the code. */
    email_key: z.string().nullable(),
    code_hash: z.string(),
    created_by: uuid,
    expires_at: instant,
    state: z.enum(INVITATION_STATES),
    answered_by: uuid.nullable(),
    answered_at: instant.nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    state: { fields: ['state', 'answered_by', 'answered_at'] },
    // taken out when the account behind it is deleted
    email_key: { fields: ['email_key'] },
  },
  parents: { farms: 'farm_id' },
});

/** POST /farms/{farm_id}/invitations */
export const invitationCreate = z
  .object({
    kind: wordOf(INVITATION_KINDS).default('MEMBER'),
    role: wordOf(MEMBER_ROLES)
      .optional()
      .describe('What the invited will be; required unless the farm is handed over'),
    former_owner: wordOf(['MANAGER', 'NONE'])
      .optional()
      .describe('HANDOVER: what you will be on the farm afterwards; default MANAGER'),
    email: email.nullish().describe('Only this account may accept; null: whoever has the code'),
    expires_in_days: z.int().min(1).max(30).default(7),
    current_password: z
      .string()
      .max(1_000)
      .optional()
      .describe('HANDOVER: needed when the login is older than ten minutes'),
  })
  .refine(({ kind, role: wanted }) => kind === 'HANDOVER' || wanted !== undefined, {
    path: ['role'],
    message: `say what the invited will be: ${MEMBER_ROLES.join(', ')}`,
  });

/** In place of a code's hash: the account of the address answers it by its id, and nobody has a code. */
export const WITHOUT_CODE = 'none:';
export const hasCode = ({ code_hash }: { code_hash: string }): boolean => !code_hash.startsWith(WITHOUT_CODE);

/** POST /invitations/accept, POST /invitations/decline */
export const invitationCode = z
  .object({
    code: shortText.optional().describe('As it was shown; case, hyphens and spaces do not matter'),
    invitation_id: idInput.optional().describe('Instead, of one that asks for no code (`needs_code` false)'),
  })
  .refine(({ code, invitation_id }) => (code === undefined) !== (invitation_id === undefined), {
    path: ['code'],
    message: 'give either code or invitation_id',
  });

export const invitationAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  kind: z.enum(INVITATION_KINDS),
  role: z.enum(INVITATION_ROLES).describe('HANDOVER: what the former owner stays'),
  email: z.string().nullable(),
  created_by: z.uuid(),
  expires_at: z.string(),
  state: z.enum([...INVITATION_STATES, 'EXPIRED']),
  answered_by: z.uuid().nullable(),
  answered_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});
export type InvitationAnswer = z.infer<typeof invitationAnswer>;

/** The only time that the code is shown. */
export const invitationMade = invitationAnswer.extend({
  code: z.string().describe('Shown this once; give it to the invited'),
  emailed: z.boolean().describe('True: it is on its way to the address, too'),
});

/** One that waits for the caller. Most need their code still: anybody may register any address. */
export const invitationOffer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  farm_name: z.string(),
  kind: z.enum(INVITATION_KINDS),
  role: z.enum(INVITATION_ROLES),
  needs_code: z.boolean().describe('False: it is answered by its id alone'),
  expires_at: z.string(),
  created_at: z.string(),
});
export type InvitationOffer = z.infer<typeof invitationOffer>;

export const invitationAccepted = z.object({
  farm_id: z.uuid(),
  farm_name: z.string(),
  role: z.enum(['OWNER', ...MEMBER_ROLES]).describe('What you are on the farm now'),
});
