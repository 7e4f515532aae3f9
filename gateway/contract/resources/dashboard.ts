import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '../fields.ts';
import { missingFacts } from '../missing-facts.ts';
import { ALERT_TYPES, POND_TYPES } from '../words.ts';
import { withdrawalAnswer } from './farm-records.ts';

const figure = z.number().nullable();

/** Of one farm, or of all farms of the caller. */
export const dashboardQuery = pageQuery.extend({ farm_id: idInput.optional() });

/** GET /dashboard/overview */
export const dashboardOverview = z.object({
  farm_id: z.uuid(),
  total_ponds: z.int(),
  active_batches: z.int(),
  total_active_alerts: z.int(),
  alerts_by_type: z.partialRecord(z.enum(ALERT_TYPES), z.int()),
});

/** GET /dashboard/ponds. Population and biomass are those of the pond, all its batches together. */
export const dashboardPond = z.object({
  pond_id: z.uuid(),
  pond_cod: z.string(),
  pond_type: z.enum(POND_TYPES).nullable(),
  size_m2: figure,
  has_active_batch: z.boolean(),
  batch_id: z.uuid().nullable().describe('The batch with most animals in the pond'),
  batch_number: z.string().nullable(),
  days_in_production: z.int().nullable(),
  current_population: z.int().nullable(),
  survival_rate: figure,
  current_biomass_kg: figure,
  biomass_per_m2: figure,
  average_weight_g: figure,
  status: z.enum(['ACTIVE', 'EMPTY']),
  active_batches: z.int().describe('Batches with animals in the pond'),
  withdrawal: withdrawalAnswer.describe('Of the batch with most animals in the pond'),
});
export type DashboardPond = z.infer<typeof dashboardPond>;
export const dashboardPonds = z.object({ ponds: z.array(dashboardPond) });

/** GET /dashboard/biomass-trend */
export const biomassTrendQuery = z.object({ batch_id: idOrNumber });
export const biomassTrend = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  data_points: z
    .array(
      z.object({
        date: z.string().describe('YYYY-MM-DD in the zone of the farm'),
        days_in_production: z.int(),
        biomass_kg: z.number(),
        average_weight_g: z.number(),
      }),
    )
    .describe('Stocking, every weighing, and the harvest of a finished batch'),
});
export type BiomassTrend = z.infer<typeof biomassTrend>;

const batchLine = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  pond_cod: z.string(),
  days_in_production: z.int(),
});

/** GET /dashboard/growth-rates */
export const GROWTH_STATUSES = ['ABOVE_EXPECTED', 'ON_TRACK', 'BELOW_EXPECTED'] as const;
export const growthLine = batchLine.extend({
  species: z.string(),
  current_weight_g: z.number(),
  expected_weight_g: z.number().describe('At the age of the last weighing; not weighed yet: today'),
  weight_difference_g: figure.describe('null: not weighed yet'),
  growth_rate_percent: figure.describe('Daily gain as a share of the expected one'),
  status: z.enum(GROWTH_STATUSES).nullable().describe('null: not weighed yet'),
  weekly_growth_g: z.number().describe('Over the last interval between weighings'),
});
export type GrowthLine = z.infer<typeof growthLine>;
export const growthRates = z.object({ batches: z.array(growthLine) });

/** GET /dashboard/survival-rates */
export const survivalLine = batchLine.extend({
  initial_population: z.int(),
  current_population: z.int(),
  survival_rate: z.number(),
  expected_survival_rate: z
    .number()
    .describe(
      'Usual on this day of the cycle, percent, to compare with; the rate of the farm is what counts',
    ),
  mortality_count: z.int().describe('Died since stocking; harvested animals are not among them'),
  status: z.enum(['GOOD', 'ACCEPTABLE', 'POOR']),
  missing: missingFacts,
});
export type SurvivalLine = z.infer<typeof survivalLine>;
export const survivalRates = z.object({ batches: z.array(survivalLine) });

/** GET /dashboard/feed-efficiency */
export const feedLine = batchLine.extend({
  total_feed_kg: z.number(),
  total_feed_cost: z
    .number()
    .nullable()
    .describe('null, as all cost: for who may not read the finance of the farm'),
  current_biomass_kg: z.number(),
  biomass_gained_kg: z.number(),
  fca: figure.describe('null: no feed recorded, or no gain'),
  cost_per_kg_feed: figure,
  feed_cost_per_kg_shrimp: figure,
  efficiency_status: z.enum(['EXCELLENT', 'GOOD', 'ACCEPTABLE', 'POOR']).nullable(),
  missing: missingFacts,
});
export type FeedLine = z.infer<typeof feedLine>;
export const feedEfficiency = z.object({ batches: z.array(feedLine) });
