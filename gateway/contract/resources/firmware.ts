import * as z from 'zod';
import { idInput, shortText } from '../fields.ts';
import { FIRMWARE_CHIPS, FIRMWARE_VERSION_PATTERN, MAX_FIRMWARE_BYTES, OTA_REASONS } from '../mqtt/ota.ts';
import { defineResource, instant, uuid } from '../resource.ts';

// Firmware of controllers: images in the store of the gateway, and rollouts that bring them to the ponds.

/** A signed image; its bytes lie in a file named by their hash. */
export const firmwareImage = defineResource({
  name: 'firmware_images',
  sync: 'local',
  row: z.object({
    id: uuid,
    chip: z.enum(FIRMWARE_CHIPS),
    version: z.string(),
    size: z.int(),
    sha256: z.string(),
    signature: z.string(),
    /** First 16 hex digits of the SHA-256 of the publisher's key. */
    signed_by: z.string(),
    notes: z.string().nullable(),
    uploaded_by: uuid,
    uploaded_at: instant,
  }),
});

/** `stopped`: too many controllers did not take it. Those that are installing go on to their end in any state. */
export const ROLLOUT_STATES = ['running', 'paused', 'done', 'stopped', 'cancelled'] as const;

export const firmwareRollout = defineResource({
  name: 'firmware_rollouts',
  sync: 'local',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    firmware_id: uuid,
    chip: z.enum(FIRMWARE_CHIPS),
    version: z.string(),
    state: z.enum(ROLLOUT_STATES),
    /** Local time of the farm, HH:MM; both null: at any time. */
    window_from: z.string().nullable(),
    window_to: z.string().nullable(),
    canary_size: z.int(),
    wave_size: z.int(),
    soak_s: z.int(),
    max_failures: z.int(),
    allow_older: z.boolean(),
    reason: z.string().nullable(),
    created_by: uuid,
    created_at: instant,
    finished_at: instant.nullable(),
  }),
});

export const TARGET_STATES = [
  'waiting',
  'offered',
  'downloading',
  'ready',
  'approved',
  'installing',
  'confirming',
  'done',
  'failed',
  'rolled_back',
  'skipped',
  'cancelled',
] as const;
export type TargetState = (typeof TARGET_STATES)[number];

/** A controller in one of these is asked for something, or at it. */
export const TARGETS_UNDER_WAY = [
  'offered',
  'downloading',
  'ready',
  'approved',
  'installing',
  'confirming',
] as const satisfies readonly TargetState[];
/** Not over yet. */
export const OPEN_TARGET_STATES = ['waiting', ...TARGETS_UNDER_WAY] as const;

/** Reasons the gateway itself gives, beside those of the controller. */
export const TARGET_REASONS = [
  ...OTA_REASONS,
  'ALREADY_RUNS_IT',
  'RUNS_NEWER',
  'LOST',
  'WRONG_VERSION',
  'ROLLOUT_STOPPED',
  'ROLLOUT_CANCELLED',
  'REMOVED',
] as const;
export type TargetReason = (typeof TARGET_REASONS)[number];

export const firmwareTarget = defineResource({
  name: 'firmware_targets',
  sync: 'local',
  row: z.object({
    id: uuid,
    rollout_id: uuid,
    farm_id: uuid,
    control_point_id: uuid,
    cod: z.string(),
    device_id: z.string(),
    /** Order in which controllers are asked; the canaries are the first that can. */
    place: z.int(),
    /** 0 is the canary; null: not asked yet. */
    wave: z.int().nullable(),
    state: z.enum(TARGET_STATES),
    reason: z.enum(TARGET_REASONS).nullable(),
    detail: z.string().nullable(),
    attempt: z.int(),
    from_version: z.string().nullable(),
    /** When the present state began. */
    state_at: instant,
  }),
});

// --- what callers send and get

/** Header of a firmware file, see docs: one line of JSON before the image itself. */
export const firmwareManifest = z.object({
  format: z.literal(1),
  chip: z.enum(FIRMWARE_CHIPS),
  version: z.string().max(64).regex(FIRMWARE_VERSION_PATTERN),
  size: z.int().min(1).max(MAX_FIRMWARE_BYTES),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
  notes: z.string().max(2_000).nullish(),
});
export type FirmwareManifest = z.infer<typeof firmwareManifest>;

export const firmwareAnswer = z.object({
  id: z.uuid(),
  chip: z.enum(FIRMWARE_CHIPS),
  version: z.string(),
  size: z.int(),
  sha256: z.string(),
  signed_by: z.string().describe('Begin of the SHA-256 of the publisher’s key'),
  notes: z.string().nullable(),
  uploaded_by: z.uuid(),
  uploaded_at: z.string(),
  is_in_use: z.boolean().describe('A rollout that is not over brings it to controllers'),
});
export type FirmwareAnswer = z.infer<typeof firmwareAnswer>;

const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { message: 'must be a time of day, for example 09:00' });

/** POST /firmware/rollouts */
export const rolloutInput = z.object({
  farm_id: idInput,
  firmware_id: idInput,
  pond_ids: z.array(idInput).max(500).nullish().describe('Only controllers of these ponds'),
  control_point_ids: z
    .array(idInput)
    .max(500)
    .nullish()
    .describe('Only these control points; with neither list the whole farm'),
  window: z
    .object({ from: timeOfDay, to: timeOfDay })
    .nullish()
    .describe('Local time of the farm in which controllers are asked and restarted; null: at any time'),
  canary_size: z.int().min(1).max(20).nullish().describe('Controllers of the first wave, default 1'),
  wave_size: z.int().min(1).max(50).nullish().describe('Controllers of every later wave, default 3'),
  soak_s: z
    .int()
    .min(0)
    .max(7 * 86_400)
    .nullish()
    .describe('Wait after each wave before the next, default 600 s'),
  max_failures: z
    .int()
    .min(0)
    .max(50)
    .nullish()
    .describe('More failures than this stop the rollout, default 0: the first one does'),
  allow_older: z.boolean().nullish().describe('Also to controllers that run a newer version'),
});
export type RolloutInput = z.infer<typeof rolloutInput>;

/** PUT /firmware/rollouts/{rollout_id}/state */
export const rolloutStateInput = z.object({
  state: z
    .enum(['running', 'paused', 'cancelled'])
    .describe('running resumes a paused one; cancelled ends it, what installs already goes on'),
  reason: shortText.nullish(),
});

/** What a rollout waits for; the words are in the language of the reader. */
export const ROLLOUT_WAITS = [
  'OUTSIDE_WINDOW',
  'CLOCK_UNTRUSTED',
  'OXYGEN_ALARM',
  'SOAKING',
  'NOBODY_CONNECTED',
  'POND_BUSY',
  'WAVE_RUNNING',
] as const;
export type RolloutWait = (typeof ROLLOUT_WAITS)[number];

export const targetAnswer = z.object({
  id: z.uuid(),
  control_point_id: z.uuid(),
  cod: z.string(),
  device_id: z.string(),
  wave: z.int().nullable().describe('0 is the canary; null: not asked yet'),
  state: z.enum(TARGET_STATES),
  reason: z.enum(TARGET_REASONS).nullable(),
  message: z.string().describe('The state in words, with the next action where one is needed'),
  detail: z.string().nullable().describe('The controller’s own words'),
  attempt: z.int(),
  from_version: z.string().nullable(),
  bytes_done: z.int().nullable().describe('While it downloads; null: not known'),
  bytes_total: z.int(),
  state_at: z.string(),
});

const counts = z.object({
  total: z.int(),
  waiting: z.int(),
  under_way: z.int(),
  done: z.int(),
  failed: z.int().describe('failed and rolled back'),
  left_out: z.int().describe('skipped and cancelled'),
});

export const rolloutAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  firmware_id: z.uuid(),
  chip: z.enum(FIRMWARE_CHIPS),
  version: z.string(),
  state: z.enum(ROLLOUT_STATES),
  reason: z.string().nullable().describe('Why it is paused, stopped or cancelled'),
  waiting_for: z
    .object({ code: z.enum(ROLLOUT_WAITS), message: z.string() })
    .nullable()
    .describe('Why nothing new begins now'),
  window: z.object({ from: z.string(), to: z.string() }).nullable(),
  canary_size: z.int(),
  wave_size: z.int(),
  soak_s: z.int(),
  max_failures: z.int(),
  allow_older: z.boolean(),
  counts,
  created_by: z.uuid(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
});
export type RolloutAnswer = z.infer<typeof rolloutAnswer>;

export const rolloutDetail = rolloutAnswer.extend({ targets: z.array(targetAnswer) });
export type RolloutDetail = z.infer<typeof rolloutDetail>;

/** GET /firmware/controllers?farm_id= */
export const controllerFirmware = z.object({
  control_point_id: z.uuid(),
  cod: z.string(),
  device_id: z.string(),
  ponds: z.array(z.string()).describe('Codes of the ponds it airs'),
  firmware_version: z
    .string()
    .nullable()
    .describe('As it last told; null: not heard since the gateway started'),
  is_online: z.boolean(),
  can_update: z.boolean().describe('Connected over MQTT: the only way updates are offered'),
  rollout_id: z.uuid().nullable().describe('Of the rollout it is in that is not over'),
  state: z.enum(TARGET_STATES).nullable().describe('Its state there'),
});
export type ControllerFirmware = z.infer<typeof controllerFirmware>;
