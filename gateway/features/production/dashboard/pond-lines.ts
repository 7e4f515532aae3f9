import type { DashboardPond } from '#contract/resources/dashboard.ts';
import { grams, kilograms, percent } from '#core/rounding.ts';
import { biomassPerM2 } from '#science/biomass.ts';
import { biomassKgIn, populationIn, weightIn } from '../batch-in-pond.ts';
import type { BatchState } from '../batch-state.ts';
import type { PondOnDashboard } from './ports.ts';

/** How a pond stands. `states`: its active batches, the one with most animals there first. */
export function pondLine(pond: PondOnDashboard, states: readonly BatchState[]): DashboardPond {
  const [main] = states;
  const biomassKg = states.reduce((sum, state) => sum + biomassKgIn(state, pond.id), 0);
  const population = states.reduce((sum, state) => sum + populationIn(state, pond.id), 0);
  return {
    pond_id: pond.id,
    pond_cod: pond.cod,
    pond_type: pond.pond_type,
    size_m2: pond.size_m2,
    has_active_batch: main !== undefined,
    batch_id: main?.batch.id ?? null,
    batch_number: main?.batch.batch_code ?? null,
    days_in_production: main?.daysActive ?? null,
    current_population: main === undefined ? null : population,
    survival_rate: percent(main?.survivalRate ?? null),
    current_biomass_kg: main === undefined ? null : kilograms(biomassKg),
    biomass_per_m2: main === undefined ? null : kilograms(biomassPerM2(biomassKg, pond.size_m2)),
    average_weight_g: grams(main === undefined ? null : weightIn(main, pond.id)),
    status: main === undefined ? 'EMPTY' : 'ACTIVE',
    active_batches: states.length,
  };
}
