import * as z from 'zod';

import {
  dayInput,
  idOrNumber,
  instantInput,
  longText,
  ownId,
  pageQuery,
  shortText,
  warnings,
  wordOf,
} from '../fields.ts';

import { defineResource, instant, uuid } from '../resource.ts';
import { trayAnswer, trayColumns, trayFields, trayGroups, trayUpdate } from './feed-trays.ts';
import {
  healthAnswer,
  healthColumns,
  healthGroups,
  healthUpdate,
  LAB_UNITS,
  labFields,
  signsFields,
} from './health-records.ts';
import { meterAnswer, meterColumns, meterFields, meterGroups, meterUpdate } from './meter-readings.ts';
import {
  preparationAnswer,
  preparationColumns,
  preparationFields,
  preparationGroups,
  preparationUpdate,
} from './pond-preparation.ts';

// What a farm writes down of a place beside water, feed, weighings and losses: one table, because all of it has a place, a
// time, an author and a text, and is read together.

export const RECORD_KINDS = [
  'TREATMENT',
  'WATER_EXCHANGE',
  'NOTE',
  'DISEASE',
  'LAB',
  'FEED_TRAYS',
  'PREPARATION',
  'METER',
] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

export const PRODUCT_KINDS = [
  'PROBIOTIC',
  'LIME',
  'BICARBONATE',
  'MINERAL',
  'DISINFECTANT',
  'MEDICATION',
  'OTHER',
] as const;
export type ProductKind = (typeof PRODUCT_KINDS)[number];

/** Nobody expects a withdrawal period of the others; of these one that is not known is asked about. */
export const MAY_LEAVE_RESIDUES: readonly ProductKind[] = ['MEDICATION', 'DISINFECTANT', 'OTHER'];

export const DOSE_UNITS = ['kg', 'g', 'L', 'mL', 'ppm'] as const;
export const EXCHANGE_UNITS = ['percent', 'cm', 'm3'] as const;
export const PREPARATION_UNITS = [...DOSE_UNITS, 'cm', 'm3'] as const;
export const METER_UNITS = ['kWh'] as const;
export const RECORD_UNITS = [...DOSE_UNITS, ...EXCHANGE_UNITS, ...LAB_UNITS, ...METER_UNITS] as const;

export const farmRecord = defineResource({
  name: 'farm_records',
  entity: 27,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    kind: z.enum(RECORD_KINDS),
    /** One of the three: treatments and exchanges are of a pond, signs and laboratory results of a pond or a batch; none of a meter. */
    pond_id: uuid.nullable(),
    batch_id: uuid.nullable(),
    control_point_id: uuid.nullable(),
    /** Of a laboratory result when the sample was taken. */
    happened_at: instant,
    /** The note itself; of a treatment or an exchange why it was done. */
    text: z.string().nullable(),
    product: z.string().nullable(),
    product_kind: z.enum(PRODUCT_KINDS).nullable(),
    product_lot: z.string().nullable(),
    amount: z.number().nullable(),
    unit: z.enum(RECORD_UNITS).nullable(),
    responsible: z.string().nullable(),
    /** Whole days after the treatment without a harvest; null: nobody knows. */
    withdrawal_days: z.int().nullable(),
    /** Where the water of an exchange came from; the laboratory of a result. */
    source: z.string().nullable(),
    ...healthColumns,
    ...trayColumns,
    ...preparationColumns,
    ...meterColumns,
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    done: { fields: ['pond_id', 'happened_at', 'amount', 'unit'] },
    product: { fields: ['product', 'product_kind', 'product_lot', 'withdrawal_days'] },
    text: { fields: ['text'] },
    responsible: { fields: ['responsible'] },
    source: { fields: ['source'] },
    ...healthGroups,
    ...trayGroups,
    ...preparationGroups,
    ...meterGroups,
  },
  parents: { farms: 'farm_id', ponds: 'pond_id', batches: 'batch_id', control_points: 'control_point_id' },
  goesBy: 'parent',
  since: 11,
  later: {
    signs: 12,
    affected_percent: 12,
    severity: 12,
    disease: 12,
    disease_name: 12,
    sample: 12,
    method: 12,
    result: 12,
    result_on: 12,
    report_number: 12,
    trays: 12,
    feeding_id: 12,
    step: 12,
    ended_on: 12,
    meter: 12,
    meter_factor: 12,
    meter_change: 12,
  },
  widened: { kind: 12, unit: 12 },
});

const id = ownId;
const happenedAt = instantInput.describe('A bare date is the start of that day in the zone of the farm');
export const MOST_DOSE = 1_000_000;
const doseAmount = z.number().positive().max(MOST_DOSE);
const withdrawalDays = z
  .int()
  .min(0)
  .max(365)
  .nullable()
  .describe('Whole days after the treatment without a harvest; null: not known, which is not 0');
const text = longText.min(1);

const treatmentFields = {
  product: shortText,
  product_kind: wordOf(PRODUCT_KINDS),
  product_lot: shortText.nullish().describe('Lot or batch number of the product'),
  amount: doseAmount,
  unit: z.enum(DOSE_UNITS),
  text: longText.nullish().describe('Why it was given'),
  responsible: shortText.nullish().describe('Who gave or ordered it'),
  withdrawal_days: withdrawalDays.optional(),
};
const exchangeFields = {
  amount: doseAmount,
  unit: z.enum(EXCHANGE_UNITS).describe('Percent of the water, cm of depth, or m³'),
  source: shortText.nullish().describe('Where the water came from'),
  text: longText.nullish().describe('Why it was exchanged'),
  responsible: shortText.nullish(),
};

const treatmentCreate = z.object({
  id,
  kind: z.literal('TREATMENT'),
  happened_at: happenedAt.optional().meta({ description: 'Default now' }),
  ...treatmentFields,
});
const exchangeCreate = z.object({
  id,
  kind: z.literal('WATER_EXCHANGE'),
  happened_at: happenedAt.optional().meta({ description: 'Default now' }),
  ...exchangeFields,
});
export const noteCreate = z.object({
  id,
  kind: z.literal('NOTE').default('NOTE'),
  happened_at: happenedAt.optional().meta({ description: 'Default now' }),
  text,
});

const diseaseCreate = z.object({
  id,
  kind: z.literal('DISEASE'),
  happened_at: happenedAt.optional().meta({ description: 'When it was seen; default now' }),
  ...signsFields,
});
const labCreate = z.object({
  id,
  kind: z.literal('LAB'),
  happened_at: happenedAt.optional().meta({ description: 'When the sample was taken; default now' }),
  ...labFields,
});

const traysCreate = z.object({
  id,
  kind: z.literal('FEED_TRAYS'),
  happened_at: happenedAt.optional().meta({ description: 'When the trays were looked at; default now' }),
  ...trayFields,
});

const preparationCreate = z.object({
  id,
  kind: z.literal('PREPARATION'),
  happened_at: happenedAt.optional().meta({ description: 'When it began; default now' }),
  ...preparationFields,
  amount: doseAmount.nullish(),
  unit: z.enum(PREPARATION_UNITS).nullish(),
});

/** POST /ponds/{pond_id}/records */
export const recordCreate = z.discriminatedUnion('kind', [
  treatmentCreate,
  exchangeCreate,
  noteCreate.extend({ kind: z.literal('NOTE') }),
  diseaseCreate,
  labCreate,
  traysCreate,
  preparationCreate,
]);

/** POST /farms/{farm_id}/records: what is of the whole farm. */
export const farmRecordCreate = z.object({
  id,
  kind: z.literal('METER').default('METER'),
  happened_at: happenedAt.optional().meta({ description: 'When it was read; default now' }),
  ...meterFields,
});
export type RecordCreate = z.infer<typeof recordCreate> | z.infer<typeof farmRecordCreate>;

/** POST /batches/{batch_id}/records: what is of the animals wherever they are, as a test of the larvae before they came. */
export const batchRecordCreate = z.discriminatedUnion('kind', [
  noteCreate.extend({ kind: z.literal('NOTE').optional().meta({ description: 'Default NOTE' }) }),
  diseaseCreate,
  labCreate,
]);

/** PUT /records/{record_id}: fields left out stay; those of another kind of record are refused. */
export const recordUpdate = z.object({
  pond_id: idOrNumber
    .optional()
    .describe('Of a record of a pond, notes aside, that was written down for another'),
  happened_at: happenedAt.optional(),
  text: longText.nullish(),
  product: shortText.nullish().describe('A treatment always has one'),
  product_kind: wordOf(PRODUCT_KINDS).optional(),
  product_lot: shortText.nullish(),
  amount: labFields.amount.describe(
    'Of a dose or an exchange above 0; null: of a laboratory result or a preparation without a figure',
  ),
  unit: z.enum(RECORD_UNITS).nullish(),
  responsible: shortText.nullish(),
  withdrawal_days: withdrawalDays.optional(),
  source: shortText.nullish(),
  ...healthUpdate,
  ...trayUpdate,
  ...preparationUpdate,
  ...meterUpdate,
});
export type RecordUpdate = z.infer<typeof recordUpdate>;

export const recordAnswer = z.object({
  id: z.uuid(),
  kind: z.enum(RECORD_KINDS),
  farm_id: z.uuid(),
  pond_id: z.uuid().nullable(),
  batch_id: z.uuid().nullable().describe('Of what was written down of a batch'),
  control_point_id: z.uuid().nullable(),
  happened_at: z.string(),
  text: z.string().nullable().describe('The note itself; of a treatment or an exchange why it was done'),
  product: z.string().nullable(),
  product_kind: z.enum(PRODUCT_KINDS).nullable(),
  product_lot: z.string().nullable(),
  amount: z.number().nullable(),
  unit: z.enum(RECORD_UNITS).nullable(),
  responsible: z.string().nullable(),
  withdrawal_days: z.int().nullable().describe('Of a treatment; null: not known, which is not 0'),
  harvest_from: z
    .string()
    .nullable()
    .describe(
      'First day on the farm after the whole days of the withdrawal period of a treatment; null: not known, or none',
    ),
  source: z
    .string()
    .nullable()
    .describe('Where the water of an exchange came from; the laboratory of a result'),
  ...healthAnswer,
  ...trayAnswer,
  ...preparationAnswer,
  ...meterAnswer,
  batches: z
    .array(z.object({ id: z.uuid(), batch_code: z.string() }))
    .describe('Whose animals were in the pond on that day, as far as is recorded'),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type RecordAnswer = z.infer<typeof recordAnswer>;

/** What a record says of itself that says nothing: each kind has some of it. */
export const NOTHING_TOLD = {
  product: null,
  product_kind: null,
  product_lot: null,
  amount: null,
  unit: null,
  responsible: null,
  withdrawal_days: null,
  source: null,
  signs: null,
  affected_percent: null,
  severity: null,
  disease: null,
  disease_name: null,
  sample: null,
  method: null,
  result: null,
  result_on: null,
  report_number: null,
  trays: null,
  feeding_id: null,
  step: null,
  ended_on: null,
  meter: null,
  meter_factor: null,
  meter_change: null,
};

const kind = wordOf(RECORD_KINDS).optional();
export const recordsQuery = pageQuery.extend({
  kind,
  except: kind.describe('All but this kind, such as the many looks at feeding trays'),
});

/** GET /farms/{farm_id}/products */
export const productAnswer = z.object({
  product: z.string(),
  product_kind: z.enum(PRODUCT_KINDS),
  unit: z.enum(DOSE_UNITS),
  withdrawal_days: z.int().nullable().describe('As it was last written down; null: not known'),
  last_used_at: z.string(),
});
export type ProductAnswer = z.infer<typeof productAnswer>;

/** Whether treatments keep a batch from being harvested; null where none on record does. */
export const withdrawalAnswer = z
  .object({
    harvest_from: z
      .string()
      .nullable()
      .describe('First day on the farm after every withdrawal period that is known; null: none runs'),
    is_unknown: z
      .boolean()
      .describe('A treatment is among them whose withdrawal period nobody knows: harvest_from is not sure'),
    treatments: z.array(
      z.object({
        record_id: z.uuid(),
        pond_id: z.uuid(),
        product: z.string(),
        happened_at: z.string(),
        withdrawal_days: z.int().nullable(),
        harvest_from: z.string().nullable(),
      }),
    ),
  })
  .nullable();
export type WithdrawalAnswer = z.infer<typeof withdrawalAnswer>;

/** GET /batches/{batch_id}/withdrawal */
export const withdrawalQuery = z.object({
  day: dayInput.describe('Day of the farm on which the batch is or was harvested'),
});
export const withdrawalOnDay = z.object({
  batch_id: z.uuid(),
  day: z.string(),
  withdrawal: withdrawalAnswer,
});
