import type { RowOf } from '#contract/resource.ts';
import type {
  CostPerKgAnswer,
  ExpenseAnswer,
  expense,
  ProfitabilityAnswer,
} from '#contract/resources/finance.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import { kilograms, money, percent } from '#core/rounding.ts';
import { type BatchCosts, costPerKg, profitability } from '#science/economics.ts';
import { type BatchMoney, batchMoney } from '../batch-money.ts';
import type { BatchState } from '../batch-state.ts';
import type { FinanceQueries } from './ports.ts';

export function expenseAnswerOf(row: RowOf<typeof expense>): ExpenseAnswer {
  return {
    id: row.id,
    batch_id: row.batch_id,
    category: row.category,
    amount: money(row.amount),
    description: row.description,
    expense_date: row.expense_date,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

export async function batchMoneyOf(
  deps: Pick<Kernel, 'now' | 'clockQuality'> & { queries: Pick<FinanceQueries, 'spentByCategory'> },
  state: BatchState,
): Promise<BatchMoney> {
  const { id } = state.batch;
  const spent = await deps.queries.spentByCategory([id], countsUntil(deps));
  return batchMoney(state, spent.get(id) ?? []);
}

export function costPerKgAnswerOf({ state, costs, producedKg, missing }: BatchMoney): CostPerKgAnswer {
  return {
    batch_id: state.batch.id,
    batch_number: state.batch.batch_code,
    estimated_biomass_kg: kilograms(producedKg),
    total_feed_cost: money(costs.feedCost),
    total_operational_cost: money(costs.operationalCost),
    total_energy_cost: money(costs.energyCost),
    total_cost: money(costs.totalCost),
    cost_per_kg: money(costPerKg(costs.totalCost, producedKg)),
    breakdown: breakdownOf(costs),
    feed_cost_source: state.feedingCount === 0 ? 'FEED_EXPENSES' : 'FEEDING_RECORDS',
    harvested_kg: kilograms(state.harvestedKg),
    missing,
  };
}

export function profitabilityAnswerOf(
  { state, costs, producedKg, missing }: BatchMoney,
  sellingPricePerKg: number,
): ProfitabilityAnswer {
  const { totalCost } = costs;
  const made = profitability({
    biomassKg: producedKg,
    sellingPricePerKg,
    totalCost,
    sold: state.sold,
  });
  const perKg = money(costPerKg(totalCost, producedKg));
  return {
    batch_id: state.batch.id,
    estimated_biomass_kg: kilograms(producedKg),
    cost_per_kg: perKg,
    selling_price_per_kg: money(sellingPricePerKg),
    total_cost: money(totalCost),
    projected_revenue: money(made.projectedRevenue),
    projected_profit: money(made.projectedProfit),
    profit_margin_percentage: percent(made.marginPercent),
    roi_percentage: percent(made.roiPercent),
    // no price breaks even with what nobody recorded
    break_even_price_per_kg: totalCost === 0 ? null : perKg,
    ...(state.sold.kg === 0
      ? {}
      : { sold_kg: kilograms(state.sold.kg), received_revenue: money(state.sold.revenue) }),
    ...(state.sold.byLots === 0 ? {} : { received_by_lots: money(state.sold.byLots) }),
    missing,
  };
}

/** Shares of the cost that sum to 100 also when rounded: what rounding leaves goes to the largest remainders. */
function breakdownOf(costs: BatchCosts): CostPerKgAnswer['breakdown'] {
  const { feedPercent, operationalPercent, energyPercent } = costs;
  if (feedPercent === null || operationalPercent === null || energyPercent === null)
    return { feed_percentage: null, operational_percentage: null, energy_percentage: null };
  const hundredths = [feedPercent, operationalPercent, energyPercent].map((share) => share * 100);
  const whole = hundredths.map((share) => Math.floor(share + 1e-9));
  const missing = Math.max(0, 10_000 - whole.reduce((sum, share) => sum + share, 0));
  const takers = hundredths
    .map((share, i) => ({ i, remainder: share - (whole[i] ?? 0) }))
    .toSorted((a, b) => b.remainder - a.remainder)
    .slice(0, missing)
    .map(({ i }) => i);
  const [feed = 0, operational = 0, energy = 0] = whole.map((share, i) =>
    percent((share + (takers.includes(i) ? 1 : 0)) / 100),
  );
  return { feed_percentage: feed, operational_percentage: operational, energy_percentage: energy };
}
