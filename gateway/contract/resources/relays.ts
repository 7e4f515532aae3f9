import * as z from 'zod';
import { idInput } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { SWITCH_STATES } from '../words.ts';

// Relays of the trade as control points: they speak a protocol of their own over the broker of the farm.

export const RELAY_KINDS = ['tasmota', 'shelly'] as const;
export type RelayKind = (typeof RELAY_KINDS)[number];

/** What the contacts carry: the motor's own current, or the coil of a contactor, whose current says nothing of the motor. */
export const RELAY_LOADS = ['motor', 'contactor'] as const;

/** Channels of the largest relays there are. */
export const MOST_CHANNELS = 16;

/** A control point that is switched by a relay of the trade; id is the control point's. */
export const relay = defineResource({
  name: 'relays',
  sync: 'local',
  row: z.object({
    id: uuid,
    kind: z.enum(RELAY_KINDS),
    /** From 1, as it is printed beside the terminals. */
    channel: z.int(),
    /** Control point whose identity the relay has; its own, unless it is a further channel of another one's relay. */
    carrier_id: uuid,
    load: z.enum(RELAY_LOADS),
    mac: z.string().nullable(),
    model: z.string().nullable(),
    adopted_by: uuid.nullable(),
    created_at: instant,
  }),
});

/** Energy counted by the meter of a relay; id is the control point's. Narrow, because it is rewritten all day. */
export const relayMeter = defineResource({
  name: 'relay_meters',
  sync: 'local',
  row: z.object({
    id: uuid,
    /** Wh counted since adoption; it only grows. */
    counted_wh: z.number(),
    /** Raised whenever the counter of the relay started anew. */
    epoch: z.int(),
    /** What its own counter showed last, Wh. */
    raw_wh: z.number(),
    raw_at_ms: z.int(),
    /** Since when it counts, in the words of the relay. */
    raw_since: z.string().nullable(),
    /** Jumps that no motor could have made: they were not counted. */
    refused: z.int(),
  }),
});

/** GET /relays/discovered */
export const discoveredRelay = z.object({
  id: z.string().describe('Names this card; for adopting it and for putting it away'),
  kind: z.enum(RELAY_KINDS),
  name: z.string().describe('What the relay calls itself: its topic or client id'),
  model: z.string().nullable(),
  mac: z.string().nullable().describe('Whole or its last six digits, as far as the relay shows it'),
  address: z.string().describe('Address on the farm network it knocked from'),
  web: z.string().describe('Its own page, for pasting the settings'),
  reason: z.enum(['unknown', 'wrong_key']).describe('wrong_key: it has a name of ours and another key'),
  first_seen: z.string(),
  last_seen: z.string(),
  count: z.int(),
  unsupported: z
    .string()
    .nullable()
    .describe('Why it cannot be adopted, and what to use instead; null: it can'),
});
export type DiscoveredRelay = z.infer<typeof discoveredRelay>;

/** PUT /control-points/{id}/relay */
export const relayInput = z.object({
  kind: z.enum(RELAY_KINDS),
  channel: z.int().min(1).max(MOST_CHANNELS).optional().describe('From 1 (default)'),
  load: z
    .enum(RELAY_LOADS)
    .optional()
    .describe(
      'contactor (default): the current of the relay says nothing of the motor; motor: it is the motor’s',
    ),
  carrier_id: idInput
    .optional()
    .describe('Control point of the same farm whose relay has this channel; it must be adopted already'),
  discovered_id: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .optional()
    .describe('Card of GET /relays/discovered; 403 without a right over the box'),
  mqtt_host: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be an address or a host name')
    .optional()
    .describe('Address of the gateway as the relay reaches it; default: the one of this request'),
});
export type RelayInput = z.infer<typeof relayInput>;

export const PASTE_PLACES = ['tasmota_console', 'browser'] as const;

/** What a technician enters into the relay. */
export const relaySettings = z.object({
  mqtt_host: z.string(),
  host_candidates: z.array(z.string()).describe('Other addresses of the gateway on the farm network'),
  mqtt_port: z.int(),
  mqtt_user: z.string().describe('Also client id and topic'),
  mqtt_password: z.string().nullable().describe('The key; it is shown this once. null: the relay has it'),
  fields: z
    .array(z.object({ name: z.string(), value: z.string() }))
    .describe('The same one by one, for its own pages'),
  steps: z
    .array(z.object({ where: z.enum(PASTE_PLACES), text: z.string() }))
    .describe('Lines to paste, in this order: into the console of Tasmota, or the address line of a browser'),
});
export type RelaySettings = z.infer<typeof relaySettings>;

export const RELAY_WARNINGS = [
  'NOT_LISTENING',
  'FAST_CYCLE_RESET',
  'POWER_ON_STATE',
  'AUTO_OFF',
  'SET_BY_HAND',
  'NOT_CONFIRMED',
  'REFUSED_BY_RELAY',
  'OVERLOAD',
  'SWITCHED_BY_TIMER',
  'SWITCHED_BY_PROTECTION',
  'SWITCHED_BY_RESTART',
  'UNREADABLE',
  'COVER_PROFILE',
  'FIRST_GENERATION',
  'NO_END_TIMER',
] as const;
export type RelayWarning = (typeof RELAY_WARNINGS)[number];

const measured = z.number().nullable();

/** A row of GET /relays/ */
export const relayAnswer = z.object({
  control_point_id: z.uuid(),
  farm_id: z.uuid(),
  cod: z.string(),
  kind: z.enum(RELAY_KINDS),
  channel: z.int(),
  carrier_id: z.uuid().nullable().describe('null: the relay has the identity of this control point'),
  load: z.enum(RELAY_LOADS),
  mqtt_id: z.string().describe('User, client id and topic of the relay'),
  mac: z.string().nullable(),
  model: z.string().nullable(),
  created_at: z.string(),
  is_connected: z.boolean(),
  is_listening: z.boolean().describe('It subscribed to its orders'),
  last_message_at: z.string().nullable(),
  target_status: z.enum(SWITCH_STATES),
  current_status: z.enum(SWITCH_STATES).nullable().describe('null: not heard in this run of the gateway'),
  sends_in_s: z
    .number()
    .nullable()
    .describe('Seconds until the order goes out: minimum times and the start slot after a power cut'),
  sends_at: z.string().nullable().describe('The same as an instant'),
  firmware_version: z.string().nullable(),
  address: z.string().nullable(),
  restart_reason: z.string().nullable(),
  uptime_s: measured,
  rssi: measured,
  power_w: measured,
  voltage_v: measured,
  current_a: measured,
  power_factor: measured,
  temperature_c: measured,
  energy: z
    .object({ counted_wh: z.number(), epoch: z.int(), refused_jumps: z.int() })
    .nullable()
    .describe('null: the relay has no meter'),
  warnings: z.array(z.object({ code: z.enum(RELAY_WARNINGS), message: z.string() })),
});
export type RelayAnswer = z.infer<typeof relayAnswer>;

/** GET /control-points/{id}/relay */
export const relayOfPoint = z.object({
  relay: relayAnswer.nullable().describe('null: no relay of the trade switches this control point'),
});

/** 200 of PUT /control-points/{id}/relay */
export const relayAdopted = relayAnswer.extend({ settings: relaySettings });
