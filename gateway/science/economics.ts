import { ratio } from './biomass.ts';
import type { ScienceConstants } from './constants.ts';

type Economics = ScienceConstants['economics'];

/** Money of a batch, in one currency; unrounded. */
export type BatchCosts = {
  feedCost: number;
  energyCost: number;
  /** All that is neither feed nor energy. */
  operationalCost: number;
  totalCost: number;
  /** Per cent of the total, summing to 100; null while nothing was spent. */
  feedPercent: number | null;
  energyPercent: number | null;
  operationalPercent: number | null;
};

/**
 * What a batch has cost. Feed is what was fed: an expense of category FEED is the purchase of the same feed and counts
 * only for a batch without a single feeding record.
 *
 * @param spent.fedCost sum of the feeding records; null: there are none
 */
export function batchCosts(spent: {
  fedCost: number | null;
  expenses: readonly { category: string; amount: number }[];
}): BatchCosts {
  const sumOf = (wanted: (category: string) => boolean) =>
    spent.expenses.reduce((sum, { category, amount }) => (wanted(category) ? sum + amount : sum), 0);
  const feedCost = spent.fedCost ?? sumOf((category) => category === 'FEED');
  const energyCost = sumOf((category) => category === 'ENERGY');
  const operationalCost = sumOf((category) => category !== 'FEED' && category !== 'ENERGY');
  const totalCost = feedCost + energyCost + operationalCost;
  return {
    feedCost,
    energyCost,
    operationalCost,
    totalCost,
    feedPercent: percentOf(feedCost, totalCost),
    energyPercent: percentOf(energyCost, totalCost),
    operationalPercent: percentOf(operationalCost, totalCost),
  };
}

/**
 * Cost per kg of living shrimp: also the price at which selling today breaks even. Null without biomass. While no cost was
 * recorded the sum of none is 0 and so is this; whoever shows it to people says that it is not known (`missing`).
 */
export function costPerKg(totalCost: number, biomassKg: number): number | null {
  return ratio(totalCost, biomassKg);
}

export type Profitability = {
  projectedRevenue: number;
  projectedProfit: number;
  /** Profit by revenue, per cent; null without revenue. */
  marginPercent: number | null;
  /** Profit by cost, per cent; null without cost. */
  roiPercent: number | null;
};

/** What selling the biomass (kg) today at a price per kg would leave, with what was received for some of it already. */
export function profitability(batch: {
  biomassKg: number;
  sellingPricePerKg: number;
  totalCost: number;
  sold?: { kg: number; revenue: number };
}): Profitability {
  const { kg: soldKg, revenue: received } = batch.sold ?? { kg: 0, revenue: 0 };
  const projectedRevenue = received + Math.max(0, batch.biomassKg - soldKg) * batch.sellingPricePerKg;
  const projectedProfit = projectedRevenue - batch.totalCost;
  return {
    projectedRevenue,
    projectedProfit,
    marginPercent: percentOf(projectedProfit, projectedRevenue),
    roiPercent: percentOf(projectedProfit, batch.totalCost),
  };
}

/**
 * Price of shrimp of a size, from that of another. Two Brazilian quotations carry the exponent, so it is an order of
 * magnitude: an offer of the buyer is better. Null for no weight.
 */
export function priceAtSize(
  { sizePremium }: Economics,
  known: { pricePerKg: number; weightG: number },
  weightG: number,
): number | null {
  if (weightG <= 0 || known.weightG <= 0) return null;
  return known.pricePerKg * (weightG / known.weightG) ** sizePremium.exponent;
}

function percentOf(part: number, whole: number): number | null {
  const share = ratio(part, whole);
  return share === null ? null : share * 100;
}
