import type { ScienceConstants } from './constants.ts';

type Feeding = ScienceConstants['feeding'];

export interface PlannedMeal {
  /** Local time of the farm, HH:MM. */
  time: string;
  /** Share of the day's ration, %. */
  percent: number;
}

export interface Meal extends PlannedMeal {
  quantityKg: number;
}

/**
 * The meals of a day for shrimp of this weight. Small shrimp eat little and often; from 3 g
 * four meals do as well as six (trials with P. monodon); in cool water three, in the warm hours.
 *
 * @param temperatureC today's water temperature, °C; null when it is not known
 */
export function mealPlan(
  feeding: Feeding,
  weightG: number,
  temperatureC: number | null,
): readonly PlannedMeal[] {
  if (temperatureC !== null && temperatureC < feeding.coolWater.belowC) {
    return feeding.coolWater.meals;
  }
  return feeding.mealPlans.findLast((plan) => weightG >= plan.fromWeightG)?.meals ?? [];
}

/** Feed as it is weighed out, kg: to 10 g, and below a kilogram, for a nursery, to the gram. */
export function weighedFeedKg(kg: number): number {
  const units = unitsPerKg(kg);
  return Math.round(kg * units) / units;
}

const unitsPerKg = (kg: number): number => (kg < 1 ? 1000 : 100);

/**
 * Quantities of the meals, kg as they are weighed out. They sum exactly to the day's ration
 * (rounded likewise): the last meal takes what rounding left.
 */
export function feedingSchedule(plan: readonly PlannedMeal[], rationKg: number): Meal[] {
  // In whole units, so that the sum is exact.
  const units = unitsPerKg(rationKg);
  const ration = Math.round(rationKg * units);
  let left = ration;
  return plan.map(({ time, percent }, meal) => {
    const isLast = meal === plan.length - 1;
    // A ration of a few grams rounds up more often than there is feed.
    const quantity = isLast ? left : Math.min(left, Math.round((ration * percent) / 100));
    left -= quantity;
    return { time, percent, quantityKg: quantity / units };
  });
}
