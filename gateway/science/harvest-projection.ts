import type { ScienceConstants } from './constants.ts';
import { daysToReach, expectedWeightG, pondCurve, type WeightAtAge } from './growth.ts';
import type { Species } from './species.ts';

type Growth = ScienceConstants['growth'];

export interface HarvestProjection {
  /** Age of the batch at harvest, days since stocking; null when the target is out of reach. */
  harvestDay: number | null;
  /** Mean weight then, grams, at the pond's own pace; null with `harvestDay`. */
  harvestWeightG: number | null;
  isPlanned: boolean;
  targetWeightG: number;
  /** Age at which the target weight is reached; today's age when it already was. */
  targetDay: number | null;
}

/**
 * When a batch is harvested and how heavy it is then: on its planned day, else on the day it
 * reaches the usual harvest weight of its species at the pond's own pace. A day already gone
 * (a target passed, a plan overrun) becomes today.
 *
 * @param batch ages in days since stocking; `plannedHarvestDay` null when no date was set
 */
export function projectHarvest(
  growth: Growth,
  species: Species,
  batch: {
    initialWeightG: number;
    lastWeighing: WeightAtAge | null;
    today: number;
    plannedHarvestDay: number | null;
  },
): HarvestProjection {
  const curve = pondCurve(growth, species, batch);
  const from = batch.lastWeighing ?? { day: 0, weightG: batch.initialWeightG };
  const targetWeightG = growth.harvestWeightG[species];
  const daysToTarget = daysToReach(curve, from.weightG, targetWeightG);
  const targetDay = daysToTarget === null ? null : Math.max(batch.today, Math.ceil(from.day + daysToTarget));
  const harvestDay =
    batch.plannedHarvestDay === null ? targetDay : Math.max(batch.today, batch.plannedHarvestDay);
  const grownG = harvestDay === null ? null : expectedWeightG(curve, from.weightG, harvestDay - from.day);
  return {
    harvestDay,
    // What was weighed is never capped away; only the promise is.
    harvestWeightG:
      grownG === null ? null : Math.max(from.weightG, Math.min(growth.largestProjectedWeightG, grownG)),
    isPlanned: batch.plannedHarvestDay !== null,
    targetWeightG,
    targetDay,
  };
}
