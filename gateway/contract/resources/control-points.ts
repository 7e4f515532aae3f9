import * as z from 'zod';
import { idInput, ownId, shortText, warnings, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { COMMAND_STATES, FAIL_SAFES, ORIGINS, SWITCH_STATES } from '../words.ts';

export const controlPoint = defineResource({
  name: 'control_points',
  entity: 7,
  sync: 'editable',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    /** Owner of the farm, kept here because `cod` is unique per owner. */
    owner_id: uuid,
    cod: z.string(),
    device_id: z.string(),
    target_status: z.enum(SWITCH_STATES),
    /** Raised by every order; with `epoch` it is what a controller compares. */
    version: z.int(),
    epoch: z.string(),
    target_origin: z.enum(ORIGINS),
    current_status: z.enum(SWITCH_STATES).nullable(),
    /** When `current_status` last changed. */
    current_since: instant.nullable(),
    last_command_at: instant.nullable(),
    /** What holds while no order and no schedule says otherwise: the target at creation, or at the last schedule change. */
    base_target: z.enum(SWITCH_STATES),
    base_at: instant,
    fail_safe: z.enum(FAIL_SAFES),
    min_on_s: z.int(),
    min_off_s: z.int(),
    start_group: z.string().nullable(),
    start_order: z.int().nullable(),
    do_on: z.number().nullable(),
    do_off: z.number().nullable(),
    do_emergency: z.number().nullable(),
    locked_out: z.boolean(),
    lock_out_reason: z.string().nullable(),
    lock_out_by: uuid.nullable(),
    lock_out_at: instant.nullable(),
    /** Counts changes of what `config/desired` and `schedule/desired` carry. */
    config_rev: z.int(),
    schedule_rev: z.int(),
    /** Driven by critical alerts alone, never part of aeration. A program before it had no sirens and sends none. */
    is_siren: z.boolean().default(false),
    /** Of the simulator: made with it, and never changed. A program before it had none and sends none. */
    is_simulated: z.boolean().default(false),
    /** Whether calls without a key are taken for it; null: by the rule. A program before it had none and sends none. */
    allow_unkeyed: z.boolean().nullable().default(null),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    cod: { fields: ['cod'] },
    /** The motors at the farm hear that name: once a gateway controls it, nobody else gives it another. */
    device_id: { fields: ['device_id'], owner: 'gateway' },
    owner: { fields: ['owner_id'], owner: 'hosted' },
    settings: {
      fields: [
        'fail_safe',
        'min_on_s',
        'min_off_s',
        'start_group',
        'start_order',
        'do_on',
        'do_off',
        'do_emergency',
        'is_siren',
      ],
    },
    // apart from the settings: a program before it takes those, and would be believed to know of this, too
    unkeyed: { fields: ['allow_unkeyed'], isLater: true },
    shadow: {
      fields: [
        'base_target',
        'base_at',
        'target_status',
        'version',
        'epoch',
        'target_origin',
        'current_status',
        'current_since',
        'last_command_at',
        'config_rev',
        'schedule_rev',
      ],
      owner: 'gateway',
    },
    lock_out: { fields: ['locked_out', 'lock_out_reason', 'lock_out_by', 'lock_out_at'], owner: 'gateway' },
  },
  parents: { farms: 'farm_id' },
  later: { is_siren: 2, is_simulated: 4, allow_unkeyed: 6 },
  // whose word counts is otherwise
  widened: { device_id: 7 },
});

export const ORDER_STATES = [
  'SENT',
  'ACKED',
  'APPLIED',
  'SUPERSEDED',
  'REJECTED',
  'EXPIRED',
  'FAILED',
] as const;

/** Every change of a target: who, why, when, and how far it got. */
export const order = defineResource({
  name: 'orders',
  entity: 8,
  sync: 'editable',
  row: z.object({
    id: uuid,
    control_point_id: uuid,
    target_status: z.enum(SWITCH_STATES),
    origin: z.enum(ORIGINS),
    issued_by: uuid.nullable(),
    reason: z.string().nullable(),
    /** Version of the target this order made. */
    version: z.int(),
    epoch: z.string(),
    issued_at: instant,
    /** End of `for_s`; null: until the next schedule event. */
    hold_until: instant.nullable(),
    state: z.enum(ORDER_STATES),
    state_at: instant,
    /** `estimated` while the clock was not trusted. */
    clock_quality: z.enum(['trusted', 'estimated']),
  }),
  groups: { state: { fields: ['state', 'state_at', 'issued_at', 'hold_until'], owner: 'gateway' } },
  parents: { control_points: 'control_point_id' },
  goesBy: 'parent',
});

/** An order on its way from the hosted instance to the gateway of the farm. */
export const pendingOrder = z.object({
  id: z.uuid(),
  target_status: z.enum(SWITCH_STATES),
  state: z.enum(COMMAND_STATES),
  expires_at: z
    .string()
    .describe('Void from then on, unless it is `confirming`: the gateway was told in time that it counts'),
  is_untold: z
    .literal(true)
    .optional()
    .describe(
      'Its time is over and its gateway has not said whether it was carried out: nobody knows, and `target_status` is the last one that the gateway told',
    ),
});
export type PendingOrder = z.infer<typeof pendingOrder>;
const pending = pendingOrder
  .optional()
  .describe('Hosted instance: the order that makes `target_status` what it shows, until the gateway took it');

/** Who decides what a control point should do, strongest first; `FAIL_SAFE`: the clock is not to be trusted. */
export const PLAN_CAUSES = [
  'LOCK_OUT',
  'EMERGENCY_OXYGEN',
  'LOCAL_ORDER',
  'REMOTE_ORDER',
  'SET_POINT',
  'SCHEDULE',
  'BASE',
  'FAIL_SAFE',
  'ALARM',
] as const;
export type PlanCause = (typeof PLAN_CAUSES)[number];

/** What a control point should do now, and until when, as the function that switches it sees it. */
export const controlPlan = z.object({
  cause: z
    .enum(PLAN_CAUSES)
    .describe(
      'Who decides; BASE: what was left when the schedules were last changed, or made with the control point',
    ),
  since: z.string(),
  until: z
    .string()
    .nullable()
    .describe('When time alone will next change the wanted state; null: only something new will'),
  then: z.enum(SWITCH_STATES).nullable().describe('The wanted state from `until` on'),
  scheduled: z
    .enum(SWITCH_STATES)
    .nullable()
    .describe(
      'What the schedules alone say now; null: none has said anything, or the clock is not to be trusted',
    ),
  off_schedule: z.boolean().describe('An order of a person holds it at another state than `scheduled`'),
});
export type ControlPlan = z.infer<typeof controlPlan>;

/** GET /control-points/{id}/timeline: what it will do if nothing new comes. */
export const timelineSegment = z.object({
  from: z.string(),
  until: z.string(),
  target: z.enum(SWITCH_STATES),
  cause: z.enum(PLAN_CAUSES),
  schedule_id: z.uuid().nullable(),
  order_id: z.uuid().nullable(),
});
export type TimelineSegment = z.infer<typeof timelineSegment>;

/** GET /farms/{farm_id}/timeline */
export const farmTimelineSegment = timelineSegment.extend({ control_point_id: z.uuid() });

const switchState = wordOf(SWITCH_STATES);

/** Of the last report. */
export const isProved = z
  .boolean()
  .nullable()
  .describe(
    'Whether the last report came with a key, or from a user; false: from whoever knows the name of the device; null: not known',
  );

/** POST /control-points/ */
export const controlPointCreate = z.object({
  id: ownId,
  farm_id: idInput,
  cod: shortText.describe('Code, unique per owner'),
  target_status: switchState,
  device_id: shortText.describe(
    'Identifier of the controller, unique on its gateway, or among the farms of an owner that have none',
  ),
});

export const controlPointUpdate = z.object({ cod: shortText.optional(), device_id: shortText.optional() });

export const controlPointAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  cod: z.string(),
  target_status: z.enum(SWITCH_STATES),
  current_status: z.enum(SWITCH_STATES).nullable(),
  device_id: z.string(),
  consumption: z.number().describe('kW as last reported'),
  last_command_at: z.string().nullable(),
  last_heartbeat: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  mqtt_id: z.string().describe('User name of the controller at the broker'),
  is_online: z.boolean(),
  target_origin: z.enum(ORIGINS),
  version: z.int(),
  epoch: z.string(),
  locked_out: z.boolean(),
  is_siren: z.boolean().describe('Driven by critical alerts alone; takes no orders and no schedules'),
  is_simulated: z.boolean().describe('Of the simulator: no motor hangs on it'),
  is_proved: isProved,
  plan: controlPlan.optional(),
  pending,
  gateway_silent_since: z
    .string()
    .nullable()
    .optional()
    .describe(
      'Hosted instance: since when nothing was heard of the gateway of the farm; null: it is connected',
    ),
  warnings,
});
/** GET /control-points/{id} */
export const controlPointDetail = controlPointAnswer.extend({
  target_reason: z.string().nullable().describe('Why the target is what it is; null: nobody said'),
});
export type ControlPointAnswer = z.infer<typeof controlPointAnswer>;

/** A week: whoever wants longer changes the schedule. */
export const MOST_HOLD_S = 604_800;

/** POST /control-points/{id}/turn-on and turn-off; the body may be absent. */
export const orderInput = z.object({
  for_s: z
    .int()
    .min(1)
    .max(MOST_HOLD_S)
    .optional()
    .describe('Hold for this many seconds, then back to the rules'),
  reason: z.string().trim().max(255).optional(),
  expires_in_s: z
    .int()
    .min(1)
    .max(900)
    .optional()
    .describe('Hosted instance: the order is void unless the gateway takes it within this time (default 60)'),
  force: z
    .boolean()
    .optional()
    .describe(
      'Hosted instance: goes before what was ordered on the farm meanwhile; never before a lock-out or a safety rule',
    ),
});

export const orderAnswer = z.object({
  id: z.uuid(),
  target_status: z.enum(SWITCH_STATES),
  current_status: z.enum(SWITCH_STATES).nullable(),
  last_command_at: z.string().nullable(),
  order_id: z.uuid(),
  version: z.int(),
  hold_until: z.string().nullable(),
  pending,
  warnings,
});

/** GET /control-points/{id}/commands */
export const commandEntry = z.object({
  id: z.uuid().describe('Also the id of the order that the gateway makes of it'),
  control_point_id: z.uuid(),
  target_status: z.enum(SWITCH_STATES),
  issued_by: z.uuid().nullable(),
  issued_by_name: z.string().nullable(),
  reason: z.string().nullable(),
  hold_s: z.int().nullable(),
  is_forced: z.boolean(),
  issued_at: z.string(),
  expires_at: z.string(),
  state: z.enum(COMMAND_STATES),
  state_at: z.string(),
  result: z.string().nullable().describe('Why it was rejected, superseded or void'),
});

/** GET /control-points/{id}/orders */
export const orderEntry = z.object({
  id: z.uuid(),
  control_point_id: z.uuid(),
  target_status: z.enum(SWITCH_STATES),
  origin: z.enum(ORIGINS),
  issued_by: z.uuid().nullable(),
  reason: z.string().nullable(),
  version: z.int(),
  issued_at: z.string(),
  hold_until: z.string().nullable(),
  state: z.enum(ORDER_STATES),
  state_at: z.string(),
  is_saved: z
    .literal(false)
    .optional()
    .describe('The disk did not take it yet: it holds, and would not outlive a power cut'),
});

const oxygen = z.number().min(0).max(50).nullable();

export const controlPointSettings = z.object({
  fail_safe: wordOf(FAIL_SAFES).describe('What the controller does without gateway and schedule'),
  min_on_s: z.int().min(0).max(3600),
  min_off_s: z.int().min(0).max(3600),
  start_group: z
    .string()
    .trim()
    .min(1)
    .max(255)
    .nullable()
    .describe('Motors of one group start one after the other'),
  start_order: z.int().min(0).max(10_000).nullable(),
  do_on: oxygen.describe(
    'Oxygen, mg/L: ON when a pond of this control point is at or below it, over the schedule but not over orders of people; stays ON for 15 minutes at least and until a fresh reading at do_off. null: off',
  ),
  do_off: oxygen.describe(
    'Oxygen, mg/L, at least 0.3 above do_on: a fresh reading at or above it lets go; while a probe sends, it is also OFF against the schedule. null: lets go 1 mg/L above do_on',
  ),
  do_emergency: oxygen.describe(
    'Oxygen, mg/L, at least 0.3 below do_on: at or below it every control point that airs the pond is ON, over orders of people; only a lock-out goes before. null: off',
  ),
  is_siren: z
    .boolean()
    .describe(
      'Sounds while a critical alert is unacknowledged, and is left out of aeration. It must have neither ponds nor schedules; fail-safe becomes OFF and the minimum times 0',
    ),
  allow_unkeyed: z
    .boolean()
    .nullable()
    .describe(
      'Whether HTTP calls without a key are taken for it: on for one that never had a key, off for one made after any key of its farm was first used. Once a key of its own was used it needs that, whatever stands here. To set null: back to this rule; to read null: its gateway knows',
    ),
});

export const lockOutInput = z.object({ reason: shortText.describe('Why nothing may start this motor') });
export const lockOutAnswer = z.object({
  id: z.uuid(),
  locked_out: z.boolean(),
  lock_out_reason: z.string().nullable(),
  lock_out_by: z.uuid().nullable(),
  lock_out_at: z.string().nullable(),
  warnings,
});

/** POST /control-points/{id}/device-key: the only time the key is shown. */
export const deviceKeyAnswer = z.object({
  id: z.uuid(),
  control_point_id: z.uuid(),
  device_id: z.string(),
  mqtt_id: z.string(),
  key: z.string().describe('256 bits, base64url; shown once'),
  state: z.enum(['pending', 'active', 'retiring', 'revoked']),
  created_at: z.string(),
});

export const deviceKeyEntry = deviceKeyAnswer.omit({ key: true }).extend({
  activated_at: z.string().nullable(),
  retires_at: z.string().nullable(),
});
