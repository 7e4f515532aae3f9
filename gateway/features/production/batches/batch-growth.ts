import { isoOf, type Kernel } from '#core/kernel.ts';
import { DAY_MS, daysBetween, localDay } from '#core/zone-clock.ts';
import type { GrowthFacts } from '#science/advice/growth-advice.ts';
import type { ScienceConstants } from '#science/constants.ts';
import {
  averageDailyGainG,
  expectedDailyGainG,
  expectedWeightG,
  growthCurve,
  type WeightAtAge,
} from '#science/growth.ts';
import { type GrowthTrend, growthTrend, performancePercent } from '#science/growth-trend.ts';
import { type HarvestProjection, projectHarvest } from '#science/harvest-decision.ts';
import { type Species, speciesOf } from '#science/survival.ts';
import { warmDaysByDay } from '#science/temperature-factor.ts';
import type { BatchHistory, BatchState, BatchStates, ExpectedWeights, Weighing } from '../batch-state.ts';
import type { DailyTemperature, DailyTemperatures } from './ports.ts';

export type GrowthDeps = Pick<Kernel, 'now'> & {
  batches: Pick<BatchStates, 'historyOf'>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  dailyTemperatures: DailyTemperatures;
};

/** How a batch grows against what is expected of it. Nothing is rounded. */
export type BatchGrowth = {
  history: BatchHistory;
  science: ScienceConstants;
  expectedWeightG: (day: number) => number;
  /** g/day from stocking to the last weighing; null: not weighed after the first day. */
  adgG: number | null;
  /** The same of the expected curve, up to the same day; to today without a weighing. */
  expectedAdgG: number;
  performancePercent: number | null;
  trend: GrowthTrend;
  /** null: the batch has ended. */
  projection: HarvestProjection | null;
  /** What advice is made from; null: the batch has ended. */
  facts: GrowthFacts | null;
};

export async function growthOf(deps: GrowthDeps, batchId: string): Promise<BatchGrowth | null> {
  const history = await deps.batches.historyOf(batchId);
  if (history === null) return null;
  const { state } = history;
  const science = await deps.scienceOf(state.batch.farm_id);
  const temperatures = await deps.dailyTemperatures(spansOf([state]));
  return growthFrom(history, science, temperatures, isoOf(deps.now()));
}

/** The expected weights of many batches: constants per farm and temperatures are asked for once. */
export function expectedWeights(deps: Omit<GrowthDeps, 'batches' | 'now'>): ExpectedWeights {
  return async (states) => {
    const farms = [...new Set(states.map(({ batch }) => batch.farm_id))];
    const constants = new Map(
      await Promise.all(farms.map(async (id) => [id, await deps.scienceOf(id)] as const)),
    );
    const byPond = Map.groupBy(await deps.dailyTemperatures(spansOf(states)), ({ pond_id }) => pond_id);
    return new Map(
      states.flatMap((state) => {
        const science = constants.get(state.batch.farm_id);
        const temperatures = pondsOf(state).flatMap((id) => byPond.get(id) ?? []);
        return science === undefined
          ? []
          : [[state.batch.id, expectedCurve(science, state, temperatures).weightOn] as const];
      }),
    );
  };
}

/** Each pond once, from the start of the oldest of its batches: young batches need no readings of older times. */
function spansOf(states: readonly BatchState[]): { pond_id: string; from_day: string }[] {
  const fromByPond = new Map<string, string>();
  for (const state of states) {
    for (const pondId of pondsOf(state)) {
      const known = fromByPond.get(pondId);
      const { start_date } = state.batch;
      fromByPond.set(pondId, known !== undefined && known < start_date ? known : start_date);
    }
  }
  return [...fromByPond].map(([pond_id, from_day]) => ({ pond_id, from_day }));
}

/** Where the batch was stocked and where it is now: the temperature of a farm's ponds differs little on one day. */
function pondsOf({ batch, populationByPond }: BatchState): string[] {
  return [...new Set([batch.pond_id, ...populationByPond.keys()])];
}

function growthFrom(
  history: BatchHistory,
  science: ScienceConstants,
  temperatures: readonly DailyTemperature[],
  now: string,
): BatchGrowth {
  const { state } = history;
  const { batch } = state;
  const { species } = speciesOf(batch.species);
  const curve = growthCurve(science.growth, species);
  const expected = expectedCurve(science, state, temperatures);
  const latest = latestWeight(state);
  const adgG = latest === null ? null : averageDailyGainG(batch.initial_avg_weight, latest);
  const day = Math.max(0, latest?.day ?? state.daysActive);
  const expectedAdgG = expectedDailyGainG(curve, batch.initial_avg_weight, {
    day,
    warmDays: expected.warmDaysOn(day),
  });
  const trend = growthTrend(science.growthTrend, curve, history.comparable.map(toTrend), {
    day: 0,
    weightG: batch.initial_avg_weight,
    sampleSize: null,
    cvPercent: null,
  });
  const projection = batch.status === 'ACTIVE' ? projectionOf(science, species, state) : null;
  return {
    history,
    science,
    expectedWeightG: expected.weightOn,
    adgG,
    expectedAdgG,
    performancePercent: performancePercent(adgG, expectedAdgG),
    trend,
    projection,
    facts:
      projection === null
        ? null
        : { ...factsOf(state, now), expectedWeightOnDay: expected.weightOn, trend, projection },
  };
}

function latestWeight({ latestBiometry }: BatchState): WeightAtAge | null {
  if (latestBiometry === null) return null;
  return { day: latestBiometry.measurementDay, weightG: latestBiometry.batchWeightG };
}

const toTrend = (weighing: Weighing) => ({
  day: weighing.measurementDay,
  weightG: weighing.batchWeightG,
  sampleSize: weighing.sample_size,
  cvPercent: weighing.coefficient_variation,
});

function factsOf(
  state: BatchState,
  now: string,
): Omit<GrowthFacts, 'expectedWeightOnDay' | 'trend' | 'projection'> {
  const { batch, timezone, latestBiometry } = state;
  return {
    today: localDay(now, timezone),
    startDate: batch.start_date,
    plannedHarvestDate: plannedDay(state),
    speciesName: batch.species,
    isKnownSpecies: speciesOf(batch.species).isKnown,
    animals: state.population,
    initialWeightG: batch.initial_avg_weight,
    lastSample:
      latestBiometry === null
        ? null
        : {
            date: localDay(latestBiometry.measurement_date, timezone),
            weightG: latestBiometry.batchWeightG,
            sampleSize: latestBiometry.sample_size,
            cvPercent: latestBiometry.coefficient_variation,
          },
  };
}

function projectionOf(science: ScienceConstants, species: Species, state: BatchState): HarvestProjection {
  const planned = plannedDay(state);
  return projectHarvest(science.growth, species, {
    initialWeightG: state.batch.initial_avg_weight,
    lastWeighing: latestWeight(state),
    today: state.daysActive,
    plannedHarvestDay: planned === null ? null : daysBetween(state.batch.start_date, planned),
  });
}

function plannedDay({ batch, timezone }: BatchState): string | null {
  return batch.expected_harvest_date === null ? null : localDay(batch.expected_harvest_date, timezone);
}

function expectedCurve(
  { growth }: ScienceConstants,
  { batch, daysActive }: BatchState,
  temperatures: readonly DailyTemperature[],
) {
  const dailyMeansC = meansByAge(batch.start_date, daysActive, temperatures);
  const ages = warmDaysByDay(growth, dailyMeansC);
  const curve = growthCurve(growth, speciesOf(batch.species).species);
  /** Days to come, and those before stocking, count as they are. */
  const warmDaysOn = (day: number): number => {
    const last = Math.min(day, ages.length - 1);
    return last < 0 ? day : (ages[last] ?? last) + (day - last);
  };
  return {
    warmDaysOn,
    weightOn: (day: number) => expectedWeightG(curve, batch.initial_avg_weight, warmDaysOn(day)),
  };
}

/** °C by day of the batch, over all its ponds; null where nothing was measured. */
function meansByAge(
  startDate: string,
  daysActive: number,
  temperatures: readonly DailyTemperature[],
): (number | null)[] {
  const startMs = Date.parse(startDate);
  const sums = new Float64Array(daysActive);
  const readings = new Float64Array(daysActive);
  for (const each of temperatures) {
    const age = (Date.parse(each.day) - startMs) / DAY_MS;
    if (age < 0 || age >= daysActive) continue;
    sums[age] = (sums[age] ?? 0) + each.sumC;
    readings[age] = (readings[age] ?? 0) + each.readings;
  }
  return Array.from(sums, (sumC, age) => {
    const count = readings[age] ?? 0;
    return count === 0 ? null : sumC / count;
  });
}
