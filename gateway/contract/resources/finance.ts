import * as z from 'zod';
import {
  dayInput,
  idOrNumber,
  instantInput,
  longText,
  numberInQuery,
  ownId,
  warnings,
  wordOf,
} from '../fields.ts';
import { missingFacts } from '../missing-facts.ts';
import { defineResource, instant, uuid } from '../resource.ts';
import { EXPENSE_CATEGORIES } from '../words.ts';
import { withdrawalAnswer } from './farm-records.ts';

/** Money spent on a batch, in the currency of the owner's subscription. */
export const expense = defineResource({
  name: 'expenses',
  entity: 21,
  sync: 'editable',
  lane: 'history',
  row: z.object({
    id: uuid,
    batch_id: uuid,
    category: z.enum(EXPENSE_CATEGORIES),
    amount: z.number(),
    description: z.string(),
    expense_date: instant,
    created_by: uuid.nullable(),
    clock_quality: z.enum(['trusted', 'estimated']),
    created_at: instant,
    updated_at: instant.nullable(),
  }),
  groups: {
    spent: { fields: ['category', 'amount', 'expense_date'] },
    description: { fields: ['description'] },
  },
  parents: { batches: 'batch_id' },
  goesBy: 'parent',
});

const amount = z.number().min(0).max(1_000_000_000_000);
const expenseDate = instantInput.describe('A bare date is the start of that day in the zone of the farm');
const category = wordOf(EXPENSE_CATEGORIES);

export const expenseCreate = z.object({
  id: ownId,
  batch_id: idOrNumber,
  category,
  amount,
  description: longText,
  expense_date: expenseDate,
});
export type ExpenseCreate = z.infer<typeof expenseCreate>;

export const expenseUpdate = z.object({
  category: category.optional(),
  amount: amount.optional(),
  description: longText.optional(),
  expense_date: expenseDate.optional(),
});
export type ExpenseUpdate = z.infer<typeof expenseUpdate>;

export const expenseAnswer = z.object({
  id: z.uuid(),
  batch_id: z.uuid(),
  category: z.enum(EXPENSE_CATEGORIES),
  amount: z.number(),
  description: z.string(),
  expense_date: z.string(),
  clock_quality: z.enum(['trusted', 'estimated']),
  created_at: z.string(),
  updated_at: z.string().nullable(),
  warnings,
});
export type ExpenseAnswer = z.infer<typeof expenseAnswer>;

const figure = z.number().nullable();

export const costPerKgAnswer = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  estimated_biomass_kg: z.number().describe('Produced so far: what lives, and what was harvested'),
  total_feed_cost: z.number(),
  total_operational_cost: z.number(),
  total_energy_cost: z.number(),
  total_cost: z.number().describe('Of what was recorded; `missing` tells what was not'),
  cost_per_kg: figure.describe('null: no biomass, or no cost was recorded'),
  breakdown: z.object({
    feed_percentage: figure,
    operational_percentage: figure,
    energy_percentage: figure,
  }),
  feed_cost_source: z
    .enum(['FEEDING_RECORDS', 'FEED_EXPENSES'])
    .describe('Expenses of category FEED count only while the batch has no feeding record'),
  harvested_kg: z.number(),
  missing: missingFacts,
});
export type CostPerKgAnswer = z.infer<typeof costPerKgAnswer>;

const pricePerKg = numberInQuery(z.number().min(0).max(1_000_000));

export const profitabilityQuery = z.object({ selling_price_per_kg: pricePerKg });

export const profitabilityAnswer = z.object({
  batch_id: z.uuid(),
  estimated_biomass_kg: z.number(),
  cost_per_kg: figure,
  selling_price_per_kg: z.number(),
  total_cost: z.number(),
  projected_revenue: z.number().describe('What was received, and the rest of the biomass at the asked price'),
  projected_profit: figure.describe('null, as margin and return: no cost was recorded'),
  profit_margin_percentage: figure,
  roi_percentage: figure,
  break_even_price_per_kg: figure.describe(
    'Price at which revenue equals cost; null: no biomass, or no cost was recorded',
  ),
  sold_kg: z
    .number()
    .optional()
    .describe('Harvested and sold at a price that was recorded; left out while nothing was'),
  received_revenue: z.number().optional(),
  received_by_lots: z
    .number()
    .optional()
    .describe('Part of received_revenue, at the prices of the size classes of harvest lots'),
  missing: missingFacts,
});
export type ProfitabilityAnswer = z.infer<typeof profitabilityAnswer>;

/** The contract's cost of a day, where nobody tells one. */
export const ASSUMED_DAILY_COST = 100;

export const optimalHarvestQuery = z.object({
  market_price_per_kg: pricePerKg,
  daily_operational_cost: numberInQuery(z.number().min(0).max(1_000_000_000))
    .optional()
    .meta({ default: ASSUMED_DAILY_COST }),
});

const energyEstimate = z.object({
  kwh_per_day: z.number(),
  cost_per_day: z.number().describe('At the tariff of the farm (its science settings)'),
  source: z
    .enum(['REPORTS', 'NONE'])
    .describe(
      'REPORTS: power of the aerators × hours their control points reported ON; NONE: nothing reports',
    ),
  days: z.int().describe('Days looked back'),
  kwh_per_tonne: figure.describe(
    'Since stocking, for each tonne the batch has gained; null: nothing reports, or nothing was gained',
  ),
  kwh_per_tonne_usual: z.number().describe('The mean of those ponds'),
  kwh_per_tonne_rating: z
    .enum(['BELOW_USUAL', 'USUAL', 'ABOVE_USUAL'])
    .nullable()
    .describe('Beside Thai ponds, 3,806 to 6,806 kWh per tonne (Boyd & McNevin)'),
});

export const optimalHarvestAnswer = z.object({
  batch_id: z.uuid(),
  batch_number: z.string(),
  recommendation: z.enum(['CONTINUE', 'HARVEST_NOW', 'MONITOR']),
  explanation: z.string(),
  analysis: z.object({
    current_weight_g: z.number(),
    expected_daily_growth_g: z.number(),
    current_biomass_kg: z.number(),
    daily_biomass_gain_kg: z.number(),
    daily_growth_revenue: z.number(),
    daily_operational_cost: z.number(),
    net_daily_profit: z.number(),
  }),
  suggestion: z.string(),
  confidence: figure.describe(
    'Chance in percent that the true growth lies on the side of the recommendation; null: not measured, or feed on record turns it',
  ),
  break_even_price_per_kg: figure.describe('Price at which another day just pays; null: nothing grows'),
  last_biometry_days_ago: z.int().nullable(),
  energy_estimate: energyEstimate.describe(
    'Of the ponds of the batch, lately; not part of daily_operational_cost',
  ),
  partial_harvest: z
    .object({
      share_percent: z.number(),
      quantity: z.int(),
      biomass_kg: z.number(),
      revenue: z.number(),
      remaining_biomass_kg: z.number(),
    })
    .describe('What taking a part now would bring, and leave'),
  price_by_size: z
    .array(z.object({ days: z.int(), weight_g: z.number(), price_per_kg: z.number() }))
    .describe(
      'What larger shrimp would fetch if the price asked is that of today’s size: by two Brazilian quotations of 2017, an order of magnitude; empty: nothing grows',
    ),
  withdrawal: withdrawalAnswer,
  missing: missingFacts,
});
export type OptimalHarvestAnswer = z.infer<typeof optimalHarvestAnswer>;

export const energyQuery = z.object({
  start_date: dayInput.optional().describe('Day of the farm; default six days before end_date'),
  end_date: dayInput.optional().describe('Day of the farm, inclusive; default today'),
});

const energyFigures = { kwh: z.number(), cost: z.number() };

export const energyAnswer = z.object({
  farm_id: z.uuid(),
  start_date: z.string(),
  end_date: z.string(),
  tariff_per_kwh: z.number(),
  source: z.enum(['REPORTS', 'NONE']),
  unmeasured_kw: z.number().describe('Power of aerators of which no control point reports when they run'),
  total_kwh: z.number(),
  total_cost: z.number(),
  days: z.array(
    z.object({
      date: z.string(),
      ...energyFigures,
      discounted_kwh: z.number().describe('Used in hours with a discount'),
    }),
  ),
  ponds: z.array(
    z.object({
      pond_id: z.uuid(),
      pond_cod: z.string(),
      power_kw: z.number(),
      hours_on: z.number(),
      ...energyFigures,
    }),
  ),
});
export type EnergyAnswer = z.infer<typeof energyAnswer>;
