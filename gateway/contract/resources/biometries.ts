import * as z from 'zod';
import { idOrNumber, instantInput, longText, ownId, warnings } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';

/** A weighing of a sample of a batch. */
export const biometry = defineResource({
  name: 'biometries',
  entity: 17,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    batch_id: uuid,
    measurement_date: instant,
    sample_size: z.int(),
    total_weight_g: z.number(),
    /** Sample standard deviation of the weights, g; null: not known. */
    weight_sd_g: z.number().nullable(),
    /** Weight of each animal of the sample, g. */
    individual_weights_g: z.array(z.number()).nullable(),
    /** Where the sample was taken; null: of the whole batch. A program before it has none and sends none. */
    pond_id: uuid.nullable().default(null),
    notes: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    weights: {
      fields: ['measurement_date', 'sample_size', 'total_weight_g', 'weight_sd_g', 'individual_weights_g'],
    },
    // apart from the weights: a program before it takes those, and would be believed to know of this, too
    pond_id: { fields: ['pond_id'], isLater: true },
    notes: { fields: ['notes'] },
  },
  parents: { batches: 'batch_id' },
  goesBy: 'parent',
  later: { pond_id: 8 },
});

const measurementDate = instantInput.describe('A bare date is the start of that day in the zone of the farm');
const sampleSize = z.int().positive().max(1_000_000).describe('Shrimp sampled');
const totalWeight = z.number().positive().max(1_000_000_000).describe('Grams');
const spread = {
  individual_weights_g: z
    .array(z.number().positive().max(1_000_000))
    .min(1)
    .max(10_000)
    .nullish()
    .describe('Weight of each shrimp: as many as sampled, together the total within 1 %'),
  weight_sd_g: z.number().min(0).max(1_000_000).nullish().describe('Standard deviation of the weights, g'),
  subsamples: z
    .array(
      z.object({
        count: z.int().positive().max(1_000_000),
        weight_g: z.number().positive().max(1_000_000_000),
      }),
    )
    .min(1)
    .max(1_000)
    .nullish()
    .describe('Groups counted and weighed one by one, at least three; the spread is estimated from them'),
};

const samplePond = idOrNumber
  .nullish()
  .describe('Where the sample was taken, for a batch in several ponds; without it it stands for all of them');

export const biometryCreate = z.object({
  id: ownId,
  batch_id: idOrNumber,
  pond_id: samplePond,
  measurement_date: measurementDate,
  sample_size: sampleSize,
  total_weight_g: totalWeight,
  ...spread,
  notes: longText.nullish(),
});
export type BiometryCreate = z.infer<typeof biometryCreate>;

export const biometryUpdate = z.object({
  pond_id: samplePond,
  measurement_date: measurementDate.optional(),
  sample_size: sampleSize.optional(),
  total_weight_g: totalWeight.optional(),
  ...spread,
  notes: longText.nullish(),
});
export type BiometryUpdate = z.infer<typeof biometryUpdate>;

const figure = z.number().nullable();

export const biometryInJournal = z.object({
  id: z.uuid(),
  pond_id: z.uuid().nullable().describe('Where the sample was taken; null: of the whole batch'),
  measurement_date: z.string(),
  days_in_production: z.int().describe('Age of the batch today, or at its harvest'),
  measurement_day: z.int().describe('Age of the batch when it was weighed'),
  sample_size: z.int(),
  total_weight_g: z.number(),
  average_weight_g: z.number(),
  coefficient_variation: figure.describe('Percent; null: the spread of the weights was not measured'),
  notes: z.string().nullable(),
  created_by: z.uuid().nullable(),
  created_at: z.string(),
});

export const biometryAnswer = biometryInJournal.extend({
  batch_id: z.uuid(),
  weight_sd_g: figure,
  individual_weights_g: z.array(z.number()).nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  updated_at: z.string().nullable(),
  warnings,
});
export type BiometryAnswer = z.infer<typeof biometryAnswer>;

export const biometryJournal = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  biometries: z.array(biometryInJournal).describe('Newest first'),
  growth_summary: z.object({
    initial_weight_g: z.number(),
    current_weight_g: z.number(),
    total_growth_g: z.number(),
    average_weekly_growth_g: figure.describe('null: not weighed after the first day'),
    total_measurements: z.int(),
  }),
});
export type BiometryJournal = z.infer<typeof biometryJournal>;

export const biometrySummary = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  total_biometries: z.int(),
  summary: z.object({
    initial_weight_g: z.number(),
    current_weight_g: z.number(),
    weight_gain_g: z.number(),
    days_in_production: z.int(),
    adg: figure.describe('g/day from stocking to the last weighing'),
    expected_adg: z.number(),
    performance_percentage: figure,
    average_cv: figure,
    uniformity_rating: z.enum(['EXCELLENT', 'GOOD', 'POOR']).nullable(),
  }),
  latest_biometry: z
    .object({
      id: z.uuid(),
      measurement_date: z.string(),
      measurement_day: z.int(),
      sample_size: z.int(),
      average_weight_g: z.number(),
      coefficient_variation: figure,
    })
    .nullable(),
  growth_trend: z.enum(['ACCELERATING', 'STEADY', 'DECLINING']),
  recommendations: z.array(z.string()),
});
