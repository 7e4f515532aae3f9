import * as z from 'zod';
import { idInput, shortText } from '../fields.ts';
import { BOOT_MAC_PATTERN } from '../mqtt/boot.ts';
import { FAIL_SAFES } from '../words.ts';

// How devices come onto a farm: the provisioning window, the queue of those that knock, who gets which control point.

export const DEVICE_PROFILES = ['controller', 'tasmota', 'shelly', 'esphome', 'unknown'] as const;
export type DeviceProfile = (typeof DEVICE_PROFILES)[number];

/** POST /adoption/window */
export const windowInput = z.object({
  minutes: z.int().min(1).max(60).default(10).describe('How long boards without a key may come in'),
});

/** GET and POST /adoption/window */
export const windowAnswer = z.object({
  is_open: z.boolean(),
  opened_at: z.string().nullable(),
  closes_at: z.string().nullable(),
  seconds_left: z.int().describe('0 while it is closed'),
  opened_by: z.uuid().nullable(),
  boards_waiting: z.int().describe('Boards connected as boot now'),
});
export type WindowAnswer = z.infer<typeof windowAnswer>;

/** GET /adoption/queue */
export const queueEntry = z.object({
  id: z.string().describe('Names the entry: the device_id, or mac:<12 hex digits> of a board without a name'),
  device_id: z.string().nullable(),
  mac: z.string().nullable().describe('12 hex digits; of boards on the boot topic'),
  reason: z
    .enum(['boot', 'window_closed', 'unknown', 'wrong_key', 'no_key', 'replaced', 'protocol_v5', 'client_id'])
    .describe(
      'boot: a board without a key; window_closed: one that came while the window was closed; unknown: no control point has this device_id; wrong_key: one has, and the key does not fit (reflashed, or somebody else); no_key: one has, it came without a key, and `allow_unkeyed` is off there; replaced: the old controller of a control point that got another; protocol_v5: it speaks MQTT 5, and must be set to 3.1.1; client_id: its MQTT client id is not its user name, or not allowed',
    ),
  is_waiting: z.boolean().describe('A board that is connected now and can be given credentials'),
  how: z
    .enum(['claim', 'key', 'window'])
    .describe(
      'How it gets its credentials. claim: over the network, sealed by the claim code of its label; key: the key is shown once, for the cable or for typing in; window: open the provisioning window first',
    ),
  profile: z.enum(DEVICE_PROFILES).describe('A guess by its name'),
  chip: z.string().nullable(),
  firmware_version: z.string().nullable(),
  source: z.string().describe('Address it came from last'),
  via: z.enum(['mqtt', 'http']),
  first_seen: z.string(),
  last_seen: z.string(),
  count: z.int().describe('Knocks since first_seen'),
  control_point: z
    .object({ id: z.uuid(), farm_id: z.uuid(), cod: z.string() })
    .nullable()
    .describe(
      'wrong_key, no_key: whose name it uses; replaced, boot: whose controller it was; null: nobody’s, or not yours to see',
    ),
  is_ignored: z.boolean(),
  unsupported: z
    .string()
    .nullable()
    .describe('By its name a device that cannot work here, with what to use instead; null: none'),
});
export type QueueEntry = z.infer<typeof queueEntry>;

/** A claim code as it is typed or scanned: spaces, hyphens and case do not count. At least 60 random bits. */
export const claimInput = z
  .string()
  .max(100)
  .transform((text) => text.replaceAll(/[\s-]/g, '').toUpperCase())
  .refine((text) => /^[0-9A-Z]{12,64}$/.test(text), 'must be the 12 to 64 letters and digits of the label')
  .meta({ override: { type: 'string', minLength: 12, maxLength: 100 } });

/** A MAC with or without colons, in any case. */
export const macInput = z
  .string()
  .max(20)
  .transform((text) => text.replaceAll(/[:.-]/g, '').toLowerCase())
  .refine((text) => BOOT_MAC_PATTERN.test(text), 'must be a MAC of 12 hex digits')
  .meta({ override: { type: 'string', minLength: 12, maxLength: 17 } });

const device = {
  device_id: shortText
    .optional()
    .describe(
      'Name of the device; for a board on the boot topic by default what it was called before, else aer-<mac>',
    ),
  mac: macInput
    .optional()
    .describe('Of a board that waits on the boot topic; it gets its key over the network'),
  claim: claimInput.optional().describe('Of its label; needed with mac'),
};

/** POST /control-points/{id}/adopt and /replace: one of device_id and mac, or both. */
export const adoptInput = z.object(device);
export type AdoptInput = z.infer<typeof adoptInput>;

/** POST /adoption/create: a new control point and its controller in one step. */
export const adoptNewInput = z.object({ farm_id: idInput, cod: shortText, ...device });

export const adoptAnswer = z.object({
  control_point_id: z.uuid(),
  farm_id: z.uuid(),
  cod: z.string(),
  device_id: z.string(),
  mqtt_id: z.string(),
  fail_safe: z.enum(FAIL_SAFES),
  key_id: z.uuid(),
  delivery: z
    .enum(['claim', 'shown'])
    .describe('claim: the board has stored it; shown: `key` is the only copy'),
  key: z
    .string()
    .nullable()
    .describe('256 bits, base64url; shown once, and only where the board was not given it'),
  replaced: z
    .object({
      device_id: z.string(),
      mqtt_id: z.string(),
      was_connected: z.boolean().describe('true: its connection was cut'),
      last_report: z.string().nullable(),
    })
    .nullable()
    .describe('The controller this control point had before; its keys open nothing any more'),
  next: z.string().describe('The next step at the device, in the language of the request'),
});
export type AdoptAnswer = z.infer<typeof adoptAnswer>;

/** POST and GET /control-points/{id}/rotate-key */
export const rotationAnswer = z.object({
  control_point_id: z.uuid(),
  state: z
    .enum(['none', 'waiting', 'sent', 'stored', 'refused', 'done'])
    .describe(
      'none: no rotation is known; waiting: sent when the controller connects; sent: on its way; stored: the controller has it and connects with it next; refused: it did not take it, the old key goes on; done: the new key is in use and the old one opens nothing',
    ),
  key_id: z.uuid().nullable(),
  started_at: z.string().nullable(),
  expires_at: z
    .string()
    .nullable()
    .describe('A new key that was not used by then is void; the old one goes on'),
  detail: z.string().nullable().describe('refused: why, in the words of the controller'),
});
export type RotationAnswer = z.infer<typeof rotationAnswer>;
