import * as z from 'zod';
import { idInput, idOrNumber, instantInput, longText, ownId, shortText, warnings } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';

// What of a harvest went to one buyer in one load, and by which it is found again.

/** Part of a lot of one size; null: it was not graded by size. */
const storedClass = z.object({
  pieces_min: z.int().nullable(),
  pieces_max: z.int().nullable(),
  weight_kg: z.number(),
  price_per_kg: z.number().nullable(),
});
export type SizeClass = z.infer<typeof storedClass>;

export const harvestLot = defineResource({
  name: 'harvest_lots',
  entity: 29,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    batch_id: uuid,
    /** The partial harvest it is of; null: the final one. */
    harvest_id: uuid.nullable(),
    /** Where it was taken; null: where the harvest was. */
    pond_id: uuid.nullable(),
    lot_code: z.string(),
    harvested_at: instant,
    weight_kg: z.number(),
    /** One of the two, as it was told; null: neither was, or the other. */
    count: z.int().nullable(),
    average_weight_g: z.number().nullable(),
    classes: z.array(storedClass),
    buyer: z.string().nullable(),
    buyer_tax_id: z.string().nullable(),
    transport_document: z.string().nullable(),
    vehicle: z.string().nullable(),
    driver: z.string().nullable(),
    loading_temperature_c: z.number().nullable(),
    notes: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    lot_code: { fields: ['lot_code'] },
    // the classes are part of the weight: mixed they would be nobody's word
    taken: { fields: ['pond_id', 'harvested_at', 'weight_kg', 'count', 'average_weight_g', 'classes'] },
    buyer: { fields: ['buyer', 'buyer_tax_id'] },
    transport: { fields: ['transport_document', 'vehicle', 'driver', 'loading_temperature_c'] },
    notes: { fields: ['notes'] },
  },
  parents: { batches: 'batch_id', harvests: 'harvest_id' },
  since: 12,
});

const pieces = z.int().positive().max(100_000);
const weightKg = z.number().positive().max(1_000_000_000);
const sizeClass = z
  .object({
    pieces_min: pieces.nullish().describe('Pieces per kg: 60 of the class 60/70; left out: not graded'),
    pieces_max: pieces.nullish().describe('70 of the class 60/70'),
    weight_kg: weightKg,
    price_per_kg: z.number().min(0).max(1_000_000).nullish().describe('In place of the price of the harvest'),
  })
  .refine(({ pieces_min: least, pieces_max: most }) => (least == null) === (most == null), {
    path: ['pieces_max'],
    message: 'both pieces_min and pieces_max, or neither',
  })
  .refine(({ pieces_min: least, pieces_max: most }) => least == null || most == null || least <= most, {
    path: ['pieces_max'],
    message: 'must not be less than pieces_min',
  });

const dateInput = instantInput.describe('A bare date is the start of that day in the zone of the farm');
const lotCodeInput = shortText.describe('Unique on the farm');
const fields = {
  pond_id: idOrNumber.nullish().describe('Where it was taken, of a harvest of several ponds'),
  count: z
    .int()
    .positive()
    .max(1_000_000_000)
    .nullish()
    .describe('Animals; either this, or average_weight_g'),
  average_weight_g: z.number().positive().max(10_000).nullish(),
  buyer: shortText.nullish(),
  buyer_tax_id: shortText.nullish().describe('CNPJ, CPF, RUC or the like'),
  transport_document: shortText.nullish().describe('Number of the GTA, the invoice or the guide'),
  vehicle: shortText.nullish(),
  driver: shortText.nullish(),
  loading_temperature_c: z.number().min(-60).max(60).nullish().describe('Of the product at loading, °C'),
  notes: longText.nullish(),
};
const classes = z
  .array(sizeClass)
  .max(30)
  .describe('By size, as graded; together at most the weight of the lot');

/** POST /batches/{batch_id}/harvest-lots */
export const lotCreate = z.object({
  id: ownId,
  harvest_id: idInput.nullish().describe('The partial harvest it is of; left out: the final one'),
  lot_code: lotCodeInput.optional().meta({ description: 'Unique on the farm; default: batch, day, number' }),
  harvested_at: dateInput.optional().meta({ description: 'Default: when the harvest was' }),
  weight_kg: weightKg,
  classes: classes.optional(),
  ...fields,
});
export type LotCreate = z.infer<typeof lotCreate>;

/** PUT /harvest-lots/{lot_id}: fields left out stay. */
export const lotUpdate = z.object({
  lot_code: lotCodeInput.optional(),
  harvested_at: dateInput.optional(),
  weight_kg: weightKg.optional(),
  classes: classes.optional(),
  ...fields,
});
export type LotUpdate = z.infer<typeof lotUpdate>;

const text = z.string().nullable();

export const lotAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  batch_id: z.uuid(),
  batch_code: z.string(),
  harvest_id: z.uuid().nullable().describe('null: of the final harvest'),
  pond_id: z.uuid().nullable().describe('null: where the harvest was'),
  lot_code: z.string(),
  harvested_at: z.string(),
  weight_kg: z.number(),
  count: z.int().nullable().describe('As told, else by the mean weight'),
  average_weight_g: z.number().nullable().describe('As told, else by the count'),
  classes: z.array(storedClass).describe('Prices are null for those who may not read finance'),
  revenue: z
    .number()
    .nullable()
    .describe('Weight × price of the classes that carry one; null: none does, or the caller may not read it'),
  buyer: text,
  buyer_tax_id: text,
  transport_document: text,
  vehicle: text,
  driver: text,
  loading_temperature_c: z.number().nullable(),
  notes: text,
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type LotAnswer = z.infer<typeof lotAnswer>;
