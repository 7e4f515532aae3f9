import * as z from 'zod';
import { idInput, latitude, longitude, ownId, shortText, warnings, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { POND_TYPES } from '../words.ts';

export const pond = defineResource({
  name: 'ponds',
  entity: 5,
  sync: 'editable',
  row: z.object({
    id: uuid,
    numeric_id: z.int(),
    farm_id: uuid,
    cod: z.string(),
    pond_type: z.enum(POND_TYPES).nullable(),
    size_m2: z.number().nullable(),
    depth_m: z.number().nullable(),
    lat: z.string().nullable(),
    lng: z.string().nullable(),
    aerator_count: z.int(),
    control_point_id: uuid.nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    cod: { fields: ['cod'] },
    pond_type: { fields: ['pond_type'] },
    dimensions: { fields: ['size_m2', 'depth_m'] },
    position: { fields: ['lat', 'lng'] },
    aerator_count: { fields: ['aerator_count'] },
    control_point_id: { fields: ['control_point_id'] },
  },
  parents: { farms: 'farm_id' },
});

const pondFields = z.object({
  pond_type: wordOf(POND_TYPES).nullish(),
  size_m2: z.int().positive().max(100_000_000).nullish().describe('Area in square metres'),
  depth_m: z.number().positive().max(1_000).nullish().describe('Depth in metres, decimals allowed'),
  lat: latitude.nullish(),
  lng: longitude.nullish(),
  control_point_id: idInput.nullish().describe('Control point of the same farm; null: none'),
});
const aeratorCount = z.int().min(0).max(100_000);

export const pondCreate = pondFields.extend({
  id: ownId,
  farm_id: idInput,
  cod: shortText.describe('Code of the pond; may repeat, then the answer carries a warning'),
  aerator_count: aeratorCount.nullish().describe('Default 0'),
});
export type PondCreate = z.infer<typeof pondCreate>;

export const pondUpdate = pondFields.extend({
  cod: shortText.optional(),
  aerator_count: aeratorCount.optional(),
});
export type PondUpdate = z.infer<typeof pondUpdate>;

export const pondAnswer = z.object({
  id: z.uuid(),
  numeric_id: z.int().describe('Read-only integer beside the UUID'),
  farm_id: z.uuid(),
  cod: z.string(),
  pond_type: z.enum(POND_TYPES).nullable(),
  size_m2: z.number().nullable(),
  depth_m: z.number().nullable(),
  lat: z.string().nullable(),
  lng: z.string().nullable(),
  aerator_count: z.int(),
  control_point_id: z.uuid().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type PondAnswer = z.infer<typeof pondAnswer>;
