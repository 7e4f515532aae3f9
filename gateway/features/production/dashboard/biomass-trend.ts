import type { BiomassTrend } from '#contract/resources/dashboard.ts';
import { grams, kilograms } from '#core/rounding.ts';
import { localDay, startOfDay } from '#core/zone-clock.ts';
import type { BatchHistory } from '../batch-state.ts';

/** What a batch weighed from stocking on, as far as somebody weighed it. */
export function biomassTrendOf({ state, weighings, stockAt }: BatchHistory): BiomassTrend {
  const { batch, timezone } = state;
  const stocking = {
    date: batch.start_date,
    days_in_production: 0,
    at: startOfDay(batch.start_date, timezone),
  };
  const weighed = weighings.map(({ measurement_date: at, measurementDay }) => ({
    date: localDay(at, timezone),
    days_in_production: measurementDay,
    at,
  }));
  const points = [stocking, ...weighed].map(({ at, ...day }) => {
    const { biomassKg, weightG } = stockAt(at);
    return { ...day, biomass_kg: kilograms(biomassKg), average_weight_g: grams(weightG) };
  });
  const harvestedAt = batch.status === 'FINISHED' ? batch.actual_harvest_date : null;
  if (harvestedAt !== null) {
    points.push({
      date: localDay(harvestedAt, timezone),
      days_in_production: state.daysActive,
      biomass_kg: kilograms(state.biomassKg),
      average_weight_g: grams(state.currentWeightG),
    });
  }
  return { batch_id: batch.id, batch_number: batch.batch_code, data_points: points };
}
