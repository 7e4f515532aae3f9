import * as z from 'zod';
import { idInput, latitude, longitude, longText, ownId, shownName, warnings, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { MEMBER_ROLES, POND_TYPES } from '../words.ts';
import { addressCreate } from './addresses.ts';
import { email } from './users.ts';

export const farm = defineResource({
  name: 'farms',
  entity: 3,
  sync: 'editable',
  row: z.object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    owner_id: uuid,
    address_id: uuid.nullable(),
    lat: z.string().nullable(),
    lng: z.string().nullable(),
    /** IANA zone: schedules, days and dates of this farm follow its wall clock. */
    timezone: z.string(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    name: { fields: ['name'] },
    description: { fields: ['description'] },
    position: { fields: ['lat', 'lng'] },
    timezone: { fields: ['timezone'] },
    address_id: { fields: ['address_id'] },
    owner: { fields: ['owner_id'], owner: 'hosted' },
  },
});

/** One row per person, farm and time of being there; its id is derived from these, so two instances never make two. */
export const farmMember = defineResource({
  name: 'farm_members',
  entity: 4,
  sync: 'editable',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    user_id: uuid,
    role: z.enum(MEMBER_ROLES),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: { role: { fields: ['role'] } },
  parents: { farms: 'farm_id', users: 'user_id' },
  // OPERATOR
  widened: { role: 7 },
});

const isKnownZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};
export const timezone = z
  .string()
  .trim()
  .max(64)
  .refine(isKnownZone, { message: 'must be an IANA time zone, for example America/Fortaleza' });

const farmInput = z.object({
  id: ownId,
  name: shownName,
  description: longText.nullish(),
  timezone: timezone.optional().describe('IANA zone; by default that of the address'),
});

/** POST /farms/ */
export const farmCreate = farmInput.extend({
  address_id: idInput.nullish(),
  lat: latitude.nullish(),
  lng: longitude.nullish(),
});

/** POST /farms/{user_id} */
export const farmCreateWithAddress = farmInput.extend({ address: addressCreate.optional() });

export const farmUpdate = z.object({
  name: shownName.optional(),
  description: longText.nullish(),
  lat: latitude.nullish(),
  lng: longitude.nullish(),
  timezone: timezone.optional(),
  address_id: idInput.nullish(),
});

export const farmAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  description: z.string().nullable(),
  owner_id: z.uuid(),
  address_id: z.uuid().nullable(),
  lat: z.string().nullable(),
  lng: z.string().nullable(),
  timezone: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type FarmAnswer = z.infer<typeof farmAnswer>;

export const farmDetail = farmAnswer.extend({
  ponds: z.array(z.object({ id: z.uuid(), cod: z.string(), pond_type: z.enum(POND_TYPES).nullable() })),
});

/** POST /farms/{farm_id}/members: by user id or by email; a member's role is changed the same way. */
export const memberInput = z
  .object({
    user_id: idInput.optional(),
    email: email.optional(),
    role: wordOf(MEMBER_ROLES),
  })
  .refine(({ user_id, email }) => (user_id === undefined) !== (email === undefined), {
    path: ['user_id'],
    message: 'give either user_id or email',
  });

export const memberRole = z.enum(MEMBER_ROLES);

export const memberAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  user_id: z.uuid(),
  role: memberRole,
  status: z.literal('MEMBER'),
  name: z.string(),
  email: z.string(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
});
/** Of who was asked to be a member: what the owner sent, and no more. */
export const invitedAnswer = memberAnswer.extend({
  id: z.uuid().describe('Of the invitation'),
  user_id: z.uuid().nullable(),
  status: z.literal('INVITED'),
  name: z.null(),
  email: z.string().nullable(),
});
export type MemberAnswer = z.infer<typeof memberAnswer>;

/** Days in which the owner brings a deleted farm back; journals below it are erased much later. */
export const FARM_TRASH_DAYS = 30;

/** GET /farms/deleted */
export const deletedFarmAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  deleted_at: z.string(),
  restorable_until: z.string(),
});
export type DeletedFarmAnswer = z.infer<typeof deletedFarmAnswer>;
