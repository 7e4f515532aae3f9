import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '../fields.ts';
import { missingFacts } from '../missing-facts.ts';
import { ALERT_TYPES, BATCH_STATUSES, POND_TYPES } from '../words.ts';
import { batchEnd, batchStatusInput } from './batches.ts';
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

/** GET /dashboard/batch-comparison */
export const batchComparisonQuery = dashboardQuery.extend({ status: batchStatusInput.optional() });
export const comparedBatch = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  farm_id: z.uuid(),
  farm_name: z.string(),
  species: z.string(),
  status: z.enum(BATCH_STATUSES),
  ponds: z
    .array(z.object({ pond_id: z.uuid(), pond_cod: z.string(), size_m2: figure }))
    .describe('Where it swims, or was harvested; not where it was only before'),
  start_date: z.string().describe('YYYY-MM-DD in the zone of the farm'),
  end_date: z.string().nullable().describe('The same; null: it goes on'),
  days_in_production: z.int(),
  density_per_m2: figure.describe('At stocking'),
  survival_rate: z.number().describe('Percent; the estimate of the stocking while `missing` has SURVIVAL'),
  average_weight_g: figure.describe('null: never weighed'),
  growth_g_per_week: figure.describe('Since stocking, to the last weighing; null: not weighed yet'),
  fca: figure.describe('null: no feed recorded, no gain, or never weighed'),
  total_feed_kg: figure.describe('null: no feed recorded'),
  produced_kg: figure.describe(
    'What lives or was harvested at the end, and what was harvested before; null: never weighed',
  ),
  is_estimated: z
    .boolean()
    .describe('What was produced follows from weighings and survival; it was not weighed at the end'),
  biomass_of: batchEnd.biomass_of,
  area_m2: figure.describe('Of those ponds together; null: of one it is not known'),
  kg_per_ha: figure.describe('Produced by that area; null also of a batch that was aborted'),
  kg_per_ha_day: figure,
  sees_money: z
    .boolean()
    .describe('Whether the caller reads the finance of the farm; the rest is null if not'),
  cost_per_kg: figure.describe('null: nothing spent was recorded, or never weighed'),
  revenue_per_kg: figure.describe('Of what was sold; null: no price was told'),
  margin_percent: figure.describe(
    'Profit by revenue; null until all of it was sold at a price that was told',
  ),
  missing_costs: missingFacts.describe('FEED, EXPENSES: what the cost is without'),
  missing: missingFacts,
});
export type ComparedBatch = z.infer<typeof comparedBatch>;
export const batchComparison = z.object({
  total: z.int().describe('How many there are with that status'),
  batches: z.array(comparedBatch).describe('Entered last first'),
});
