import * as z from 'zod';
import { idInput, instantInput, longText, ownId, warnings, wordOf } from '../fields.ts';
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
    /** Its last change; the start of 1970: to be applied at once, OFF too (`apply_now`). */
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
    place: { fields: ['control_point_id'], since: 9 },
  },
  parents: { control_points: 'control_point_id' },
});

const action = wordOf(SWITCH_STATES);
const repeatPattern = wordOf(REPEAT_PATTERNS);

/** 1 Monday to 7 Sunday, as they are stored. */
export const daysOfWeek = z.array(z.int().min(1).max(7)).max(7);

const scheduleFields = z.object({
  action,
  start_time: instantInput.describe(
    'First occurrence; a bare date is the start of that day in the zone of the farm',
  ),
  end_time: instantInput
    .nullish()
    .describe(
      'Makes it a window: until then it decides, unless a window that began later does; then the opposite action is taken, where no other window lasts',
    ),
  repeat_pattern: repeatPattern,
  days_of_week: z
    .array(z.int())
    .max(7)
    .nullish()
    .describe('1 Monday to 7 Sunday, in the zone of the farm; with WEEKLY only'),
  is_active: z.boolean(),
  description: longText.nullish(),
  apply_now: z
    .boolean()
    .optional()
    .describe(
      'Turn OFF at once, too, what the schedules then want OFF; without it a change turns ON at once, and what runs goes on until the next event. Hosted instance: a gateway that hears of it after more than 60 s turns nothing OFF',
    ),
});

/** POST /control-points/{control_point_id}/schedules */
export const scheduleCreate = scheduleFields.extend({
  id: ownId,
  repeat_pattern: repeatPattern.default('ONCE'),
  is_active: z.boolean().default(true),
});

/** PATCH /schedules/{schedule_id} */
export const scheduleChange = scheduleFields.partial().extend({
  control_point_id: idInput
    .optional()
    .describe(
      'Moves it to another control point of the same farm: it decides there from now on, and the others decide where it was',
    ),
});

export const scheduleAnswer = z.object({
  id: z.uuid(),
  control_point_id: z.uuid(),
  action: z.enum(SWITCH_STATES),
  start_time: z.string(),
  end_time: z.string().nullable(),
  repeat_pattern: z.enum(REPEAT_PATTERNS),
  days_of_week: z.array(z.int()).nullable(),
  is_active: z.boolean(),
  description: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  next_event_at: z.string().nullable().describe('When it next acts; null: never again, or not active'),
});
export type ScheduleAnswer = z.infer<typeof scheduleAnswer>;

/** POST and PATCH */
export const savedScheduleAnswer = scheduleAnswer.extend({
  takes_effect: z
    .enum(['NOW', 'NEXT_EVENT'])
    .describe(
      'NOW: the control point is from now on at what the schedule asks for, or the change switched it; NEXT_EVENT: nothing changes before the next schedule event',
    ),
  warnings,
});
