import * as z from 'zod';
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
