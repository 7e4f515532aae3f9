import * as z from 'zod';

import { idOrNumber, instantInput, longText, ownId, warnings, wordOf } from '../fields.ts';
import { LOSS_CAUSES } from './batches.ts';

// Animals of a batch that died and were told of: rows of `survival_changes`, by their own names.

const lostAt = instantInput.describe(
  'When they died; a bare date is the start of that day in the zone of the farm',
);
const pond = idOrNumber
  .nullish()
  .describe('The pond they died in, for a batch in several; without it in all ponds alike');
const cause = wordOf(LOSS_CAUSES)
  .nullish()
  .describe('What they died of, as far as the farm can tell; null or left out: not known');
/** One of them says how many. */
const howMany = {
  severity: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Share of the animals alive then, in that pond or the batch, that the event kills'),
  dead_count: z
    .int()
    .positive()
    .max(1_000_000_000)
    .optional()
    .describe('Dead animals counted, in place of severity'),
  dead_weight_kg: z
    .number()
    .positive()
    .max(1_000_000_000)
    .optional()
    .describe('Dead animals weighed, kg, in place of severity: counted by the mean weight there'),
};

export const survivalAdjust = z.object({
  id: ownId.describe(
    'Optional id of the event, chosen by the caller (UUID v4 or v7): told again it kills nothing more',
  ),
  event_description: longText.min(1),
  cause,
  pond_id: pond,
  lost_at: lostAt.optional().meta({ description: 'When they died; default now' }),
  date: lostAt.optional().meta({ description: 'Another name of lost_at' }),
  ...howMany,
});
export type SurvivalAdjust = z.infer<typeof survivalAdjust>;

export const survivalAdjusted = z.object({
  id: z.uuid().describe('Of the loss'),
  batch_id: z.uuid(),
  lost_at: z.string(),
  old_survival_rate: z.number().describe('Of now, without the loss'),
  new_survival_rate: z.number(),
  adjustment: z.number().describe('Percentage points, 0 or less'),
  event_description: z.string(),
  cause: z.enum(LOSS_CAUSES).nullable(),
  pond_id: z.uuid().nullable().describe('Where they died; null: in all ponds alike'),
  dead_count: z.int().describe('Animals that died, as counted, else as estimated'),
  current_population: z.int().describe('Alive now, in that pond or the batch'),
  warnings,
});

export const lossUpdate = z.object({
  event_description: longText.min(1).optional(),
  cause,
  pond_id: pond,
  lost_at: lostAt.optional(),
  date: lostAt.optional().meta({ description: 'Another name of lost_at' }),
  ...howMany,
});
export type LossUpdate = z.infer<typeof lossUpdate>;

export const TOLD_AS = ['severity', 'dead_count', 'dead_weight_kg'] as const;
export type ToldAs = (typeof TOLD_AS)[number];

export const lossAnswer = z.object({
  id: z.uuid(),
  batch_id: z.uuid(),
  pond_id: z.uuid().nullable().describe('Where they died; null: in all ponds alike'),
  lost_at: z.string(),
  told_as: z.enum(TOLD_AS).describe('Which of the three was told; the others follow from it'),
  severity: z
    .number()
    .nullable()
    .describe('Share of the animals alive then, in that pond or the batch; null: none were'),
  dead_count: z.int().describe('As counted, else as estimated'),
  dead_weight_kg: z.number().nullable().describe('As weighed; null: the dead were not weighed'),
  event_description: z.string().nullable(),
  cause: z.enum(LOSS_CAUSES).nullable().describe('null: nobody said'),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type LossAnswer = z.infer<typeof lossAnswer>;

const lossSums = {
  losses: z.int().describe('How many were told of'),
  dead_count: z.int().describe('As counted, else as estimated'),
  dead_weight_kg: z.number().nullable().describe('Of those that were weighed; null: none of them was'),
  not_weighed: z
    .int()
    .describe('Losses among them whose weight nobody knows: dead_weight_kg is without these'),
};

/** GET /batches/{batch_id}/mortality */
export const mortalityAnswer = z.object({
  batch_id: z.uuid(),
  ...lossSums,
  by_cause: z
    .array(
      z.object({
        cause: z.enum(LOSS_CAUSES).nullable().describe('null: nobody said what they died of'),
        ...lossSums,
      }),
    )
    .describe('The cause of most first'),
});
export type MortalityAnswer = z.infer<typeof mortalityAnswer>;
