import * as z from 'zod';
import { warnings } from '../fields.ts';
import { FAIL_SAFES, ORIGINS, REPORT_SOURCES, SWITCH_STATES } from '../words.ts';

// Bodies of the device protocol, the same words over MQTT and HTTP. Unknown fields are ignored, so that newer
// controllers talk to older gateways; a known field of the wrong type refuses the message.

/** ON or OFF in any case, as older controllers send it. */
export const reportedStatus = z
  .string()
  .transform((word) => word.trim().toUpperCase())
  .pipe(z.enum(SWITCH_STATES));

const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
/** What the gateway sends: far above what orders can reach, far below where counting on would lose numbers. */
const version = z
  .int()
  .min(0)
  .max(2 ** 48);
/** What a controller may say. Wider, so that a wrong number costs it no more than that number. */
const reportedVersion = z.number().min(0).multipleOf(1);

/** The end of a level, in `shadow/desired` and in the answers of the HTTP form: both fields or none. */
export const levelEndFields = {
  until: count
    .optional()
    .describe(
      'Only while the level ends by itself: whole seconds that are left of it, reckoned anew for each delivery',
    ),
  then: z.enum(SWITCH_STATES).optional().describe('With until: the level from then on, by what is known now'),
} as const;

/** Fields every heartbeat may carry, whichever way it comes. */
export const heartbeatFields = z.object({
  current_status: reportedStatus.describe('State of the relay or contactor, ON or OFF in any case'),
  consumption: z.number().min(0).max(10_000).optional().describe('Power drawn now, kW'),
  rssi: z.number().min(-200).max(100).optional().describe('Wi-Fi signal, dBm'),
  firmware_version: z.string().trim().max(64).optional(),
  uptime_s: z.number().min(0).optional().describe('Seconds since the controller started'),
  boot_id: z
    .union([z.string().max(64), count])
    .transform(String)
    .optional()
    .describe('Changes at every start'),
  power_ok: z.boolean().optional().describe('false: mains is gone, the controller runs on its reserve'),
  motor_current_ma: z.number().min(0).max(1_000_000).optional().describe('Motor current, mA'),
  source: z.enum(REPORT_SOURCES).optional().describe('Why the relay stands as it does'),
  version: reportedVersion.optional().describe('Version of the target last applied'),
  epoch: z.string().max(64).optional().describe('Epoch of the version last applied'),
  ended: z
    .boolean()
    .optional()
    .describe(
      'true: the level of this version came to its end, and the controller went on to what was to follow',
    ),
  sent_at: z.number().optional().describe('Clock of the controller, seconds since 1970; advisory'),
});
export type HeartbeatFields = z.infer<typeof heartbeatFields>;

/** `hb` over MQTT. */
export const mqttHeartbeat = heartbeatFields.extend({ seq: count.optional() });

/** POST /devices/heartbeat. */
export const httpHeartbeat = heartbeatFields.extend({
  device_id: z.string().trim().min(1).max(255),
});

/** `state`, also the last will. `bye` is a clean farewell, `lost` is the will's word. */
export const deviceState = z.object({
  s: z.enum(['online', 'lost', 'bye']),
  boot_id: z
    .union([z.string().max(64), count])
    .transform(String)
    .optional(),
  sid: z
    .string()
    .max(64)
    .optional()
    .describe('Names this connection, so that the will of an older one is told apart'),
  firmware_version: z.string().max(64).optional(),
  ip: z.string().max(64).optional(),
});
export type DeviceState = z.infer<typeof deviceState>;

/** `shadow/desired`, retained: the level the relay is to have. Never a toggle. */
export const shadowDesired = z.object({
  epoch: z.string().max(64),
  version,
  target_status: z.enum(SWITCH_STATES),
  origin: z.enum(ORIGINS),
  issued_at: z.number().describe('Seconds since 1970'),
  config_rev: count,
  schedule_rev: count,
  ...levelEndFields,
});
export type ShadowDesired = z.infer<typeof shadowDesired>;

/** `shadow/reported`: answer to a level. `deferred` names when it will be done (minimum times, start slot). */
export const shadowReported = z.object({
  epoch: z.string().max(64),
  version: reportedVersion,
  current_status: reportedStatus,
  source: z.enum(REPORT_SOURCES).optional(),
  ack: z.enum(['applied', 'deferred', 'refused', 'stale']),
  until_s: z.number().min(0).optional().describe('Seconds until a deferred level is applied'),
  reason: z.string().max(255).optional(),
});
export type ShadowReported = z.infer<typeof shadowReported>;

/** `config/desired`, and GET /devices/config/{device_id}. */
export const deviceConfig = z.object({
  rev: count,
  hash: z.string().max(80),
  heartbeat_s: z.int().min(1).max(3600),
  fail_safe: z.enum(FAIL_SAFES),
  lost_s: z
    .int()
    .min(10)
    .max(3600)
    .describe('Without the gateway for this long, the local schedule takes over'),
  min_on_s: z.int().min(0).max(3600),
  min_off_s: z.int().min(0).max(3600),
  start_delay_s: z
    .int()
    .min(0)
    .max(3600)
    .describe('Wait after a start before the motor may run: its slot after a power cut'),
  utc_offset_s: z.int().min(-64_800).max(64_800).describe('Offset of the farm now, for the weekly table'),
  locked_out: z.boolean().describe('true: nothing may start this motor, whoever asks'),
});
export type DeviceConfig = z.infer<typeof deviceConfig>;

/** `schedule/desired`, and GET /devices/schedule/{device_id}: a flat list, no calendar on the controller. */
export const deviceSchedule = z.object({
  rev: count,
  hash: z.string().max(80),
  from: z.number().describe('Seconds since 1970'),
  to: z.number().describe('Seconds since 1970; after it only the weekly table holds'),
  tr: z
    .array(z.tuple([z.number(), z.union([z.literal(0), z.literal(1)]), z.string().max(16)]))
    .max(64)
    .describe('Instant (seconds since 1970), 1 ON or 0 OFF, short id of the schedule'),
  weekly: z
    .array(
      z.tuple([
        z.int().min(1).max(7),
        z.string().regex(/^\d\d:\d\d$/),
        z.union([z.literal(0), z.literal(1)]),
      ]),
    )
    .max(64)
    .describe('Day (1 Monday to 7 Sunday), local time, 1 ON or 0 OFF'),
});
export type DeviceSchedule = z.infer<typeof deviceSchedule>;

/** `config/reported` and `schedule/reported`. */
export const revisionReported = z.object({ rev: count, hash: z.string().max(80).optional() });

/** `cmd/<correlation>`: never retained, and dead after `exp`. */
export const deviceCommand = z.object({
  op: z.enum(['identify', 'reboot', 'resync', 'read_meter', 'rotate_key', 'factory_reset']),
  expires_in_s: z.int().min(1).max(900),
  key: z
    .string()
    .max(64)
    .optional()
    .describe('rotate_key: the new key; the old one is kept until the new one has opened a connection'),
});
export type DeviceCommand = z.infer<typeof deviceCommand>;

/** `res/<correlation>`. */
export const commandResult = z.object({ ok: z.boolean(), detail: z.string().max(500).optional() });

/** `meter`, every 60 s and on change. `wh` only grows within one `wh_ep`. */
export const meterReading = z.object({
  w: z.number().min(0).max(10_000_000).describe('W'),
  v: z.number().min(0).max(100_000).optional().describe('V'),
  a: z.number().min(0).max(100_000).optional().describe('A'),
  pf: z.number().min(0).max(1).optional(),
  wh: z.number().min(0).describe('Wh, monotonic within wh_ep'),
  wh_ep: count.optional(),
  on_s: z.number().min(0).optional(),
  starts: count.optional(),
});

/** `event`: `id` makes it idempotent. */
export const deviceEvent = z.object({
  id: z.string().min(1).max(64),
  k: z.enum([
    'power_fail',
    'power_ok',
    'overload',
    'no_current',
    'relay_stuck',
    'brownout',
    'boot',
    'manual_switch',
  ]),
  t: z.number().optional(),
  d: z.record(z.string().max(64), z.unknown()).optional(),
});
export type DeviceEvent = z.infer<typeof deviceEvent>;

/** `sf/v1/time`, at once to who subscribes, then every 60 s to all; only while the gateway trusts its own clock. */
export const timeMessage = z.object({ t: z.number().describe('Seconds since 1970') });

/** 200 of POST /devices/heartbeat. */
export const heartbeatAnswer = z.object({
  target_status: z.enum(SWITCH_STATES),
  epoch: z.string(),
  version: count,
  issued_at: z.number().optional().describe('When the level was given, seconds since 1970'),
  ...levelEndFields,
  server_time: z.string().describe('ISO 8601 UTC'),
  poll_interval_s: z.int(),
  schedule_rev: count,
  config_rev: count,
  warnings: warnings.describe('NOT_SAVED: the report changed something, and the disk does not take it now'),
});
/** What a controller hears that proved nothing. */
export const unprovedAnswer = heartbeatAnswer.pick({ target_status: true, warnings: true });
export type UnprovedAnswer = z.infer<typeof unprovedAnswer>;
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswer>;

/** Largest body either side may send, bytes: small firmware has buffers of about 1,000 bytes. */
export const MAX_DEVICE_MESSAGE_BYTES = 1024;
