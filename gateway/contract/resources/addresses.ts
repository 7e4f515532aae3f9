import * as z from 'zod';
import { latitude, longitude, ownId, shortText, warnings, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { BRAZILIAN_STATES } from '../words.ts';

export const address = defineResource({
  name: 'addresses',
  entity: 2,
  sync: 'editable',
  row: z.object({
    id: uuid,
    user_id: uuid,
    street: z.string(),
    number: z.int(),
    complement: z.string().nullable(),
    city: z.string(),
    state: z.enum(BRAZILIAN_STATES),
    zip_code: z.string(),
    country: z.string(),
    lat: z.string().nullable(),
    lng: z.string().nullable(),
    is_primary: z.boolean(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    place: { fields: ['street', 'number', 'complement', 'city', 'state', 'zip_code', 'country'] },
    position: { fields: ['lat', 'lng'] },
    is_primary: { fields: ['is_primary'] },
  },
  parents: { users: 'user_id' },
});

const zipCode = z
  .string()
  .trim()
  .regex(/^\d{5}-?\d{3}$/, { message: 'must have 8 digits, with or without a hyphen, for example 60160-230' })
  .transform((code) => `${code.slice(0, 5)}-${code.slice(-3)}`);

const houseNumber = z.int().min(0).max(9_999_999);
const state = wordOf(BRAZILIAN_STATES);

/** POST /addresses/, and the address of a new farm. */
export const addressCreate = z.object({
  id: ownId,
  street: shortText,
  number: houseNumber,
  complement: z.string().trim().max(255).nullish(),
  city: shortText,
  state,
  zip_code: zipCode,
  country: shortText.default('Brazil'),
  lat: latitude.nullish(),
  lng: longitude.nullish(),
  is_primary: z.boolean().default(false),
});
export type AddressCreate = z.infer<typeof addressCreate>;

/** PUT /addresses/{address_id} */
export const addressUpdate = z.object({
  street: shortText.optional(),
  number: houseNumber.optional(),
  complement: z.string().trim().max(255).nullish(),
  city: shortText.optional(),
  state: state.optional(),
  zip_code: zipCode.optional(),
  country: shortText.optional(),
  lat: latitude.nullish(),
  lng: longitude.nullish(),
  is_primary: z.boolean().optional(),
});

export const addressAnswer = z.object({
  id: z.uuid(),
  street: z.string(),
  number: z.int(),
  complement: z.string().nullable(),
  city: z.string(),
  state: z.enum(BRAZILIAN_STATES),
  zip_code: z.string(),
  country: z.string(),
  lat: z.string().nullable(),
  lng: z.string().nullable(),
  is_primary: z.boolean(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type AddressAnswer = z.infer<typeof addressAnswer>;
