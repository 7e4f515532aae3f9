import * as z from 'zod';
import { shortText } from '../fields.ts';
import { BATCH_STATUSES } from '../words.ts';
import { LOSS_CAUSES } from './batches.ts';
import { PRODUCT_KINDS, RECORD_UNITS, withdrawalAnswer } from './farm-records.ts';
import { lotAnswer } from './harvest-lots.ts';
import { healthAnswer } from './health-records.ts';
import { WATER_FIELDS } from './water-quality.ts';

// From the hatchery to a lot, and from a lot of feed or a product to the lots that had it.

const text = z.string().nullable();
const pond = { pond_id: z.uuid(), pond_cod: z.string() };
const pondOrAll = {
  pond_id: z.uuid().nullable(),
  pond_cod: text.describe('null: of all ponds of the batch'),
};

/** GET /harvest-lots/{lot_id}/trace */
export const lotTrace = z.object({
  lot: lotAnswer.omit({ warnings: true }),
  day: z.string().describe('Day of the lot on the farm; all below is up to its end'),
  farm: z.object({ id: z.uuid(), name: z.string(), timezone: z.string() }),
  batch: z.object({
    id: z.uuid(),
    batch_code: z.string(),
    species: z.string(),
    lineage: z.string(),
    larva_origin: z.string(),
    start_date: z.string(),
    initial_count: z.int(),
    initial_avg_weight: z.number(),
    initial_density: z.number(),
    status: z.enum(BATCH_STATUSES),
  }),
  harvest: z.object({
    kind: z.enum(['PARTIAL', 'FINAL']),
    harvested_at: text,
    weight_kg: z.number(),
    is_weighed: z.boolean().describe('false: of a final harvest that nobody weighed, as estimated'),
    lots_kg: z.number().describe('Of all its lots'),
  }),
  ponds: z
    .array(z.object({ ...pond, from: z.string(), to: text }))
    .describe('Where animals of the batch were, by days of the farm; to null: still there on the day'),
  transfers: z.array(
    z.object({
      transfer_date: z.string(),
      source_pond_cod: z.string(),
      destination_pond_cod: z.string(),
      quantity: z.int(),
      average_weight_g: z.number().nullable(),
    }),
  ),
  feeds: z.array(
    z.object({
      feed_type: z.string(),
      kg: z.number(),
      first_fed_at: z.string(),
      last_fed_at: z.string(),
      lots: z
        .array(
          z.object({
            entry_id: z.uuid(),
            product: z.string(),
            lot: text,
            supplier: text,
            delivered_at: z.string(),
            expires_on: text,
            kg: z.number(),
          }),
        )
        .describe('By the feed stock, the oldest delivery first'),
      unknown_lot_kg: z.number().describe('Of no delivery that was entered'),
    }),
  ),
  treatments: z.array(
    z.object({
      record_id: z.uuid(),
      ...pond,
      happened_at: z.string(),
      product: text,
      product_kind: z.enum(PRODUCT_KINDS).nullable(),
      product_lot: text,
      amount: z.number().nullable(),
      unit: z.enum(RECORD_UNITS).nullable(),
      reason: text,
      responsible: text,
      withdrawal_days: z.int().nullable(),
      harvest_from: text,
    }),
  ),
  withdrawal: withdrawalAnswer.describe('What kept the batch from being harvested on the day of the lot'),
  water_exchanges: z.array(
    z.object({
      record_id: z.uuid(),
      ...pond,
      happened_at: z.string(),
      amount: z.number().nullable(),
      unit: z.enum(RECORD_UNITS).nullable(),
      source: text,
      reason: text,
    }),
  ),
  signs_of_disease: z
    .array(
      z.object({
        record_id: z.uuid(),
        ...pondOrAll,
        happened_at: z.string(),
        signs: healthAnswer.signs,
        affected_percent: healthAnswer.affected_percent,
        severity: healthAnswer.severity,
        disease: healthAnswer.disease.describe('Suspected alone; null: nobody knows'),
        disease_name: text,
        details: text,
        responsible: text,
      }),
    )
    .describe('As they were seen; none on record is not none seen'),
  laboratory: z
    .array(
      z.object({
        record_id: z.uuid(),
        ...pondOrAll,
        happened_at: z.string().describe('When the sample was taken'),
        laboratory: text,
        sample: healthAnswer.sample,
        method: healthAnswer.method,
        disease: healthAnswer.disease.describe('What was looked for'),
        disease_name: text,
        result: healthAnswer.result,
        amount: z.number().nullable(),
        unit: z.enum(RECORD_UNITS).nullable(),
        result_on: text,
        report_number: text,
        details: text,
        responsible: text,
      }),
    )
    .describe('Of the ponds while the animals were there, and of the batch from before it came'),
  losses: z.array(
    z.object({
      ...pondOrAll,
      lost_at: z.string(),
      cause: z.enum(LOSS_CAUSES).nullable(),
      dead_count: z.int(),
      event_description: text,
    }),
  ),
  weighings: z.array(
    z.object({
      ...pondOrAll,
      measurement_date: z.string(),
      sample_size: z.int(),
      average_weight_g: z.number(),
      coefficient_variation: z.number().nullable(),
    }),
  ),
  water: z.array(
    z.object({
      ...pond,
      measurements: z.int(),
      parameters: z.array(
        z.object({
          parameter: z.enum(WATER_FIELDS),
          least: z.number(),
          mean: z.number(),
          most: z.number(),
        }),
      ),
    }),
  ),
});
export type LotTrace = z.infer<typeof lotTrace>;

/** GET /farms/{farm_id}/trace */
export const recallQuery = z
  .object({
    product_lot: shortText.optional().describe('Lot of a feed or of a product; capitals and accents aside'),
    product: shortText.optional().describe('Name of a feed or of a product'),
  })
  .refine(({ product_lot: lot, product }) => lot !== undefined || product !== undefined, {
    path: ['product_lot'],
    message: 'is required, unless product is given',
  });

export const CERTAINTIES = ['RECORDED', 'BY_BOOKS', 'POSSIBLE'] as const;
export type Certainty = (typeof CERTAINTIES)[number];
const certainty = z
  .enum(CERTAINTIES)
  .describe(
    'RECORDED: somebody wrote it down so. BY_BOOKS: by the feed stock, the oldest delivery first. POSSIBLE: the same product, ' +
      'of a lot that nobody wrote down, or fed while that lot was there',
  );

export const recallAnswer = z.object({
  farm_id: z.uuid(),
  product_lot: text,
  product: text,
  deliveries: z.array(
    z.object({
      entry_id: z.uuid(),
      product: z.string(),
      lot: text,
      supplier: text,
      delivered_at: z.string(),
      quantity_kg: z.number(),
      left_kg: z.number().nullable().describe('null: still to come'),
    }),
  ),
  batches: z
    .array(
      z.object({
        batch_id: z.uuid(),
        batch_code: z.string(),
        farm_id: z.uuid(),
        status: z.enum(BATCH_STATUSES),
        population: z
          .int()
          .nullable()
          .describe('Alive now: these can still be kept back; null: a batch of another farm of the owner'),
        received: z.array(
          z.object({
            kind: z.enum(['FEED', 'TREATMENT']),
            certainty,
            product: z.string(),
            lot: text,
            first_at: z.string(),
            last_at: z.string(),
            kg: z.number().nullable().describe('Of a feed'),
          }),
        ),
      }),
    )
    .describe('Whose animals had it'),
  harvest_lots: z
    .array(
      lotAnswer
        .pick({
          id: true,
          batch_id: true,
          batch_code: true,
          lot_code: true,
          harvested_at: true,
          weight_kg: true,
          buyer: true,
          buyer_tax_id: true,
          transport_document: true,
        })
        .extend({ certainty }),
    )
    .describe('Lots of this farm taken from such a batch on that day or later'),
});
export type RecallAnswer = z.infer<typeof recallAnswer>;
