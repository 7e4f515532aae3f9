import * as z from 'zod';
import { idInput, ownId, shortText, warnings, wordOf } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { SWITCH_STATES } from '../words.ts';
import { pendingOrder } from './control-points.ts';

const aeratorRow = z.object({
  id: uuid,
  pond_id: uuid,
  name: z.string(),
  device_id: z.string(),
  power_kw: z.number(),
  status: z.enum(SWITCH_STATES),
  last_command_at: instant.nullable(),
  created_at: instant,
  updated_at: instant.nullable(),
});

export const aerator = defineResource({
  name: 'aerators',
  entity: 6,
  sync: 'editable',
  row: aeratorRow,
  groups: {
    pond_id: { fields: ['pond_id'] },
    name: { fields: ['name'] },
    device_id: { fields: ['device_id'], owner: 'gateway' },
    power_kw: { fields: ['power_kw'] },
    status: { fields: ['status', 'last_command_at'] },
  },
  parents: { ponds: 'pond_id' },
  // whose word counts is otherwise
  widened: { device_id: 7 },
});

const power = z.number().positive();
const powerFields = {
  power_kw: power.max(100_000).optional().describe('Power draw in kW; required unless power_watts is given'),
  power_watts: power.max(100_000_000).optional().describe('The same in watts; power_kw wins'),
};

export const aeratorCreate = z
  .object({
    id: ownId,
    pond_id: idInput,
    name: shortText,
    device_id: shortText.describe('Serial number of the device, unique'),
    ...powerFields,
    status: wordOf(SWITCH_STATES).optional().describe('Default OFF'),
  })
  .refine((input) => input.power_kw !== undefined || input.power_watts !== undefined, {
    path: ['power_kw'],
    message: 'is required',
  });
export type AeratorCreate = z.infer<typeof aeratorCreate>;

export const aeratorUpdate = z.object({
  name: shortText.optional(),
  device_id: shortText.optional(),
  ...powerFields,
  status: wordOf(SWITCH_STATES).optional(),
});
export type AeratorUpdate = z.infer<typeof aeratorUpdate>;

export const aeratorControl = z.object({ status: wordOf(SWITCH_STATES) });

export const aeratorAnswer = aeratorRow.extend({ warnings });
export type AeratorAnswer = z.infer<typeof aeratorAnswer>;

export const aeratorControlAnswer = z.object({
  id: z.uuid(),
  name: z.string(),
  status: z.enum(SWITCH_STATES),
  last_command_at: z.string(),
  warnings,
  control_point_id: z
    .uuid()
    .nullable()
    .describe('Control point that was ordered to switch; null: the state was only recorded'),
  pending: pendingOrder
    .optional()
    .describe('Hosted instance: the order is on its way to the gateway of the farm, the aerator follows it'),
});
