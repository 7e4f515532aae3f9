import * as z from 'zod';
import {
  idOrNumber,
  instantInput,
  longText,
  numberInQuery,
  ownId,
  shortText,
  warnings,
  wordOf,
} from '../fields.ts';
import { missingFacts } from '../missing-facts.ts';
import { defineResource, instant, uuid } from '../resource.ts';

/** One feeding of a batch. */
export const feedingRecord = defineResource({
  name: 'feeding_records',
  entity: 18,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    batch_id: uuid,
    /** Where it was fed; null: not said. */
    pond_id: uuid.nullable(),
    feed_type: z.string(),
    quantity_kg: z.number(),
    cost_per_kg: z.number(),
    feed_date: instant,
    /** What was left on the feeding trays, percent of the meal; null: nobody looked. */
    tray_leftover_percent: z.number().nullable(),
    notes: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    fed: { fields: ['pond_id', 'feed_type', 'quantity_kg', 'feed_date'] },
    cost_per_kg: { fields: ['cost_per_kg'] },
    tray_leftover_percent: { fields: ['tray_leftover_percent'] },
    notes: { fields: ['notes'] },
  },
  parents: { batches: 'batch_id' },
  goesBy: 'parent',
});

const quantityKg = z.number().positive().max(1_000_000);
const costPerKg = z.number().min(0).max(1_000_000);
const feedDate = instantInput.describe('A bare date is the start of that day in the zone of the farm');
const trayLeftover = z
  .number()
  .min(0)
  .max(100)
  .nullish()
  .describe('Left on the feeding trays, percent of the meal; it adjusts the next one');

export const feedingCreate = z.object({
  id: ownId,
  batch_id: idOrNumber,
  pond_id: idOrNumber.nullish().describe('Where it was fed, for a batch in several ponds'),
  feed_type: shortText,
  quantity_kg: quantityKg,
  cost_per_kg: costPerKg,
  feed_date: feedDate,
  tray_leftover_percent: trayLeftover,
  notes: longText.nullish(),
});
export type FeedingCreate = z.infer<typeof feedingCreate>;

export const feedingUpdate = z.object({
  pond_id: idOrNumber.nullish(),
  feed_type: shortText.optional(),
  quantity_kg: quantityKg.optional(),
  cost_per_kg: costPerKg.optional(),
  feed_date: feedDate.optional(),
  tray_leftover_percent: trayLeftover,
  notes: longText.nullish(),
});
export type FeedingUpdate = z.infer<typeof feedingUpdate>;

export const feedingAnswer = z.object({
  id: z.uuid(),
  batch_id: z.uuid(),
  pond_id: z.uuid().nullable(),
  feed_type: z.string(),
  quantity_kg: z.number(),
  cost_per_kg: z
    .number()
    .nullable()
    .describe('null: for who neither reads the finance of the farm nor records'),
  total_cost: z.number().nullable(),
  feed_date: z.string(),
  tray_leftover_percent: z.number().nullable(),
  notes: z.string().nullable(),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type FeedingAnswer = z.infer<typeof feedingAnswer>;

export const feedingJournal = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  feeding_records: z.array(feedingAnswer.omit({ warnings: true })).describe('Newest first'),
});
export type FeedingJournal = z.infer<typeof feedingJournal>;

const figure = z.number().nullable();

export const feedingSummary = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  summary: z.object({
    total_feed_consumed_kg: z.number(),
    total_feed_cost: z.number().nullable().describe('null: for who may not read the finance of the farm'),
    average_daily_feed_kg: figure.describe('Per day with a feeding; null: no feeding yet'),
    days_with_feeding: z.int(),
    current_fca: figure,
    total_feeding_records: z.int(),
  }),
  fca_analysis: z.object({
    total_feed_kg: z.number(),
    biomass_gained_kg: z.number(),
    initial_biomass_kg: z.number(),
    current_biomass_kg: z.number(),
    harvested_kg: z.number().describe('Taken out by partial harvests; it counts as gained'),
    fca: figure.describe('null: no feed recorded, or no gain'),
    efficiency_rating: z.enum(['EXCELLENT', 'GOOD', 'ACCEPTABLE', 'POOR']).nullable(),
  }),
});
export type FeedingSummary = z.infer<typeof feedingSummary>;

/** What a keeper sees at the pond and no probe tells; GET …/recommendation?condition=. */
export const POND_CONDITIONS = [
  'SYNCHRONOUS_MOLT',
  'PARTIAL_MOLT',
  'HEAVY_RAIN',
  'BLOOM_CRASH',
  'TREATMENT',
] as const;

export const recommendationQuery = z.object({
  condition: wordOf(POND_CONDITIONS).optional().describe('What was seen at the pond'),
  condition_days_ago: numberInQuery(z.number().int().min(0).max(60))
    .default(0)
    .describe('Whole days since then'),
});

export const feedingRecommendation = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  recommendation: z.object({
    date: z.string().describe('YYYY-MM-DD in the zone of the farm'),
    recommended_feed_kg: z.number(),
    feeding_frequency: z.int().describe('Meals of the day'),
    feed_type: z.string(),
    feeding_rate_percent: z.number().describe('Percent of biomass per day, adjusted'),
    adjustment_reason: z.string(),
    next_meal_kg: figure.describe('The next meal, adjusted by what the last one left on the trays'),
    feeding_table: z
      .enum(['BY_WEIGHT', 'ROCHA_MAIA_1998', 'VINH_PHAT_LOC'])
      .describe(
        'What it goes by; a chart only while postlarvae of vannamei were never weighed (feeding.blindChart)',
      ),
    feeding_table_source: z.string(),
  }),
  factors: z.object({
    current_biomass_kg: z.number(),
    average_weight_g: z.number(),
    days_in_production: z.int(),
    water_temperature: figure,
    survival_rate: z.number(),
    last_biometry_days_ago: z.int().nullable(),
    feed_weight_g: z.number().describe('Weight the ration is made for: the last one grown forward'),
    feed_biomass_kg: z.number(),
    dissolved_oxygen: figure.describe(
      'mg/L as it was read last, of the last 24 h; null: not read, the ration assumes less',
    ),
    dissolved_oxygen_age_h: figure,
    dawn_oxygen: figure.describe('mg/L, the low dawn that cuts the ration for the next one; null: none'),
    ammonia_nh3_n: figure.describe('Un-ionised, mg/L as N'),
    condition: z.enum(POND_CONDITIONS).nullable(),
    missing: missingFacts,
  }),
  daily_schedule: z.array(
    z.object({
      time: z.string().describe('HH:MM in the zone of the farm'),
      percentage: z.number(),
      quantity_kg: z.number(),
    }),
  ),
  ponds: z
    .array(
      z.object({
        pond_id: z.uuid(),
        pond_cod: z.string(),
        population: z.int(),
        recommended_feed_kg: z.number(),
        adjustment_reason: z.string(),
        trays: z
          .object({
            checked_at: z
              .string()
              .nullable()
              .describe('null: told with the last meal, for all trays together'),
            trays_seen: z.int().nullable(),
            trays_not_seen: z
              .int()
              .nullable()
              .describe(
                'Trays of the last day that nobody looked at since the last meal: they are not empty',
              ),
            left_percent: z.number().describe('Mean of the trays that were looked at'),
            next_meal_change_percent: z
              .number()
              .describe('What the next meal is more (+) or less (−) than planned; −100: none'),
            next_meal_kg: z.number(),
            source: z.string().nullable().describe('Whose table this is; null: the settings of the farm'),
          })
          .nullable()
          .describe('What the last meal left on the trays of the pond; null: nobody looked since'),
      }),
    )
    .describe('The same per pond that holds animals of the batch'),
  notes: z.array(z.string()),
});
export type FeedingRecommendation = z.infer<typeof feedingRecommendation>;
