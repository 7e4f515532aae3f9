import * as z from 'zod';
import { flagInQuery, idInput, instantInput, shortText, wordOf } from '../fields.ts';
import { USER_ROLES } from '../words.ts';
import { GATEWAY_STATES, LOST_KINDS } from './sync-tables.ts';

// What people see and do about gateways: pairing, the list of them, farms they run, people who live on them alone.

const userCode = shortText.describe('As the gateway shows it; case, hyphens and spaces do not matter');

/** GET /sync/claims: what stands behind a code, before anything is claimed. */
export const claimQuery = z.object({ user_code: userCode });

export const claimPreview = z.object({
  gateway_id: z.uuid(),
  name: z.string(),
  hardware: z.string(),
  software: z.string(),
  expires_at: z.string(),
  is_known: z.boolean().describe('True: this gateway was yours before; it is paired again'),
});

/** POST /sync/claims */
export const claimInput = z.object({
  user_code: userCode,
  name: shortText.optional().describe('What you want to call it; by default as it calls itself'),
  in_place_of: idInput
    .nullish()
    .describe('A gateway of yours that is gone: its farms move to this one, and it is unpaired'),
});

export const gatewayAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  status: z.enum(GATEWAY_STATES),
  hardware: z.string(),
  software: z.string(),
  paired_at: z.string(),
  revoked_at: z.string().nullable(),
  last_seen_at: z.string().nullable(),
  outage_until: z.string().nullable(),
  outage_reason: z.string().nullable(),
  farms: z.array(z.object({ id: z.uuid(), name: z.string() })),
  open_conflicts: z.int(),
  parked: z.int().describe('Rows of it that could not be applied here'),
  pending: z.int().describe('Changes made here that it has not fetched yet'),
});
export type GatewayAnswer = z.infer<typeof gatewayAnswer>;

/** PATCH /sync/gateways/{id} */
export const gatewayUpdate = z.object({
  name: shortText.optional(),
  outage_until: instantInput
    .nullish()
    .describe('An outage you know of: silence until then raises no alarm; null ends it'),
  outage_reason: z.string().trim().max(200).nullish(),
});

/** POST /sync/gateways/{id}/farms */
export const farmBinding = z.object({ farm_id: idInput });
export const unbindQuery = z.object({
  force: flagInQuery
    .optional()
    .describe('Even while the gateway is let in; say it once that box is switched off'),
});
export const boundFarm = z.object({ gateway_id: z.uuid(), farm_id: z.uuid(), name: z.string() });

export const localUserAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().describe('As on the gateway; no account here'),
  state: z.enum(['local', 'adopted']),
  email_taken: z.boolean().describe('Another account here has it: invite that account to the farm instead'),
  seen_at: z.string(),
});
export type LocalUserAnswer = z.infer<typeof localUserAnswer>;

/** GET /sync/lost-people */
export const lostPersonAnswer = z.object({
  id: z.uuid(),
  kind: z
    .enum(LOST_KINDS)
    .describe(
      'account: there is none here any more; membership: of an account that stands here; password: the one here is older than the one the gateway was told of (or that was changed at the farm itself); email, name, role: of an account that stands here, later than what stands here',
    ),
  user_id: z.uuid(),
  name: z.string().describe('As the gateway tells; for an account that stands here, as it stands'),
  email: z.string(),
  role: z.string().nullable(),
  stands: z.string().nullable().describe('Of email, name and role: what stands here now'),
  farm_id: z.uuid().nullable(),
  farm_name: z.string().nullable(),
  gateway_name: z.string().describe('Whose word it is'),
  gateway_owner: z.string(),
  email_taken: z.boolean().describe('Another account here has the address: invite that account to the farm'),
  seen_at: z.string(),
});
export type LostPersonAnswer = z.infer<typeof lostPersonAnswer>;

/** POST /sync/lost-people/{lost_person_id}/take-back; null: of a membership, which needs no code. */
export const takenBackAnswer = z.object({
  id: z.uuid(),
  kind: z.enum(LOST_KINDS),
  email: z.string(),
  code: z
    .string()
    .nullable()
    .describe('Shown this once: with it the person chooses a password, POST /auth/first-password'),
  expires_at: z.string().nullable(),
  emailed: z.boolean(),
});

/** POST /sync/local-users/{id}/adopt */
export const adoptInput = z.object({
  role: wordOf(USER_ROLES.filter((role) => role !== 'ADMIN'))
    .default('MANAGER')
    .describe(
      'Of the account; an OWNER may have farms of its own. What it may do on a farm its membership says',
    ),
});

/** Its answer: the only time that the code is shown. */
export const adoptedAnswer = z.object({
  id: z.uuid(),
  email: z.string(),
  code: z
    .string()
    .describe('Shown this once: with it the person chooses a password, POST /auth/first-password'),
  expires_at: z.string(),
  emailed: z.boolean(),
});

// On a gateway ------------------------------------------------------------------------------------------------------

/** POST /sync/pairing */
export const pairingInput = z.object({
  hosted_url: z
    .url({ protocol: /^https?$/, message: 'must be an http or https address' })
    .max(500)
    .transform((address) => address.replace(/\/+$/, ''))
    .optional()
    .describe('The hosted instance; by default the one this gateway is set up for'),
  name: shortText.max(100).optional().describe('What the gateway is called there'),
});

export const pairingAnswer = z.object({
  state: z
    .enum(['unpaired', 'waiting', 'paired', 'revoked'])
    .describe('waiting: somebody has to enter the code; revoked: unpaired from the other side'),
  gateway_id: z.uuid(),
  hosted_url: z.string().nullable(),
  user_code: z.string().nullable(),
  verification_uri: z.string().nullable().describe('To open in a browser, or to show as a QR code'),
  qr_text: z.string().nullable(),
  expires_at: z.string().nullable(),
  owner_name: z.string().nullable(),
  instance_name: z.string().nullable(),
  paired_at: z.string().nullable(),
  detail: z.string().nullable().describe('What went wrong with the last attempt, or what to do'),
});
export type PairingAnswer = z.infer<typeof pairingAnswer>;

/** POST /auth/first-password */
export const firstPasswordInput = z.object({
  code: shortText,
  password: z
    .string()
    .min(8, { message: 'must have at least 8 characters' })
    .max(128, { message: 'must have at most 128 characters' })
    .meta({ format: 'password' }),
});
