import * as z from 'zod';
import { levelEndFields, reportedStatus } from '../mqtt/messages.ts';
import { ORIGINS, REPORT_SOURCES, SWITCH_STATES } from '../words.ts';
import { isProved } from './control-points.ts';

/** GET /devices/status/{device_id}, GET /iot/shadow/{device_id} */
export const deviceStatus = z.object({
  device_id: z.string(),
  current_status: z.enum(SWITCH_STATES).nullable(),
  target_status: z.enum(SWITCH_STATES),
  last_heartbeat: z.string().nullable(),
  is_online: z.boolean(),
  version: z.int(),
  epoch: z.string(),
  ...levelEndFields,
  target_origin: z.enum(ORIGINS),
  source: z
    .enum(REPORT_SOURCES)
    .nullable()
    .describe('Why the relay stands as it does, in the words of the controller'),
  firmware_version: z.string().nullable(),
  rssi: z.number().nullable(),
  uptime_s: z.number().nullable(),
  consumption: z.number(),
  power_ok: z.boolean().nullable(),
  motor_current_ma: z.number().nullable(),
  via: z.enum(['mqtt', 'http']).nullable(),
  is_proved: isProved,
  gateway_silent_since: z
    .string()
    .nullable()
    .optional()
    .describe(
      'Hosted instance: since when nothing was heard of the gateway of the farm; null: it is connected',
    ),
});
export type DeviceStatus = z.infer<typeof deviceStatus>;

/** PUT /iot/shadow/{device_id}: a controller reports, a user orders. */
export const shadowUpdate = z.object({
  current_status: reportedStatus.optional(),
  target_status: reportedStatus.optional(),
});

/** GET /devices/seen */
export const seenDevice = z.object({
  device_id: z.string(),
  source: z.string(),
  via: z.enum(['mqtt', 'http']),
  reason: z
    .enum(['unknown', 'wrong_key', 'no_key', 'protocol_v5', 'client_id'])
    .describe(
      'unknown: no control point has this device_id; wrong_key: one has, and the key does not fit; no_key: one has, it came without a key, and `allow_unkeyed` is off there; protocol_v5: it speaks MQTT 5, and MQTT 3.1.1 is spoken here; client_id: its MQTT client id is not its user name, or not allowed',
    ),
  first_seen: z.string(),
  last_seen: z.string(),
  count: z.int(),
  unsupported: z
    .string()
    .nullable()
    .describe('By its name a device that cannot work here, with what to use instead; null: none'),
});
export type SeenDevice = z.infer<typeof seenDevice>;
