import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { ALERT_TYPES, SWITCH_STATES } from '../words.ts';

/** How the sirens of a farm sound; id is the farm's. Each gateway has its own. */
export const sirenSettings = defineResource({
  name: 'siren_settings',
  sync: 'local',
  row: z.object({ id: uuid, sound_minutes: z.int(), pause_minutes: z.int(), updated_at: instant }),
});

export const SIREN_STATES = ['quiet', 'sounding', 'pausing', 'hushed', 'testing'] as const;
export type SirenState = (typeof SIREN_STATES)[number];

/** PUT /farms/{farm_id}/siren/settings */
export const sirenSettingsInput = z.object({
  sound_minutes: z.int().min(1).max(60).optional().describe('It sounds this long, then pauses'),
  pause_minutes: z
    .int()
    .min(1)
    .max(60)
    .optional()
    .describe('After this long it sounds again while nobody has acknowledged'),
});

/** POST /farms/{farm_id}/siren/test */
export const sirenTestInput = z.object({
  seconds: z.int().min(1).max(30).default(5).describe('Every siren of the farm sounds this long'),
});

/** POST /farms/{farm_id}/siren/hush */
export const sirenHushInput = z.object({
  minutes: z
    .int()
    .min(1)
    .max(30)
    .describe('Quiet this long; a new critical alert sounds at once, an unacknowledged one again after it'),
});

/** GET /farms/{farm_id}/siren, and what its changes answer */
export const sirenAnswer = z.object({
  farm_id: z.uuid(),
  state: z
    .enum(SIREN_STATES)
    .describe(
      'quiet: no critical alert waits; sounding; pausing: sounds again at `until`; hushed: by a person, up to `until`; testing',
    ),
  until: z.string().nullable().describe('When the state changes by time alone; null while quiet'),
  sound_minutes: z.int(),
  pause_minutes: z.int(),
  alerts: z
    .array(
      z.object({
        id: z.uuid().describe('Acknowledge it to silence the siren: POST /alerts/{id}/acknowledge'),
        type: z.enum(ALERT_TYPES),
        message: z.string(),
        triggered_at: z.string(),
      }),
    )
    .describe('Critical alerts nobody has acknowledged, newest first, at most 20'),
  sirens: z
    .array(
      z.object({
        control_point_id: z.uuid(),
        cod: z.string(),
        is_online: z.boolean(),
        locked_out: z.boolean(),
        target_status: z.enum(SWITCH_STATES),
        current_status: z.enum(SWITCH_STATES).nullable(),
      }),
    )
    .describe('Control points marked by `is_siren` in their settings; empty: the farm has none'),
});
export type SirenAnswer = z.infer<typeof sirenAnswer>;
