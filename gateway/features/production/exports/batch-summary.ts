import type { BatchSummary } from '#contract/resources/exports.ts';
import { grams, kilograms, money, percent, ratio } from '#core/rounding.ts';
import { localDay } from '#core/zone-clock.ts';
import { endOf } from '../batch-in-pond.ts';
import type { BatchState } from '../batch-state.ts';
import type { BatchCosts } from './ports.ts';

/** A batch in one line of figures. `costs` null: whoever asks does not see money. */
export function summaryOf(state: BatchState, costs: BatchCosts | null): BatchSummary {
  const { batch } = state;
  return {
    batch_id: batch.numeric_id,
    batch_name: batch.batch_code,
    species: batch.species,
    start_date: batch.start_date,
    end_date: endDayOf(state),
    status: batch.status,
    initial_population: batch.initial_count,
    current_population: state.population,
    ...endOf(state),
    survival_rate: percent(state.survivalRate),
    total_feed_kg: kilograms(state.totalFeedKg),
    current_biomass_kg: kilograms(state.biomassKg),
    fcr: ratio(state.fca),
    average_weight_g: grams(state.currentWeightG),
    days_of_culture: state.daysActive,
    cost_per_kg: money(costs?.costPerKg ?? null),
  };
}

/** Day of the harvest on the farm; null while the batch goes on. */
export function endDayOf({ batch, timezone }: BatchState): string | null {
  return batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, timezone);
}
