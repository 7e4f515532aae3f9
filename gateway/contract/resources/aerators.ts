import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { SWITCH_STATES } from '../words.ts';

export const aerator = defineResource({
  name: 'aerators',
  entity: 6,
  sync: 'editable',
  row: z.object({
    id: uuid,
    pond_id: uuid,
    name: z.string(),
    device_id: z.string(),
    power_kw: z.number(),
    status: z.enum(SWITCH_STATES),
    last_command_at: instant.nullable(),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    pond_id: { fields: ['pond_id'] },
    name: { fields: ['name'] },
    device_id: { fields: ['device_id'] },
    power_kw: { fields: ['power_kw'] },
    status: { fields: ['status', 'last_command_at'] },
  },
  parents: { ponds: 'pond_id' },
});
