import * as z from 'zod';
import { idInput, longText, ownId, pageQuery, shortText, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { ALERT_STATUSES, ALERT_TYPES, REFERENCE_ALERT_TYPES, SEVERITIES } from '../words.ts';

/** One store for control-point, pond and water alerts; `farm_id` always, a pond, a control point, or both. */
export const alert = defineResource({
  name: 'alerts',
  entity: 10,
  sync: 'editable',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    control_point_id: uuid.nullable(),
    pond_id: uuid.nullable(),
    type: z.enum(ALERT_TYPES),
    severity: z.enum(SEVERITIES),
    message: z.string(),
    parameter: z.string().nullable(),
    value: z.number().nullable(),
    threshold: z.number().nullable(),
    status: z.enum(ALERT_STATUSES),
    triggered_at: instant,
    resolved_at: instant.nullable(),
    resolved_by: uuid.nullable(),
    /** Alerts of the same cause without a good value between share one episode. */
    episode_id: uuid,
    /** Names an alert that was folded into another (DEVICE_OFFLINE or COMMAND_NOT_CONFIRMED into POWER_FAILURE). */
    folded_into: uuid.nullable(),
    acknowledged_at: instant.nullable(),
    acknowledged_by: uuid.nullable(),
    /** What that person found or did. */
    acknowledge_note: z.string().nullable().default(null),
    silenced_until: instant.nullable(),
    silenced_by: uuid.nullable(),
    silence_reason: z.string().nullable(),
    shelved_until: instant.nullable(),
    shelved_by: uuid.nullable(),
    shelve_reason: z.string().nullable(),
    /** When the people of this episode were last told, and how bad it was then; null: nobody was. */
    told_at: instant.nullable(),
    told_severity: z.enum(SEVERITIES).nullable(),
    source: z.enum(['automatic', 'manual']),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    status: { fields: ['status', 'resolved_at', 'resolved_by', 'folded_into'] },
    acknowledged: { fields: ['acknowledged_at', 'acknowledged_by', 'acknowledge_note'] },
    silenced: {
      fields: [
        'silenced_until',
        'silenced_by',
        'silence_reason',
        'shelved_until',
        'shelved_by',
        'shelve_reason',
      ],
    },
    value: {
      fields: ['value', 'threshold', 'severity', 'message', 'triggered_at', 'told_at', 'told_severity'],
    },
  },
  parents: { farms: 'farm_id', control_points: 'control_point_id', ponds: 'pond_id' },
  goesBy: { status: 'ACTIVE', newestBy: 'triggered_at', most: 200 },
  later: { acknowledge_note: 3 },
  widened: { type: 9 },
});

/** OD_LOW is the other spelling of LOW_OXYGEN; answers say LOW_OXYGEN. */
const spelled = <Word extends string>(word: Word | 'OD_LOW'): Word | 'LOW_OXYGEN' =>
  word === 'OD_LOW' ? 'LOW_OXYGEN' : word;

/** GET /alerts/ */
export const alertQuery = pageQuery.extend({
  type: wordOf([...ALERT_TYPES, 'OD_LOW'])
    .transform(spelled)
    .optional(),
  include: z
    .enum(['all'])
    .optional()
    .describe('all: every type, also alerts of ponds without a control point and of the farm itself'),
  status: wordOf(ALERT_STATUSES).default('ACTIVE'),
  farm_id: idInput.optional(),
  pond_id: idInput.optional().describe('Alerts of this pond alone'),
  control_point_id: idInput
    .optional()
    .describe('Alerts of this control point itself, without those of the ponds that it airs'),
});

/** POST /alerts/{control_point_id}/alerts */
export const alertCreate = z.object({
  id: ownId,
  type: wordOf([...REFERENCE_ALERT_TYPES, 'OD_LOW']).transform(spelled),
  message: longText.min(1),
  severity: wordOf(SEVERITIES).optional().describe('By default that of the type'),
});

/** POST /alerts/{alert_id}/acknowledge; the body may be absent. */
export const alertAcknowledge = z.object({
  note: longText.optional().describe('What was found or done; also later, without another acknowledgement'),
});

const minutesUpTo = (most: number) => z.int().min(1).max(most);
export const alertSilence = z.object({ minutes: minutesUpTo(24 * 60), reason: shortText });
export const alertShelve = z.object({ minutes: minutesUpTo(7 * 24 * 60), reason: shortText });

export const alertAnswer = z.object({
  id: z.uuid(),
  control_point_id: z.uuid().nullable().describe('null only for alerts of a pond or farm (?include=all)'),
  type: z.enum(ALERT_TYPES),
  message: z.string(),
  status: z.enum(ALERT_STATUSES),
  triggered_at: z.string(),
  resolved_at: z.string().nullable(),
  resolved_by: z.uuid().nullable(),
  farm_id: z.uuid(),
  pond_id: z.uuid().nullable(),
  severity: z.enum(SEVERITIES),
  parameter: z.string().nullable(),
  value: z.number().nullable(),
  threshold: z.number().nullable(),
  episode_id: z.uuid(),
  acknowledged_at: z.string().nullable(),
  acknowledged_by: z.uuid().nullable(),
  acknowledged_by_name: z.string().nullable(),
  acknowledge_note: z.string().nullable(),
  silenced_until: z.string().nullable(),
  silenced_by: z.uuid().nullable(),
  silenced_by_name: z.string().nullable(),
  silence_reason: z.string().nullable(),
  shelved_until: z.string().nullable(),
  shelved_by: z.uuid().nullable(),
  shelved_by_name: z.string().nullable(),
  shelve_reason: z.string().nullable(),
  source: z.enum(['automatic', 'manual']),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  advice: z.string().describe('What to do now, in the language of the request'),
});
export type AlertAnswer = z.infer<typeof alertAnswer>;
