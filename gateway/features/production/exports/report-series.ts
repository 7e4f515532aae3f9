import { daysBetween, wallOf, zoneClock } from '#core/zone-clock.ts';
import type { BatchReport } from './batch-report.ts';
import type { ExportDeps } from './ports.ts';

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
