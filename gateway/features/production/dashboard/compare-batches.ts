import type { ComparedBatch } from '#contract/resources/dashboard.ts';
import { grams, kilograms, money, percent, ratio, roundTo } from '#core/rounding.ts';
import { localDay } from '#core/zone-clock.ts';
import { ratio as oneBy } from '#science/biomass.ts';
import { costPerKg } from '#science/economics.ts';
import { averageDailyGainG } from '#science/growth.ts';
import { endOf, wasIn } from '../batch-in-pond.ts';
import { batchMoney, marginOfSold, missingOfCost, producedKgOf, type Spent } from '../batch-money.ts';
import type { BatchState } from '../batch-state.ts';
import { missingOfFeed } from '../missing-facts.ts';
import type { PondArea } from './ports.ts';

const M2_PER_HA = 10_000;

/**
 * Ponds that a batch grew in for harvest: those that hold it, or held it at its end, and those that a part was harvested
 * in. A nursery that it was only moved on from bears no part of the yield.
 */
export function yieldingPonds(state: BatchState): string[] {
  const { batch, stays, timezone } = state;
  const lastDay = batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, timezone);
  return [...stays].flatMap(([pondId, { to }]) => {
    const isThere = to === null || to === lastDay;
    const gave = state.harvestedIn.some((part) =>
      part.pondId === null ? wasIn(state, pondId, part.day) : part.pondId === pondId,
    );
    return isThere || gave ? [pondId] : [];
  });
}

/** A batch beside others, what nobody recorded as null. `spent` null: whoever asks does not see money. */
export function comparedBatch(
  state: BatchState,
  of: { farmName: string; areas: ReadonlyMap<string, PondArea>; spent: readonly Spent[] | null },
): ComparedBatch {
  const { batch, daysActive } = state;
  const ponds = yieldingPonds(state).flatMap((id) => of.areas.get(id) ?? []);
  // on its first day it weighs what was stocked
  const isWeighed = state.latestBiometry !== null || (batch.status === 'ACTIVE' && daysActive === 0);
  const isProduceKnown = isWeighed || batch.final_weight_kg !== null;
  const producedKg = isProduceKnown ? producedKgOf(state) : null;
  const areaM2 = areaOf(ponds);
  const isYield = producedKg !== null && areaM2 !== null && batch.status !== 'ABORTED';
  const kgPerHa = isYield ? producedKg / (areaM2 / M2_PER_HA) : null;
  return {
    batch_id: batch.id,
    batch_number: batch.batch_code,
    farm_id: batch.farm_id,
    farm_name: of.farmName,
    species: batch.species,
    status: batch.status,
    ponds: ponds.map(({ id, cod, size_m2 }) => ({ pond_id: id, pond_cod: cod, size_m2 })),
    start_date: batch.start_date,
    end_date: batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, state.timezone),
    days_in_production: daysActive,
    density_per_m2: batch.initial_density > 0 ? roundTo(batch.initial_density, 2) : null,
    survival_rate: percent(state.survivalRate),
    average_weight_g: isWeighed ? grams(state.currentWeightG) : null,
    growth_g_per_week: grams(weeklyGainG(state)),
    fca: isProduceKnown ? ratio(state.fca) : null,
    total_feed_kg: state.feedingCount === 0 ? null : kilograms(state.totalFeedKg),
    produced_kg: kilograms(producedKg),
    is_estimated: batch.final_weight_kg === null,
    biomass_of: endOf(state).biomass_of,
    area_m2: areaM2,
    kg_per_ha: roundTo(kgPerHa, 1),
    kg_per_ha_day: roundTo(kgPerHa === null ? null : oneBy(kgPerHa, daysActive), 2),
    ...moneyOf(state, { spent: of.spent, isProduceKnown }),
    missing: [
      ...missingOfFeed(state),
      // of one that goes on the figures of a batch say so themselves
      ...(batch.status !== 'ACTIVE' && !isWeighed ? (['WEIGHING'] as const) : []),
      ...(areaM2 === null ? (['POND_SIZE'] as const) : []),
    ],
  };
}

/** null: no pond, or one whose surface nobody told. */
function areaOf(ponds: readonly PondArea[]): number | null {
  let sum = 0;
  for (const { size_m2 } of ponds) {
    if (size_m2 === null) return null;
    sum += size_m2;
  }
  return sum > 0 ? sum : null;
}

function weeklyGainG({ batch, latestBiometry }: BatchState): number | null {
  if (latestBiometry === null) return null;
  const { measurementDay: day, batchWeightG: weightG } = latestBiometry;
  const dailyG = averageDailyGainG(batch.initial_avg_weight, { day, weightG });
  return dailyG === null ? null : dailyG * 7;
}

function moneyOf(state: BatchState, of: { spent: readonly Spent[] | null; isProduceKnown: boolean }) {
  if (of.spent === null) {
    const unseen = { cost_per_kg: null, revenue_per_kg: null, margin_percent: null };
    return { sees_money: false, ...unseen, missing_costs: [] };
  }
  const made = batchMoney(state, of.spent);
  const { totalCost } = made.costs;
  const isCostKnown = totalCost > 0;
  return {
    sees_money: true,
    cost_per_kg: isCostKnown && of.isProduceKnown ? money(costPerKg(totalCost, made.producedKg)) : null,
    revenue_per_kg: money(oneBy(state.sold.revenue, state.sold.kg)),
    margin_percent: percent(marginOfSold(made)),
    missing_costs: missingOfCost(made),
  };
}
