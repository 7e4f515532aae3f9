import * as z from 'zod';
import { idOrNumber, instantInput, longText, ownId, warnings } from '../fields.ts';
import { defineResource, instant, uuid } from '../resource.ts';

/** Animals of a batch moved from one pond to another. */
export const transfer = defineResource({
  name: 'transfers',
  entity: 20,
  sync: 'editable',
  row: z.object({
    id: uuid,
    numeric_id: z.int(),
    batch_id: uuid,
    source_pond_id: uuid,
    destination_pond_id: uuid,
    quantity: z.int(),
    /** Grams; null: the batch had not been weighed. */
    average_weight: z.number().nullable(),
    transfer_date: instant,
    reason: z.string().nullable(),
    notes: z.string().nullable(),
    /** The merge of two instances left it without enough animals in its source pond. */
    contested: z.boolean(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    moved: { fields: ['source_pond_id', 'destination_pond_id', 'quantity', 'transfer_date'] },
    average_weight: { fields: ['average_weight'] },
    words: { fields: ['reason', 'notes'] },
    contested: { fields: ['contested'] },
  },
  parents: { batches: 'batch_id' },
  goesBy: 'parent',
});

const quantity = z.int().positive().max(1_000_000_000).describe('Animals moved');
const averageWeight = z.number().positive().max(1_000).describe('Grams');
const transferDate = instantInput.describe('A bare date is the start of that day in the zone of the farm');

export const transferCreate = z.object({
  id: ownId,
  batch_id: idOrNumber,
  source_pond_id: idOrNumber,
  destination_pond_id: idOrNumber,
  quantity,
  average_weight: averageWeight
    .nullish()
    .describe('Grams; default: what the batch weighed there on transfer_date'),
  transfer_date: transferDate.nullish().describe('Default: now'),
  reason: longText.nullish(),
  notes: longText.nullish(),
});
export type TransferCreate = z.infer<typeof transferCreate>;

export const transferUpdate = z.object({
  source_pond_id: idOrNumber.optional(),
  destination_pond_id: idOrNumber.optional(),
  quantity: quantity.optional(),
  average_weight: averageWeight.nullish(),
  transfer_date: transferDate.optional(),
  reason: longText.nullish(),
  notes: longText.nullish(),
});
export type TransferUpdate = z.infer<typeof transferUpdate>;

const named = z.object({ id: z.int(), name: z.string(), uuid: z.uuid() });

export const transferAnswer = z.object({
  id: z.int(),
  uuid: z.uuid(),
  source_pond_id: z.int(),
  destination_pond_id: z.int(),
  batch_id: z.int(),
  quantity: z.int(),
  average_weight: z.number().nullable(),
  biomass_transferred: z.number().nullable().describe('kg'),
  transfer_date: z.string(),
  reason: z.string().nullable(),
  notes: z.string().nullable(),
  contested: z
    .boolean()
    .describe('Two instances moved the same animals: correct or delete one of the transfers'),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  created_by: z.int().nullable(),
  updated_at: z.string().nullable(),
  warnings,
});
export type TransferAnswer = z.infer<typeof transferAnswer>;

export const transferDetail = transferAnswer.omit({ warnings: true }).extend({
  source_pond: named,
  destination_pond: named,
  batch: named,
  created_by: named.nullable(),
});
export type TransferDetail = z.infer<typeof transferDetail>;

export const transferPage = z.object({
  items: z.array(transferAnswer),
  total: z.int(),
  skip: z.int(),
  limit: z.int(),
});

export const transferHistory = z.object({
  batch_id: z.int(),
  batch_name: z.string(),
  total_transfers: z.int(),
  total_quantity_moved: z.int(),
  history: z.array(
    z.object({
      id: z.int(),
      date: z.string(),
      from: z.string(),
      to: z.string(),
      from_pond_id: z.int(),
      to_pond_id: z.int(),
      quantity: z.int(),
      average_weight: z.number().nullable(),
      reason: z.string().nullable(),
    }),
  ),
  current_locations: z.array(z.object({ pond_id: z.int(), pond_name: z.string(), quantity: z.int() })),
});
export type TransferHistory = z.infer<typeof transferHistory>;
