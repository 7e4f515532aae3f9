import type { ScienceConstants } from './constants.ts';
import type { Species } from './survival.ts';
import { interpolate } from './temperature-factor.ts';

type Feeding = ScienceConstants['feeding'];

/**
 * Daily ration in good conditions, % of biomass per day.
 *
 * vannamei: a share (0.85) of the largest meal of Nunes & Parsons (2000). monodon: the table of
 * Chanratchakool et al. (1994), between its points on log axes, its ends held outside 0.02–35 g.
 * With the growth curves this gives 1.4 kg of feed per kg gained over a cycle to 12 g.
 *
 * @param weightG mean weight, grams; 0 or less answers the largest rate
 * @returns above 0, at most 25
 */
export function feedingRatePercent(feeding: Feeding, species: Species, weightG: number): number {
  if (weightG <= 0) return feeding.largestRatePercent;
  const ratePercent = species === 'monodon' ? monodonRate(feeding, weightG) : vannameiRate(feeding, weightG);
  return Math.min(feeding.largestRatePercent, ratePercent);
}

function vannameiRate({ vannamei }: Feeding, weightG: number): number {
  const largestMealG = vannamei.mealScale * weightG ** vannamei.mealExponent;
  return ((vannamei.rationFactor * largestMealG) / weightG) * 100;
}

function monodonRate({ monodonTable }: Feeding, weightG: number): number {
  const points = monodonTable.map((row) => ({
    at: Math.log(row.weightG),
    value: Math.log(row.ratePercent),
  }));
  return Math.exp(interpolate(points, Math.log(weightG)));
}
