import * as z from 'zod';
import { deviceConfig } from '../mqtt/messages.ts';
import { ORIGINS, REPORT_SOURCES, SWITCH_STATES } from '../words.ts';
import { isProved } from './control-points.ts';

// What the gateway wants of a controller beside what that says, for a technician.

export const DEVICE_MESSAGE_KINDS = [
  'connected',
  'disconnected',
  'state',
  'heartbeat',
  'reported',
  'event',
  'config',
  'schedule',
  'firmware',
  'command',
  'result',
  'desired',
  'forget',
] as const;
export type DeviceMessageKind = (typeof DEVICE_MESSAGE_KINDS)[number];

export const deviceMessage = z.object({
  at: z.string(),
  direction: z.enum(['in', 'out']).describe('in: from the controller'),
  kind: z.enum(DEVICE_MESSAGE_KINDS),
  body: z.record(z.string(), z.unknown()).describe('As it was, without what is secret'),
});
export type DeviceMessage = z.infer<typeof deviceMessage>;

const revision = z.object({
  wanted: z.int(),
  reported: z.int().nullable().describe('null: not told in this run of the gateway'),
});

/** GET /control-points/{id}/shadow */
export const shadowAnswer = z.object({
  control_point_id: z.uuid(),
  device_id: z.string(),
  mqtt_id: z.string(),
  is_simulated: z.boolean(),
  desired: z.object({
    target_status: z.enum(SWITCH_STATES),
    version: z.int(),
    epoch: z.string(),
    origin: z.enum(ORIGINS),
    issued_at: z.string().nullable(),
    is_saved: z.boolean().describe('false: the disk did not take it yet; it holds all the same'),
  }),
  reported: z.object({
    current_status: z.enum(SWITCH_STATES).nullable(),
    since: z.string().nullable(),
    version: z.int().nullable(),
    source: z.enum(REPORT_SOURCES).nullable(),
    deferred_until: z.string().nullable(),
  }),
  config: revision.extend({ content: deviceConfig.omit({ rev: true }) }),
  schedule: revision.extend({
    entries: z.int().describe('Switches that are told ahead'),
    weekly: z.int().describe('Lines of the weekly table'),
  }),
  presence: z.object({
    is_online: z.boolean(),
    is_connected: z.boolean(),
    via: z.enum(['mqtt', 'http']).nullable(),
    is_proved: isProved,
    last_report_at: z.string().nullable(),
    rssi: z.number().nullable(),
    uptime_s: z.number().nullable(),
    boot_id: z.string().nullable(),
    firmware_version: z.string().nullable(),
    power_ok: z.boolean().nullable(),
    motor_current_ma: z.number().nullable(),
    consumption: z.number(),
  }),
  keys: z.array(
    z.object({
      id: z.uuid(),
      state: z.enum(['pending', 'active', 'retiring', 'revoked']),
      created_at: z.string(),
      activated_at: z.string().nullable(),
      retires_at: z.string().nullable(),
    }),
  ),
  messages: z.array(deviceMessage).describe('The last ones since the gateway started, newest first'),
});
export type ShadowAnswer = z.infer<typeof shadowAnswer>;
