import * as z from 'zod';
import { idInput, wordOf } from '../fields.ts';
import { REPORT_SOURCES, SWITCH_STATES } from '../words.ts';

// Virtual controllers of a gateway: control points of their own, with real keys, over the real broker. What they feed is
// marked wherever it is shown.

/** In the whole box: they live in processes beside control. */
export const MOST_SIMULATED = 50;

/** What is wrong with a virtual controller, or nothing. */
export const simulatorConditions = z.object({
  power: z.enum(['on', 'off']).describe('off: its sockets stay open, as after a real cut'),
  network: z.enum(['up', 'down']),
  delay_ms: z.int().min(0).max(10_000).describe('Every message is that late'),
  loss: z.number().min(0).max(0.9).describe('Share of the messages that are lost'),
  clock_skew_s: z.int().min(-86_400).max(86_400).describe('How far its clock is ahead'),
  stuck_at: wordOf(SWITCH_STATES).nullable().describe('Its relay stands there, whatever it is told'),
  breaker: z.enum(['closed', 'tripped']).describe('tripped: on without current'),
  hand_switch: wordOf(['AUTO', 'ON', 'OFF']).describe('The switch at its panel'),
});
export type SimulatorConditions = z.infer<typeof simulatorConditions>;

/** POST /simulator/controllers */
export const simulatorCreate = z.object({
  farm_id: idInput,
  count: z.int().min(1).max(MOST_SIMULATED),
});

/** POST /simulator/start and /simulator/stop */
export const simulatorFarm = z.object({ farm_id: idInput });

/** PUT /simulator/conditions; what is left out stays. */
export const simulatorConditionsInput = simulatorConditions.partial().extend({
  farm_id: idInput,
  control_point_ids: z
    .array(idInput)
    .min(1)
    .max(MOST_SIMULATED)
    .optional()
    .describe('Default: all virtual controllers of the farm'),
});

export const SIMULATOR_STATES = ['none', 'stopped', 'starting', 'running', 'failed'] as const;

/** A virtual controller. */
export const simulatedController = z.object({
  control_point_id: z.uuid(),
  cod: z.string(),
  device_id: z.string(),
  conditions: simulatorConditions,
  now: z
    .object({
      is_powered: z.boolean(),
      is_connected: z.boolean(),
      current_status: z.enum(SWITCH_STATES),
      source: z.enum(REPORT_SOURCES),
      is_motor_running: z.boolean(),
      consumption_kw: z.number(),
    })
    .nullable()
    .describe('As it stands in the simulator itself; null: it does not run'),
});

/** GET /simulator */
export const simulatorAnswer = z.object({
  farm_id: z.uuid(),
  state: z
    .enum(SIMULATOR_STATES)
    .describe('none: the farm has no virtual controllers; failed: it ended by itself'),
  started_at: z.string().nullable(),
  free: z.int().describe('How many more this gateway takes'),
  controllers: z.array(simulatedController),
});
export type SimulatorAnswer = z.infer<typeof simulatorAnswer>;
