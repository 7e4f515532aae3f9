import type { ExpenseCategory } from '#contract/words.ts';
import type { MissingFact } from '#science/advice/missing-words.ts';
import { type BatchCosts, batchCosts, profitability } from '#science/economics.ts';
import type { BatchState } from './batch-state.ts';
import { missingOfAnimals } from './missing-facts.ts';

/** What a batch cost, and what it made of it. Nothing is rounded. */
export type BatchMoney = {
  state: BatchState;
  costs: BatchCosts;
  /** What lives and what was harvested before: all of it bears the cost. */
  producedKg: number;
  missing: MissingFact[];
};

export type Spent = { category: ExpenseCategory; amount: number };

/** Spent on each of these batches up to an instant, by batch; one without any expense is left out. */
export type SpentByCategory = (
  batchIds: readonly string[],
  countsUntil: string,
) => Promise<ReadonlyMap<string, readonly Spent[]>>;

export function batchMoney(state: BatchState, expenses: readonly Spent[]): BatchMoney {
  const fedCost = state.feedingCount === 0 ? null : state.totalFeedCost;
  const isBought = expenses.some(({ category }) => category === 'FEED');
  return {
    state,
    costs: batchCosts({ fedCost, expenses }),
    producedKg: producedKgOf(state),
    missing: [
      ...missingOfAnimals(state),
      ...(fedCost === null && !isBought ? (['FEED'] as const) : []),
      ...(expenses.every(({ category, amount }) => category === 'FEED' || amount === 0)
        ? (['EXPENSES'] as const)
        : []),
    ],
  };
}

/** What lives of a batch, or was harvested at its end, and what was harvested before, kg. */
export const producedKgOf = ({ biomassKg, harvestedKg }: Pick<BatchState, 'biomassKg' | 'harvestedKg'>) =>
  biomassKg + harvestedKg;

/** Grams that rounding of weights may leave between what was produced and what was sold. */
const UNSOLD_KG = 0.0005;

/** What the cost of a batch is without. */
export const missingOfCost = ({ missing }: Pick<BatchMoney, 'missing'>): MissingFact[] =>
  missing.filter((each) => each === 'FEED' || each === 'EXPENSES');

/** Profit by revenue, per cent; null while anything of it lives, was not sold, or was sold at a price nobody told, or no cost was. */
export function marginOfSold({ state: { sold }, costs, producedKg }: BatchMoney): number | null {
  if (costs.totalCost === 0 || sold.kg <= 0 || producedKg - sold.kg > UNSOLD_KG) return null;
  // nothing is left to be sold at that price
  return profitability({ biomassKg: producedKg, sellingPricePerKg: 0, totalCost: costs.totalCost, sold })
    .marginPercent;
}
