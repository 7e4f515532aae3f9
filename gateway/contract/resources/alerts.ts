import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { ALERT_STATUSES, ALERT_TYPES, SEVERITIES } from '../words.ts';

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
    /** Names an alert that was folded into another (DEVICE_OFFLINE into POWER_FAILURE). */
    folded_into: uuid.nullable(),
    acknowledged_at: instant.nullable(),
    acknowledged_by: uuid.nullable(),
    silenced_until: instant.nullable(),
    silenced_by: uuid.nullable(),
    silence_reason: z.string().nullable(),
    shelved_until: instant.nullable(),
    shelved_by: uuid.nullable(),
    shelve_reason: z.string().nullable(),
    source: z.enum(['automatic', 'manual']),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    status: { fields: ['status', 'resolved_at', 'resolved_by', 'folded_into'] },
    acknowledged: { fields: ['acknowledged_at', 'acknowledged_by'] },
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
    value: { fields: ['value', 'severity', 'message'] },
  },
  parents: { farms: 'farm_id', control_points: 'control_point_id', ponds: 'pond_id' },
});
