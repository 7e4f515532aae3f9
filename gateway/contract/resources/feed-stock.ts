import * as z from 'zod';
import {
  dayInput,
  instantInput,
  longText,
  ownId,
  pageQuery,
  shortText,
  warnings,
  wordOf,
} from '../fields.ts';
import { defineResource, instant, localDate, uuid } from '../resource.ts';

// Feed as it comes to the farm and as it is counted; what is used follows from the feeding records.

export const STOCK_KINDS = ['DELIVERY', 'COUNT'] as const;
export type StockKind = (typeof STOCK_KINDS)[number];

export const feedStockEntry = defineResource({
  name: 'feed_stock',
  entity: 28,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    farm_id: uuid,
    kind: z.enum(STOCK_KINDS),
    happened_at: instant,
    product: z.string(),
    /** Of a count: that lot alone was counted; null: all of the product. */
    lot: z.string().nullable(),
    quantity_kg: z.number(),
    /** As it was written down, where it came in bags; `quantity_kg` is their product. */
    bags: z.number().nullable(),
    bag_kg: z.number().nullable(),
    protein_percent: z.number().nullable(),
    pellet_mm: z.number().nullable(),
    price_per_kg: z.number().nullable(),
    supplier: z.string().nullable(),
    /** Last day of use. */
    expires_on: localDate.nullable(),
    notes: z.string().nullable(),
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    stood: { fields: ['happened_at', 'product', 'lot', 'quantity_kg', 'bags', 'bag_kg'] },
    feed: { fields: ['protein_percent', 'pellet_mm'] },
    expires_on: { fields: ['expires_on'] },
    price_per_kg: { fields: ['price_per_kg'] },
    supplier: { fields: ['supplier'] },
    notes: { fields: ['notes'] },
  },
  parents: { farms: 'farm_id' },
  goesBy: 'parent',
  since: 12,
});

const happenedAt = instantInput.describe('A bare date is the start of that day in the zone of the farm');
const kg = z.number().positive().max(10_000_000);
const bags = z.number().positive().max(1_000_000);
const bagKg = z.number().positive().max(10_000).describe('kg in a bag');

const deliveryFields = {
  protein_percent: z.number().min(0).max(100).nullish(),
  pellet_mm: z.number().positive().max(50).nullish().describe('Size of the pellets'),
  price_per_kg: z.number().min(0).max(1_000_000).nullish(),
  supplier: shortText.nullish(),
  expires_on: dayInput.nullish().describe('Last day of use, as on the bag'),
};

const deliveryCreate = z.object({
  id: ownId,
  kind: z.literal('DELIVERY'),
  happened_at: happenedAt.optional().meta({ description: 'Default now' }),
  product: shortText.describe('Feedings that name it as their feed_type are taken of it'),
  lot: shortText.nullish(),
  quantity_kg: kg.optional().describe('Either this, or bags and bag_kg'),
  bags: bags.nullish(),
  bag_kg: bagKg.nullish(),
  ...deliveryFields,
  notes: longText.nullish(),
});
const countCreate = z.object({
  id: ownId,
  kind: z.literal('COUNT'),
  happened_at: happenedAt.optional().meta({ description: 'Default now' }),
  product: shortText,
  lot: shortText.nullish().describe('That lot alone was counted; by default all of the product'),
  quantity_kg: z.number().min(0).max(10_000_000).describe('What is there'),
  notes: longText.nullish(),
});

/** POST /farms/{farm_id}/feed-stock/entries */
export const stockEntryCreate = z.discriminatedUnion('kind', [deliveryCreate, countCreate]);
export type StockEntryCreate = z.infer<typeof stockEntryCreate>;

/** PUT /feed-stock/{entry_id}: fields left out stay; a count has none of a delivery. */
export const stockEntryUpdate = z.object({
  happened_at: happenedAt.optional(),
  product: shortText.optional(),
  lot: shortText.nullish(),
  quantity_kg: z
    .number()
    .min(0)
    .max(10_000_000)
    .optional()
    .describe('Of a delivery in bags: they are no longer told'),
  bags: bags.nullish(),
  bag_kg: bagKg.nullish(),
  ...deliveryFields,
  notes: longText.nullish(),
});
export type StockEntryUpdate = z.infer<typeof stockEntryUpdate>;

export const stockEntryAnswer = z.object({
  id: z.uuid(),
  farm_id: z.uuid(),
  kind: z.enum(STOCK_KINDS),
  happened_at: z.string(),
  product: z.string(),
  lot: z.string().nullable(),
  quantity_kg: z.number().describe('Delivered, or counted'),
  bags: z.number().nullable(),
  bag_kg: z.number().nullable(),
  protein_percent: z.number().nullable(),
  pellet_mm: z.number().nullable(),
  price_per_kg: z.number().nullable(),
  total_cost: z.number().nullable(),
  supplier: z.string().nullable(),
  expires_on: z.string().nullable(),
  notes: z.string().nullable(),
  left_kg: z.number().nullable().describe('What is left of a delivery; null: of a count, or still to come'),
  expected_kg: z.number().nullable().describe('Of a count: what the books said'),
  difference_kg: z.number().nullable().describe('Of a count: what there was more than that'),
  created_by: z.uuid().nullable(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type StockEntryAnswer = z.infer<typeof stockEntryAnswer>;

export const stockEntriesQuery = pageQuery.extend({ kind: wordOf(STOCK_KINDS).optional() });

const days = z.number().nullable();

/** GET /farms/{farm_id}/feed-stock */
export const feedStockAnswer = z.object({
  farm_id: z.uuid(),
  left_kg: z.number(),
  daily_use_kg: z.number().describe('Of the last 7 days'),
  coming_ration_kg: z
    .number()
    .describe('What the active batches eat in a day at their present weight, in good conditions'),
  days_left: days.describe('The least by either rate; null: nothing is fed'),
  warn_days: z.int().describe('A product that lasts fewer days is warned of (setting feedStock.warnDays)'),
  products: z.array(
    z.object({
      product: z.string(),
      newest_entry_id: z.uuid().describe('Its last delivery or count'),
      received_kg: z.number(),
      corrected_kg: z.number().describe('By counts'),
      used_kg: z.number().describe('By the feeding records since the first entry of the product'),
      left_kg: z.number().describe('Below 0: more was fed than is known to have been there'),
      daily_use_kg: z.number(),
      days_left_by_use: days,
      days_left_by_ration: days.describe(
        'Its share of the coming rations is that of the last 7 days; where nothing was fed, that of what is left',
      ),
      days_left: days,
      is_low: z.boolean(),
      lots: z
        .array(
          z.object({
            entry_id: z.uuid(),
            lot: z.string().nullable(),
            since: z.string(),
            expires_on: z.string().nullable(),
            is_expired: z.boolean(),
            left_kg: z.number(),
          }),
        )
        .describe('Of which something is left, oldest first'),
    }),
  ),
});
export type FeedStockAnswer = z.infer<typeof feedStockAnswer>;
