import * as z from 'zod';
import { defineResource, instant, uuid } from '../resource.ts';
import { FAIL_SAFES, ORIGINS, SWITCH_STATES } from '../words.ts';

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
    /** The target at creation: what holds while no order and no schedule says otherwise. */
    initial_target: z.enum(SWITCH_STATES),
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
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    cod: { fields: ['cod'] },
    device_id: { fields: ['device_id'] },
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
      ],
    },
    shadow: {
      fields: [
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
  groups: { state: { fields: ['state', 'state_at'], owner: 'gateway' } },
  parents: { control_points: 'control_point_id' },
});
