import type { Cell } from '#contract/csv-cells.ts';
import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { notFound } from '#core/errors.ts';
import { grams, kilograms, money, percent, ratio, roundTo } from '#core/rounding.ts';
import type { FarmAccess } from '#core/route.ts';
import { dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import type { BatchHistory } from '../batch-state.ts';
import { type AmmoniaTotals, ammoniaTotals } from './ammonia-of-lines.ts';
import { summaryOf } from './batch-summary.ts';
import type { BatchCosts, ExportDeps, ExportPond, Span, WaterTotals } from './ports.ts';

/** What a report of a batch tells, in whatever form. */
export type BatchReport = {
  history: BatchHistory;
  pond: ExportPond;
  /** From the first day of the batch to its last, on the farm. */
  span: Span;
  water: WaterTotals;
  /** On which basis the farm measures ammonia, and its figures on both. */
  ammonia: { basis: 'NH3' | 'TAN'; totals: AmmoniaTotals };
  /** null: whoever asks does not see money. */
  money: { costs: BatchCosts; currency: 'BRL' | 'USD' } | null;
};

/** Throws 404 when the batch is gone. */
export async function reportOf(deps: ExportDeps, batchId: string, farm: FarmAccess): Promise<BatchReport> {
  const history = await deps.batches.historyOf(batchId);
  if (history === null) throw notFound('Batch');
  const { state } = history;
  // its water is that of the pond where most of it lives; at the end of the cycle, where it began
  const pond = await pondOfWater(deps, [...state.populationByPond.keys(), state.batch.pond_id]);
  const span = spanOf(history);
  const seesMoney = mayOnFarm(farm.role, 'read_finance');
  const { water } = await deps.scienceOf(pond.farmId);
  return {
    history,
    pond,
    span,
    water: await deps.queries.waterTotals(pond.id, span),
    ammonia: {
      basis: water.ammoniaBasis,
      totals: await ammoniaTotals(deps.queries, pond.id, { span, water }),
    },
    money: seesMoney
      ? { costs: await deps.costsOf(state), currency: await deps.currencyOf(farm.ownerId) }
      : null,
  };
}

/** The first of these ponds that still stands. */
async function pondOfWater(deps: ExportDeps, pondIds: readonly string[]): Promise<ExportPond> {
  for (const pondId of pondIds) {
    const pond = await deps.queries.pondOf(pondId);
    if (pond !== null) return pond;
  }
  throw notFound('Pond');
}

function spanOf({ state: { batch, timezone } }: BatchHistory): Span {
  const end = batch.actual_harvest_date;
  return {
    from: startOfDay(batch.start_date, timezone),
    before: end === null ? null : startOfDay(dayAfter(localDay(end, timezone), 1), timezone),
  };
}

export type ReportLine = readonly [section: string, metric: string, value: Cell, unit: string];

const UNIT_OF_WATER: Readonly<Record<WaterField, string>> = {
  temperature: '°C',
  dissolved_oxygen: 'mg/L',
  ph: '',
  salinity: 'ppt',
  alkalinity: 'mg/L CaCO3',
  // as it was measured; on both bases it follows
  ammonia: 'mg/L',
  nitrite: 'mg/L',
  nitrate: 'mg/L',
  transparency: 'cm',
};

/** The report as lines of section, metric, value and unit. */
export function reportLines(report: BatchReport): ReportLine[] {
  return [
    ...batchLines(report),
    ...biometryLines(report),
    ...feedingLines(report),
    ...waterLines(report),
    ...moneyLines(report),
  ];
}

function batchLines({ history: { state }, pond }: BatchReport): ReportLine[] {
  const { batch } = state;
  const summary = summaryOf(state, null);
  const isOver = batch.status !== 'ACTIVE';
  return [
    ['batch', 'batch_id', summary.batch_id, ''],
    ['batch', 'batch_name', summary.batch_name, ''],
    ['batch', 'farm', pond.farmName, ''],
    ['batch', 'pond', state.pondCod, ''],
    ['batch', 'species', batch.species, ''],
    ['batch', 'lineage', batch.lineage, ''],
    ['batch', 'larva_origin', batch.larva_origin, ''],
    ['batch', 'status', batch.status, ''],
    ['batch', 'start_date', summary.start_date, ''],
    ['batch', 'end_date', summary.end_date, ''],
    ['batch', 'days_of_culture', summary.days_of_culture, 'days'],
    ['batch', 'initial_population', batch.initial_count, 'animals'],
    ['batch', 'initial_average_weight', grams(batch.initial_avg_weight), 'g'],
    ['batch', 'initial_density', roundTo(batch.initial_density, 2), 'animals/m2'],
    // of a batch that has ended nothing is alive, and what it weighs is told of its end
    ...(isOver ? [] : [['batch', 'current_population', state.population, 'animals'] as const]),
    ['batch', 'survival_rate', summary.survival_rate, '%'],
    ...(state.finalCount === null ? [] : [['batch', 'final_count', state.finalCount, 'animals'] as const]),
    ['batch', 'harvested_animals', state.harvestedCount, 'animals'],
    ['batch', 'harvested_weight', kilograms(state.harvestedKg), 'kg'],
    ['batch', isOver ? 'biomass_at_end' : 'current_biomass', summary.current_biomass_kg, 'kg'],
    ['batch', isOver ? 'average_weight_at_end' : 'current_average_weight', summary.average_weight_g, 'g'],
    ['batch', 'fcr', summary.fcr, ''],
  ];
}

function biometryLines({ history: { state, weighings } }: BatchReport): ReportLine[] {
  const first = weighings[0] ?? null;
  const last = weighings.at(-1) ?? null;
  const dayOf = (at: string | undefined) => (at === undefined ? null : localDay(at, state.timezone));
  const days = last?.measurementDay ?? 0;
  const dailyGain =
    last === null || days <= 0 ? null : (last.batchWeightG - state.batch.initial_avg_weight) / days;
  return [
    ['biometries', 'total_biometries', weighings.length, ''],
    ['biometries', 'first_date', dayOf(first?.measurement_date), ''],
    ['biometries', 'last_date', dayOf(last?.measurement_date), ''],
    ['biometries', 'last_average_weight', grams(last?.average_weight_g ?? null), 'g'],
    ['biometries', 'last_coefficient_variation', percent(last?.coefficient_variation ?? null), '%'],
    ['biometries', 'average_daily_gain', grams(dailyGain), 'g/day'],
  ];
}

function feedingLines({ history: { state, feedDays } }: BatchReport): ReportLine[] {
  const daily = feedDays === 0 ? null : state.totalFeedKg / feedDays;
  return [
    ['feeding', 'total_feedings', state.feedingCount, ''],
    ['feeding', 'days_with_feeding', feedDays, 'days'],
    ['feeding', 'total_feed', kilograms(state.totalFeedKg), 'kg'],
    ['feeding', 'average_daily_feed', kilograms(daily), 'kg'],
    ['feeding', 'biomass_gained', kilograms(state.biomassGainedKg), 'kg'],
    ['feeding', 'fcr', ratio(state.fca), ''],
  ];
}

function waterLines({ water, ammonia, pond }: BatchReport): ReportLine[] {
  const lines: ReportLine[] = [
    ['water_quality', 'pond', pond.cod, ''],
    ['water_quality', 'total_measurements', water.count, ''],
  ];
  for (const name of WATER_FIELDS) {
    const figure = water.of.get(name);
    if (figure === undefined) continue;
    const unit = name === 'ammonia' ? AMMONIA_UNITS[ammonia.basis] : UNIT_OF_WATER[name];
    lines.push(
      ['water_quality', `${name}_min`, roundTo(figure.least, 3), unit],
      ['water_quality', `${name}_avg`, roundTo(figure.mean, 3), unit],
      ['water_quality', `${name}_max`, roundTo(figure.most, 3), unit],
    );
  }
  return [...lines, ...ammoniaLines(ammonia)];
}

export const AMMONIA_UNITS = { NH3: 'mg/L NH3-N', TAN: 'mg/L TAN' } as const;

/** The figures on both bases; what cannot be worked out is left empty, and the worst plausible named so. */
function ammoniaLines({ basis, totals }: BatchReport['ammonia']): ReportLine[] {
  if (totals === null) return [];
  const { nh3N, tan, isWorst } = totals;
  const worst = isWorst ? ' (worst case)' : '';
  const lines = (name: string, of: typeof tan, unit: string): ReportLine[] => [
    ['water_quality', `${name}_min`, roundTo(of?.least ?? null, 4), unit],
    ['water_quality', `${name}_avg`, roundTo(of?.mean ?? null, 4), unit],
    ['water_quality', `${name}_max`, roundTo(of?.most ?? null, 4), unit],
  ];
  return [
    ['water_quality', 'ammonia_basis', basis, ''],
    ...lines('ammonia_nh3_n', nh3N, AMMONIA_UNITS.NH3 + worst),
    ...lines('ammonia_tan', tan, AMMONIA_UNITS.TAN),
  ];
}

function moneyLines({ money: seen }: BatchReport): ReportLine[] {
  if (seen === null) return [];
  const { costs, currency } = seen;
  return [
    ['financial', 'total_feed_cost', money(costs.totalFeedCost), currency],
    ['financial', 'total_operational_cost', money(costs.totalOperationalCost), currency],
    ['financial', 'total_energy_cost', money(costs.totalEnergyCost), currency],
    ['financial', 'total_cost', money(costs.totalCost), currency],
    ['financial', 'cost_per_kg', money(costs.costPerKg), `${currency}/kg`],
  ];
}
