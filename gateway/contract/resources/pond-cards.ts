import * as z from 'zod';
import { missingFacts } from '../missing-facts.ts';
import { ALERT_TYPES, POND_TYPES, SEVERITIES } from '../words.ts';
import { weighedPondId } from './batches.ts';

// Answers of the summary cards. What a pond has not (no batch, no measurement yet) is null.

export const AERATION_RATINGS = ['NOT_NEEDED', 'COMFORTABLE', 'ENOUGH', 'ADD_AERATION', 'RISKY'] as const;

const number = z.number().nullable();

export const batchOnCard = z.object({
  id: z.uuid(),
  batch_number: z.string(),
  days_active: z.int(),
  current_biomass_kg: number,
  average_weight_g: number,
  survival_rate: number,
  weighed_at: z
    .string()
    .nullable()
    .describe('Of the weighing that weight and biomass rest on; null: they rest on the stocking'),
  weighed_pond_id: weighedPondId,
  fca: number.describe('Feed conversion; null: no feed recorded, or no gain'),
});

export const pondCards = z.object({
  ponds: z.array(
    z.object({
      pond_id: z.uuid(),
      cod: z.string(),
      pond_type: z.enum(POND_TYPES).nullable(),
      active_batch: batchOnCard.nullable(),
      active_batches: z.array(batchOnCard),
      water_quality: z
        .object({
          last_measurement: z.string(),
          temperature: number,
          dissolved_oxygen: number,
          ph: number,
          source: z.enum(['manual', 'probe', 'import']).describe('Who measured: a hand, a probe, a file'),
          alerts_count: z.int(),
        })
        .nullable(),
      status: z.enum(['ACTIVE', 'EMPTY']),
      empty_since: z
        .string()
        .nullable()
        .describe(
          'When its last animals were harvested or moved away; null: it never held any, or holds some now',
        ),
    }),
  ),
  summary: z.object({
    total_ponds: z.int(),
    active_ponds: z.int(),
    empty_ponds: z.int(),
    total_biomass_kg: z.number(),
  }),
});
export type PondCards = z.infer<typeof pondCards>;
export type BatchOnCard = z.infer<typeof batchOnCard>;

export const batchOnDetail = batchOnCard.extend({
  start_date: z.string(),
  expected_harvest_date: z.string().nullable(),
  initial_population: z.int(),
  current_population: z.int(),
});

export const pondCard = z.object({
  pond_id: z.uuid(),
  cod: z.string(),
  pond_type: z.enum(POND_TYPES).nullable(),
  size_m2: number,
  depth_m: number,
  aerator_count: z.int(),
  active_batch: batchOnDetail.nullable(),
  active_batches: z.array(batchOnDetail),
  latest_biometry: z
    .object({
      date: z.string(),
      average_weight_g: z.number(),
      sample_size: z.int(),
      coefficient_variation: number,
    })
    .nullable(),
  latest_water_quality: z
    .object({
      date: z.string(),
      temperature: number,
      dissolved_oxygen: number,
      ph: number,
      ammonia: number,
      nitrite: number,
    })
    .nullable(),
  feeding_today: z.object({
    total_kg: z.number(),
    feeds_count: z.int(),
    last_feed: z.string().nullable(),
  }),
  active_alerts: z.array(
    z.object({
      id: z.uuid(),
      type: z.enum(ALERT_TYPES),
      severity: z.enum(SEVERITIES),
      parameter: z.string().nullable(),
      value: number,
      threshold: number,
      message: z.string(),
      triggered_at: z.string(),
    }),
  ),
  aeration: z
    .object({
      horsepower: z.number().describe('Rated power of the aerators registered in the pond'),
      kg_per_horsepower: number.describe('Shrimp that one horsepower carries; null: no aerator'),
      rating: z.enum(AERATION_RATINGS),
      missing_horsepower: z.number(),
      without_aerators: z
        .object({ from_mg_l: z.number(), to_mg_l: z.number(), hours: z.number() })
        .nullable()
        .describe(
          'Hours by night until oxygen falls from the alert to the critical level; null: area or depth is not known',
        ),
      proposed_set_points: z
        .object({ on_mg_l: z.number(), off_mg_l: z.number(), emergency_mg_l: z.number() })
        .describe('Of oxygen, for the control point: what the farm proposes'),
      advice: z.string().nullable().describe('What to add, and what is not known; null: nothing is lacking'),
      missing: missingFacts,
    })
    .nullable()
    .describe(
      'Whether the aerators carry what lives there (Boyd: 300 to 500 kg per hp); null: nothing lives there',
    ),
  control_point: z
    .object({
      id: z.uuid(),
      name: z.string().describe('Code of the control point'),
      status: z.enum(['ONLINE', 'OFFLINE', 'UNKNOWN']),
    })
    .nullable(),
});
export type PondCard = z.infer<typeof pondCard>;
export type BatchOnDetail = z.infer<typeof batchOnDetail>;
