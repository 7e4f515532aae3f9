export const EFFICIENCY_RATINGS = ['EXCELLENT', 'GOOD', 'ACCEPTABLE', 'POOR'] as const;
export type EfficiencyRating = (typeof EFFICIENCY_RATINGS)[number];

/** Biomass of a number of animals, kg; never below 0. Unrounded. */
export function biomassKg(animals: number, averageWeightG: number): number {
  return Math.max(0, (animals * averageWeightG) / 1000);
}

/**
 * What a batch has grown since stocking, kg. Harvested shrimp were grown too; every stocked animal counts at the start,
 * so that young batches whose survival estimate is applied from day 0 show a loss.
 */
export function biomassGainedKg(batch: {
  currentKg: number;
  partialHarvestsKg: number;
  initialKg: number;
}): number {
  return batch.currentKg + batch.partialHarvestsKg - batch.initialKg;
}

/** Below it a conversion is shown as 0.00: a batch that was fed and whose feed was not recorded. */
const LEAST_FCA = 0.005;

/**
 * Feed conversion: kg of feed per kg gained. Null, never 0, when no feed was recorded or nothing was gained: a zero
 * would be rated excellent.
 *
 * The final FCA is the same figure with the harvested weight as `currentKg` in the gain. Brazilian practice often quotes
 * feed per harvested biomass instead, 5–10 % lower with juveniles of 1 g.
 */
export function feedConversion(totalFeedKg: number, gainedKg: number): number | null {
  if (!(totalFeedKg > 0) || !(gainedKg > 0)) return null;
  const fca = totalFeedKg / gainedKg;
  return Number.isFinite(fca) && fca >= LEAST_FCA ? fca : null;
}

/** EXCELLENT below 1.5, GOOD to 2.0, ACCEPTABLE to 2.5, POOR above; from the unrounded FCA. Null without one. */
export function efficiencyRating(fca: number | null): EfficiencyRating | null {
  if (fca === null) return null;
  if (fca < 1.5) return 'EXCELLENT';
  if (fca <= 2) return 'GOOD';
  return fca <= 2.5 ? 'ACCEPTABLE' : 'POOR';
}

/** kg per m² of pond; null without a surface. */
export function biomassPerM2(kg: number, areaM2: number | null): number | null {
  return ratio(kg, areaM2 ?? 0);
}

/** kg per m³ of water; null without surface or depth. */
export function biomassPerM3(
  kg: number,
  pond: { areaM2: number | null; depthM: number | null },
): number | null {
  return ratio(kg, (pond.areaM2 ?? 0) * (pond.depthM ?? 0));
}

/** One figure by another; null where the other is 0 or negative. */
export function ratio(one: number, by: number): number | null {
  return by > 0 ? one / by : null;
}
