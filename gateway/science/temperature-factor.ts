import type { ScienceConstants } from './constants.ts';

type Growth = ScienceConstants['growth'];

/**
 * Growth at a daily mean water temperature, relative to growth at 28 °C.
 *
 * Cardinal-temperature curve (Rosso type) with its minimum, optimum and maximum calibrated on:
 * feed and growth optimum 29–31 °C (Skretting), culture range 26–33 °C (Wickins & Lee 2008),
 * no extra growth at 33 °C (Limsuwan & Ching).
 *
 * @param temperatureC °C; at and outside 15–38 °C nothing grows
 * @returns 0 to about 1.05
 */
export function temperatureFactor(growth: Growth, temperatureC: number): number {
  return cardinal(growth, temperatureC) / cardinal(growth, growth.temperature.referenceC);
}

function cardinal({ temperature }: Growth, t: number): number {
  const { minimumC, optimumC, maximumC } = temperature;
  if (t <= minimumC || t >= maximumC) return 0;
  const span = optimumC - minimumC;
  return (
    ((t - maximumC) * (t - minimumC) ** 2) /
    (span * (span * (t - optimumC) - (optimumC - maximumC) * (optimumC + minimumC - 2 * t)))
  );
}

/**
 * The age of a batch in days at 28 °C ("warm days") at the start of each day, from the pond's
 * daily mean temperatures since stocking. Element d is the warm age on day d; element 0 is 0,
 * so the answer is one longer than the input.
 *
 * A day without a reading takes the mean of the last seven measured days, and 28 °C before the
 * first. When fewer than half of the days were measured, every day counts as one: the curve of
 * a farm that rarely measures must not jump with each reading.
 *
 * @param dailyMeansC °C by day of the batch, null where nothing was measured
 */
export function warmDaysByDay(growth: Growth, dailyMeansC: readonly (number | null)[]): number[] {
  const measuredDays = dailyMeansC.filter((mean) => mean !== null).length;
  const followsTemperature =
    measuredDays > 0 && measuredDays >= growth.temperatureLeastMeasuredShare * dailyMeansC.length;
  const ages = [0];
  const lastMeasured: number[] = [];
  let age = 0;
  for (const mean of dailyMeansC) {
    if (mean !== null) {
      lastMeasured.push(mean);
      if (lastMeasured.length > growth.temperatureFillDays) lastMeasured.shift();
    }
    const temperatureC = mean ?? meanOf(lastMeasured);
    age += followsTemperature && temperatureC !== null ? temperatureFactor(growth, temperatureC) : 1;
    ages.push(age);
  }
  return ages;
}

function meanOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

interface Point {
  at: number;
  value: number;
}

/**
 * Reads a table between its points on a straight line; outside the table the nearest end holds.
 *
 * @param points at least one, in rising order of `at`; an empty table answers NaN
 */
export function interpolate(points: readonly Point[], at: number): number {
  let before: Point | undefined;
  for (const point of points) {
    if (at <= point.at) {
      if (before === undefined) return point.value;
      const share = (at - before.at) / (point.at - before.at);
      return before.value + share * (point.value - before.value);
    }
    before = point;
  }
  return before?.value ?? Number.NaN;
}
