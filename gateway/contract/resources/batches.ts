import * as z from 'zod';
import {
  dayInput,
  idInput,
  idOrNumber,
  instantInput,
  longText,
  ownId,
  pageQuery,
  shortText,
  warnings,
  wordOf,
} from '../fields.ts';
import { missingFacts } from '../missing-facts.ts';
import { defineResource, instant, localDate, uuid } from '../resource.ts';
import { BATCH_STATUSES } from '../words.ts';
import { withdrawalAnswer } from './farm-records.ts';

/** A production cycle: animals of one stocking, from larva to harvest. */
export const batch = defineResource({
  name: 'batches',
  entity: 14,
  sync: 'editable',
  row: z.object({
    id: uuid,
    numeric_id: z.int(),
    /** Owner of the farm: `batch_code` is unique per owner. */
    owner_id: uuid,
    farm_id: uuid,
    /** First pond; transfers tell where the animals are now. */
    pond_id: uuid,
    batch_code: z.string(),
    species: z.string(),
    lineage: z.string(),
    larva_origin: z.string(),
    start_date: localDate,
    expected_harvest_date: instant.nullable(),
    actual_harvest_date: instant.nullable(),
    initial_count: z.int(),
    /** Grams. */
    initial_avg_weight: z.number(),
    /** Shrimp per m². */
    initial_density: z.number(),
    /** Percent at stocking; `survival_changes` tell what became of it. */
    estimated_survival_rate: z.number(),
    status: z.enum(BATCH_STATUSES),
    /** Harvested at the end, kg; null: the estimate at that date counts. */
    final_weight_kg: z.number().nullable(),
    /** What a kilogram of it was sold for; null: not told. A program before it had none and sends none. */
    final_price_per_kg: z.number().nullable().default(null),
    /** Why it was aborted. */
    end_reason: z.string().nullable(),
    notes: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    // nobody edits it, but where two instances gave one code, one of them is renamed
    batch_code: { fields: ['batch_code'] },
    expected_harvest_date: { fields: ['expected_harvest_date'] },
    state: { fields: ['status', 'actual_harvest_date', 'final_weight_kg', 'end_reason'] },
    // apart from the state: a program before it takes that, and would be believed to know of this, too
    final_price: { fields: ['final_price_per_kg'], isLater: true },
    notes: { fields: ['notes'] },
    // what was told wrongly at the stocking: set once, for programs before it
    origin: { fields: ['species', 'lineage', 'larva_origin'], since: 12 },
    start: { fields: ['start_date'], since: 12 },
    // the density is of the count, and the two weigh what was stocked: mixed they would be nobody's word
    stocking: { fields: ['initial_count', 'initial_avg_weight', 'initial_density'], since: 12 },
    // follows the farm when it is handed over
    owner: { fields: ['owner_id'], owner: 'hosted' },
  },
  parents: { farms: 'farm_id', ponds: 'pond_id' },
  later: { final_price_per_kg: 7 },
});

/** What animals died of, as far as the farm can tell; what it is called besides stands in the words of the loss. */
export const LOSS_CAUSES = [
  'DISEASE',
  'LOW_OXYGEN',
  'WATER_QUALITY',
  'TEMPERATURE',
  'MOLTING',
  'CANNIBALISM',
  'HANDLING',
  'PREDATORS',
  'OTHER',
] as const;
export type LossCause = (typeof LOSS_CAUSES)[number];

/** One change of a batch's survival; the current rate follows from all of them in order of `changed_at`. */
export const survivalChange = defineResource({
  name: 'survival_changes',
  entity: 15,
  sync: 'fact',
  row: z.object({
    id: uuid,
    batch_id: uuid,
    /**
     * ABSOLUTE: `value` is the new rate in percent. FACTOR: `value` is the share of the living of the whole batch that
     * died, 0 to 1, also where all of them died in one pond.
     */
    kind: z.enum(['ABSOLUTE', 'FACTOR']),
    value: z.number(),
    /** Where they died; null: in all ponds alike. A program before it has none and sends none. */
    pond_id: uuid.nullable().default(null),
    /**
     * How many died, where they were counted or weighed; ABSOLUTE: how many were counted alive, of which `value` was the share
     * when it was told (a program before it goes by that).
     */
    animals: z.int().nullable().default(null),
    /** kg of dead animals, where those were weighed. */
    weight_kg: z.number().nullable().default(null),
    /** Share of the animals of that pond that died, where it was told so. */
    pond_share: z.number().nullable().default(null),
    /**
     * The loss whose place this one takes, from the making of this row on; nobody changes or deletes a fact. One without any
     * animals says that nobody died. A program before it keeps such a row aside.
     */
    corrects: uuid.nullable().default(null),
    /** null: nobody said. */
    cause: z.enum(LOSS_CAUSES).nullable().default(null),
    changed_at: instant,
    description: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
  }),
  parents: { batches: 'batch_id' },
  goesBy: 'parent',
  later: { pond_id: 8, animals: 8, weight_kg: 8, pond_share: 10, corrects: 10, cause: 12 },
});

/** A partial harvest: animals taken out while the batch goes on. */
export const harvest = defineResource({
  name: 'harvests',
  entity: 16,
  sync: 'editable',
  row: z.object({
    id: uuid,
    batch_id: uuid,
    /** Where they were taken; null: the batch's only pond at that time. */
    pond_id: uuid.nullable(),
    harvest_date: instant,
    quantity: z.int(),
    weight_kg: z.number(),
    price_per_kg: z.number().nullable(),
    notes: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    taken: { fields: ['pond_id', 'harvest_date', 'quantity', 'weight_kg'] },
    price_per_kg: { fields: ['price_per_kg'] },
    notes: { fields: ['notes'] },
  },
  parents: { batches: 'batch_id' },
  goesBy: 'parent',
});

const stockedOn = dayInput.describe('YYYY-MM-DD in the zone of the farm; at most a day ahead');
const stockedCount = z.int().positive().max(1_000_000_000);
const stockedWeight = z.number().positive().max(1_000).describe('Grams');
const stockedDensity = z.number().positive().max(1_000_000).describe('Shrimp per m²');

const dateInput = instantInput.describe('A bare date is the start of that day in the zone of the farm');
const percentInput = z.number().min(0).max(100);

export const batchCreate = z.object({
  id: ownId,
  pond_id: idOrNumber,
  batch_code: shortText.describe('Unique among the batches of the owner'),
  species: shortText,
  lineage: shortText,
  larva_origin: shortText,
  start_date: stockedOn,
  expected_harvest_date: dateInput.nullish(),
  initial_count: stockedCount,
  initial_avg_weight: stockedWeight,
  initial_density: stockedDensity,
  estimated_survival_rate: percentInput.nullish().describe('Percent; default 85'),
  notes: longText.nullish(),
});
export type BatchCreate = z.infer<typeof batchCreate>;

export const batchUpdate = z.object({
  expected_harvest_date: dateInput.nullish(),
  survival_rate: percentInput.optional().describe('Percent; what it is now, whatever it was before'),
  notes: longText.nullish(),
  // told wrongly at the stocking
  species: shortText.optional(),
  lineage: shortText.optional(),
  larva_origin: shortText.optional(),
  start_date: stockedOn.optional(),
  initial_count: stockedCount.optional(),
  initial_avg_weight: stockedWeight.optional(),
  initial_density: stockedDensity.optional(),
});
export type BatchUpdate = z.infer<typeof batchUpdate>;

export const batchStatusInput = wordOf(BATCH_STATUSES);

export const batchQuery = pageQuery.extend({
  pond_id: idOrNumber.optional().describe('Batches stocked in this pond or moved to it'),
  farm_id: idInput.optional(),
  status: batchStatusInput.optional(),
});

export const batchAnswer = z.object({
  id: z.uuid(),
  numeric_id: z.int().describe('Read-only integer beside the UUID'),
  farm_id: z.uuid(),
  pond_id: z.uuid().describe('First pond; transfers tell where the animals are now'),
  batch_code: z.string(),
  batch_number: z.string().describe('The batch code'),
  batch_name: z.string().describe('The batch code'),
  species: z.string(),
  lineage: z.string(),
  larva_origin: z.string(),
  start_date: z.string(),
  expected_harvest_date: z.string().nullable(),
  actual_harvest_date: z.string().nullable().describe('Of an aborted batch: when it ended'),
  initial_count: z.int(),
  initial_avg_weight: z.number(),
  initial_density: z.number(),
  estimated_survival_rate: z.number().describe('Percent, as estimated now'),
  survival_rate: z.number().describe('The same'),
  survival_rate_at_stocking: z.number(),
  status: z.enum(BATCH_STATUSES),
  final_weight_kg: z.number().nullable(),
  end_reason: z.string().nullable(),
  notes: z.string().nullable(),
  days_active: z.int(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type BatchAnswer = z.infer<typeof batchAnswer>;

const figure = z.number().nullable();
/** Beside a weight that counts in a pond. */
export const weighedPondId = z
  .uuid()
  .nullable()
  .describe(
    'Pond of the weighing that the weight rests on: of another pond it is assumed here; null: the batch, or none',
  );

/** Beside population and biomass, wherever a batch that has ended may stand. */
export const batchEnd = {
  biomass_of: z
    .enum(['ALIVE', 'HARVEST', 'END'])
    .describe('What the biomass is of: END, of a batch that was aborted'),
  final_count: z
    .int()
    .nullable()
    .describe('Animals of the final harvest, as counted or weighed, else as estimated; null: there was none'),
};

export const batchDetail = batchAnswer.omit({ warnings: true }).extend({
  current_biomass_kg: z
    .number()
    .describe(
      'Of the animals alive; of a batch that has ended, in which none are, what it weighed at its end',
    ),
  ...batchEnd,
  current_fca: figure.describe('null: no feed recorded, or no gain'),
  latest_biometry: z
    .object({ measurement_date: z.string(), average_weight_g: z.number(), sample_size: z.int() })
    .nullable(),
  current_population: z.int(),
  average_weight_g: z.number(),
  harvested_count: z.int().describe('Taken out by partial harvests'),
  harvested_kg: z.number(),
  total_feed_kg: z.number(),
  ponds: z
    .array(
      z.object({
        pond_id: z.uuid(),
        population: z.int(),
        average_weight_g: z.number().describe('As weighed in this pond, else of the batch'),
        biomass_kg: z.number(),
        weighed_pond_id: weighedPondId,
      }),
    )
    .describe('Most animals first; together the population and biomass of the batch'),
  withdrawal: withdrawalAnswer,
});
export type BatchDetail = z.infer<typeof batchDetail>;

export const batchFinish = z.object({
  actual_harvest_date: dateInput.nullish().describe('Default now'),
  final_weight_kg: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .nullish()
    .describe('Harvested at the end, kg; without it the estimate counts'),
  final_count: z
    .int()
    .min(0)
    .max(1_000_000_000)
    .nullish()
    .describe('Animals harvested at the end: the survival of the batch follows from them'),
  final_average_weight_g: z
    .number()
    .positive()
    .max(10_000)
    .nullish()
    .describe(
      'Mean weight at the harvest: gives the count from final_weight_kg, or the weight from final_count',
    ),
  price_per_kg: z.number().min(0).max(1_000_000).nullish().describe('What a kilogram was sold for'),
  notes: longText.nullish(),
});
export type BatchFinish = z.infer<typeof batchFinish>;

export const batchFinished = z.object({
  id: z.uuid(),
  status: z.literal('FINISHED'),
  actual_harvest_date: z.string(),
  total_days: z.int(),
  final_fca: figure,
  final_weight_kg: z.number().describe('As weighed, else the estimate'),
  harvested_kg: z.number().describe('Taken out before, by partial harvests'),
  survival_rate: z.number().describe('As counted or weighed at the harvest, else the estimate'),
  final_count: z.int().describe('As counted or weighed, else the estimate'),
  revenue: figure.describe('Of the final harvest; null: no price was told'),
  warnings,
});
export type BatchFinished = z.infer<typeof batchFinished>;

export const batchAbort = z.object({ reason: longText.min(1) });

export const GROWTH_PERFORMANCES = ['ABOVE_EXPECTED', 'ON_TRACK', 'BELOW_EXPECTED'] as const;

export const growthCurveAnswer = z.object({
  batch_id: z.uuid(),
  batch_code: z.string(),
  days_active: z.int(),
  data_points: z
    .array(z.object({ day: z.int(), real_weight_g: z.number(), expected_weight_g: z.number() }))
    .describe('Stocking and every weighing, by the age of the batch'),
  performance: z.enum(GROWTH_PERFORMANCES).nullable().describe('null: not weighed yet'),
});

export const batchStatsAnswer = z.object({
  batch_id: z.uuid(),
  days_active: z.int(),
  estimated_biomass_kg: z.number(),
  current_fca: figure,
  survival_rate: z.number(),
  growth_rate_g_per_day: figure.describe('Since stocking, to the last weighing; null: not weighed yet'),
  total_feed_kg: z.number(),
  current_population: z.int(),
  ...batchEnd,
  average_weight_g: z.number(),
  specific_growth_rate: figure.describe('Percent per day'),
  missing: missingFacts,
});

export const growthAnalysisAnswer = z.object({
  batch_id: z.uuid(),
  batch_code: z.string(),
  analysis: z.object({
    total_days: z.int(),
    initial_weight_g: z.number(),
    current_weight_g: z.number(),
    weight_gain_g: z.number(),
    adg: figure.describe('g/day from stocking to the last weighing; null: not weighed after the first day'),
    expected_adg: z.number().describe('The same of the expected curve'),
    performance_percentage: figure,
    projected_harvest_weight_g: figure,
    projected_harvest_date: z.string().nullable().describe('YYYY-MM-DD in the zone of the farm'),
  }),
  recommendations: z.array(z.string()),
  missing: missingFacts,
});

export const growthChartAnswer = z.object({
  batch_id: z.uuid(),
  batch_code: z.string(),
  chart_data: z.object({
    labels: z.array(z.string()),
    datasets: z.array(
      z.object({
        label: z.string(),
        data: z.array(z.number()),
        borderColor: z.string(),
        fill: z.boolean(),
        borderDash: z.array(z.number()).optional(),
      }),
    ),
  }),
  summary: z.object({ above_expected: z.boolean(), variance_percentage: figure }),
});

const quantity = z.int().positive().max(1_000_000_000).describe('Animals taken out');
const weightKg = z.number().positive().max(1_000_000_000);
const pricePerKg = z.number().min(0).max(1_000_000).nullish();
const harvestPond = idOrNumber
  .nullish()
  .describe('Where they were taken, for a batch in several ponds; else from all alike');

export const harvestCreate = z.object({
  id: ownId,
  pond_id: harvestPond,
  harvest_date: dateInput.optional().describe('Default now'),
  date: dateInput.optional().describe('Another name of harvest_date'),
  quantity,
  weight_kg: weightKg,
  price_per_kg: pricePerKg,
  price: pricePerKg.describe('Another name of price_per_kg'),
  notes: longText.nullish(),
});
export type HarvestCreate = z.infer<typeof harvestCreate>;

export const harvestUpdate = z.object({
  pond_id: harvestPond,
  harvest_date: dateInput.optional(),
  date: dateInput.optional(),
  quantity: quantity.optional(),
  weight_kg: weightKg.optional(),
  price_per_kg: pricePerKg,
  price: pricePerKg,
  notes: longText.nullish(),
});
export type HarvestUpdate = z.infer<typeof harvestUpdate>;

export const harvestAnswer = z.object({
  id: z.uuid(),
  batch_id: z.uuid(),
  pond_id: z.uuid().nullable(),
  harvest_date: z.string(),
  quantity: z.int(),
  weight_kg: z.number(),
  average_weight_g: z.number(),
  price_per_kg: figure.describe('null also for those who may not read finance'),
  revenue: figure.describe('The price of a size class of its lots goes before that of the harvest'),
  lots_kg: z.number().describe('Of its lots'),
  notes: z.string().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type HarvestAnswer = z.infer<typeof harvestAnswer>;
