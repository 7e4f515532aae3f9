import type { Cell } from '#contract/csv-cells.ts';
import type { BatchSummary } from '#contract/resources/exports.ts';
import { WATER_FIELDS, type WaterField } from '#contract/resources/water-quality.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { notFound } from '#core/errors.ts';
import { grams, kilograms, money, percent, ratio, roundTo } from '#core/rounding.ts';
import type { FarmAccess } from '#core/route.ts';
import { dayAfter, daysBetween, localDay, startOfDay, wallOf, zoneClock } from '#core/zone-clock.ts';
import { endOf } from '../batch-in-pond.ts';
import type { BatchHistory, BatchState } from '../batch-state.ts';
import { type AmmoniaTotals, ammoniaTotals } from './ammonia-of-lines.ts';
import type { BatchCosts, ExportDeps, ExportPond, Span, WaterTotals } from './ports.ts';

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
    missing_costs: costs?.missing ?? [],
  };
}

/** Day of the harvest on the farm; null while the batch goes on. */
export function endDayOf({ batch, timezone }: BatchState): string | null {
  return batch.actual_harvest_date === null ? null : localDay(batch.actual_harvest_date, timezone);
}

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

const AMMONIA_UNITS = { NH3: 'mg/L NH3-N', TAN: 'mg/L TAN' } as const;

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
    ['financial', 'cost_per_kg', money(costs.totalCost === null ? null : costs.costPerKg), `${currency}/kg`],
    ['financial', 'missing_costs', costs.missing.join(' '), ''],
  ];
}

export type Point = { x: number; y: number };
export type Band = { least: number; mean: number; most: number };

/** What the charts of a report show; x is the age of the batch in days, or its week. */
export type ReportSeries = {
  measuredG: Point[];
  expectedG: Point[];
  /** Week 1 is that of stocking. */
  feedKgByWeek: Point[];
  oxygenByDay: (Band & { x: number })[];
  temperatureByDay: (Band & { x: number })[];
};

/** Points of the expected curve: enough for a smooth line. */
const CURVE_POINTS = 60;

export async function seriesOf(deps: ExportDeps, report: BatchReport): Promise<ReportSeries> {
  const { history, pond, span } = report;
  const { state, weighings } = history;
  const measuredG = weighings.map(({ measurementDay, batchWeightG }) => ({
    x: measurementDay,
    y: batchWeightG,
  }));
  const expectedOn = (await deps.expectedWeights([state])).get(state.batch.id);
  const lastDay = Math.max(1, state.daysActive, ...measuredG.map(({ x }) => x));
  const days = Array.from({ length: CURVE_POINTS + 1 }, (_, n) => Math.round((n * lastDay) / CURVE_POINTS));
  const ageOf = ageClock(state.timezone, state.batch.start_date);
  const water = await waterByDay(deps.queries.measurements(pond.id, span), ageOf);
  return {
    measuredG: [{ x: 0, y: state.batch.initial_avg_weight }, ...measuredG],
    expectedG: expectedOn === undefined ? [] : [...new Set(days)].map((x) => ({ x, y: expectedOn(x) })),
    feedKgByWeek: await feedByWeek(
      deps.queries.feedings(state.batch.id, { from: null, before: null }),
      ageOf,
    ),
    ...water,
  };
}

/** Age of a batch in whole days of the farm at an instant; a probe's thousands of instants share a day. */
function ageClock(timezone: string, startDate: string): (instantIso: string) => number {
  const clock = zoneClock(timezone);
  const ages = new Map<string, number>();
  return (instantIso) => {
    const day = new Date(wallOf(clock, Date.parse(instantIso))).toISOString().slice(0, 10);
    const age = ages.get(day) ?? daysBetween(startDate, day);
    ages.set(day, age);
    return age;
  };
}

type AgeOf = ReturnType<typeof ageClock>;

async function feedByWeek(
  feedings: ReturnType<ExportDeps['queries']['feedings']>,
  ageOf: AgeOf,
): Promise<Point[]> {
  const kgByWeek = new Map<number, number>();
  for await (const chunk of feedings) {
    for (const { feed_date, quantity_kg } of chunk) {
      const week = Math.floor(Math.max(0, ageOf(feed_date)) / 7) + 1;
      kgByWeek.set(week, (kgByWeek.get(week) ?? 0) + quantity_kg);
    }
  }
  const last = Math.max(0, ...kgByWeek.keys());
  // a week without feed is a week, too
  return Array.from({ length: last }, (_, n) => ({ x: n + 1, y: kgByWeek.get(n + 1) ?? 0 }));
}

type Sum = { least: number; sum: number; count: number; most: number };

async function waterByDay(
  measurements: ReturnType<ExportDeps['queries']['measurements']>,
  ageOf: AgeOf,
): Promise<Pick<ReportSeries, 'oxygenByDay' | 'temperatureByDay'>> {
  const oxygen = new Map<number, Sum>();
  const temperature = new Map<number, Sum>();
  for await (const chunk of measurements) {
    for (const line of chunk) {
      const age = ageOf(line.measurement_date);
      addTo(oxygen, age, line.dissolved_oxygen);
      addTo(temperature, age, line.temperature);
    }
  }
  return { oxygenByDay: bandsOf(oxygen), temperatureByDay: bandsOf(temperature) };
}

function addTo(sums: Map<number, Sum>, age: number, value: number | null): void {
  if (value === null) return;
  const sum = sums.get(age);
  if (sum === undefined) {
    sums.set(age, { least: value, sum: value, count: 1, most: value });
    return;
  }
  sum.least = Math.min(sum.least, value);
  sum.most = Math.max(sum.most, value);
  sum.sum += value;
  sum.count += 1;
}

function bandsOf(sums: ReadonlyMap<number, Sum>): (Band & { x: number })[] {
  return [...sums]
    .map(([x, { least, sum, count, most }]) => ({ x, least, mean: sum / count, most }))
    .sort((a, b) => a.x - b.x);
}
