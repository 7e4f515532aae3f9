import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { REPEAT_PATTERNS, SWITCH_STATES } from '../words.ts';

export const schedule = defineResource({
  name: 'schedules',
  entity: 9,
  sync: 'editable',
  row: z.object({
    id: uuid,
    control_point_id: uuid,
    action: z.enum(SWITCH_STATES),
    start_time: instant,
    end_time: instant.nullable(),
    repeat_pattern: z.enum(REPEAT_PATTERNS),
    days_of_week: z.array(z.int()).nullable(),
    is_active: z.boolean(),
    description: z.string().nullable(),
    /** Events before this instant do not count: entering "daily 18:00" at 19:00 starts nothing now. */
    effective_from: instant,
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    rule: {
      fields: [
        'action',
        'start_time',
        'end_time',
        'repeat_pattern',
        'days_of_week',
        'is_active',
        'effective_from',
      ],
    },
    description: { fields: ['description'] },
  },
  parents: { control_points: 'control_point_id' },
});
