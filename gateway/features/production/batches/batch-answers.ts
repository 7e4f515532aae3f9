import type { BatchAnswer, BatchDetail, BatchFinished, HarvestAnswer } from '#contract/resources/batches.ts';
import { grams, kilograms, money, percent, ratio } from '#core/rounding.ts';
import { biomassKgIn, endOf, weighingIn, weightIn } from '../batch-in-pond.ts';
import type { Batch, BatchState } from '../batch-state.ts';
import type { Finished } from './end-batch.ts';
import type { Harvest } from './ports.ts';

export function batchToAnswer(
  batch: Omit<Batch, 'rev'>,
  { survivalRate, daysActive }: { survivalRate: number; daysActive: number },
): BatchAnswer {
  return {
    id: batch.id,
    numeric_id: batch.numeric_id,
    farm_id: batch.farm_id,
    pond_id: batch.pond_id,
    batch_code: batch.batch_code,
    batch_number: batch.batch_code,
    batch_name: batch.batch_code,
    species: batch.species,
    lineage: batch.lineage,
    larva_origin: batch.larva_origin,
    start_date: batch.start_date,
    expected_harvest_date: batch.expected_harvest_date,
    actual_harvest_date: batch.actual_harvest_date,
    initial_count: batch.initial_count,
    initial_avg_weight: batch.initial_avg_weight,
    initial_density: batch.initial_density,
    estimated_survival_rate: percent(survivalRate),
    survival_rate: percent(survivalRate),
    survival_rate_at_stocking: percent(batch.estimated_survival_rate),
    status: batch.status,
    final_weight_kg: batch.final_weight_kg,
    end_reason: batch.end_reason,
    notes: batch.notes,
    days_active: daysActive,
    clock_quality: batch.clock_quality,
    created_at: batch.created_at,
    updated_at: batch.updated_at,
  };
}

export function detailToAnswer(state: BatchState): BatchDetail {
  const { latestBiometry } = state;
  return {
    ...batchToAnswer(state.batch, state),
    current_biomass_kg: kilograms(state.biomassKg),
    ...endOf(state),
    current_fca: ratio(state.fca),
    latest_biometry:
      latestBiometry === null
        ? null
        : {
            measurement_date: latestBiometry.measurement_date,
            average_weight_g: grams(latestBiometry.average_weight_g),
            sample_size: latestBiometry.sample_size,
          },
    current_population: state.population,
    average_weight_g: grams(state.currentWeightG),
    harvested_count: state.harvestedCount,
    harvested_kg: kilograms(state.harvestedKg),
    total_feed_kg: kilograms(state.totalFeedKg),
    ponds: [...state.populationByPond].map(([pond_id, population]) => ({
      pond_id,
      population,
      average_weight_g: grams(weightIn(state, pond_id)),
      biomass_kg: kilograms(biomassKgIn(state, pond_id)),
      weighed_pond_id: weighingIn(state, pond_id)?.pondId ?? null,
    })),
  };
}

export function finishedToAnswer(finished: Finished): BatchFinished {
  const { batch, warnings } = finished;
  return {
    id: batch.id,
    status: 'FINISHED',
    // a finished batch has its date
    actual_harvest_date: batch.actual_harvest_date ?? '',
    total_days: finished.totalDays,
    final_fca: ratio(finished.finalFca),
    final_weight_kg: kilograms(finished.finalWeightKg),
    harvested_kg: kilograms(finished.harvestedKg),
    survival_rate: percent(finished.survivalRate),
    final_count: finished.finalCount,
    revenue:
      batch.final_price_per_kg === null ? null : money(batch.final_price_per_kg * finished.finalWeightKg),
    warnings,
  };
}

export function harvestToAnswer(
  row: Omit<Harvest, 'rev'>,
  { readsFinance }: { readsFinance: boolean },
): HarvestAnswer {
  const price = readsFinance ? row.price_per_kg : null;
  return {
    id: row.id,
    batch_id: row.batch_id,
    pond_id: row.pond_id,
    harvest_date: row.harvest_date,
    quantity: row.quantity,
    weight_kg: row.weight_kg,
    average_weight_g: grams((row.weight_kg * 1000) / row.quantity),
    price_per_kg: price,
    revenue: price === null ? null : money(price * row.weight_kg),
    notes: row.notes,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
