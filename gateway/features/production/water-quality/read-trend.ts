import type { AmmoniaAs, WaterField, WaterTrend } from '#contract/resources/water-quality.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { DAY_MS, dayAfter, localDay, startOfDay, wallOf, type Zone, zoneClock } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { waterTrendAdvice } from '#science/advice/water-advice.ts';
import { measuredText } from '#science/advice/water-alert-text.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { trendOf } from '#science/parameter-trend.ts';
import { severityWord } from '#science/severity.ts';
import { alertTypesOf, isUpperLimit, optimalRange, WATER_UNITS } from '#science/water-limits.ts';
import { judged } from './judge-water.ts';
import type {
  DailyFigures,
  DaySpan,
  PondName,
  Reading,
  RecordQueries,
  ScienceOf,
  Span,
  StretchFigures,
  WaterInSpan,
  WaterReadQueries,
} from './ports.ts';
import { salinityFor } from './record-measurement.ts';
import { ammoniaOfRow, meanAmmonia, spanOf, waterFigure } from './water-answers.ts';

export type ReadTrendDeps = Pick<Kernel, 'now'> & {
  queries: Pick<WaterReadQueries, 'waterIn'> &
    Pick<RecordQueries, 'salinityBefore' | 'newestWith' | 'isPondEmpty'>;
  scienceOf: ScienceOf;
};

/** Of each of these a day has a whole number. */
const STRETCHES_MIN = [1, 2, 3, 5, 10, 15, 20, 30, 60, 90, 120, 180, 240, 360, 720] as const;
const DAY_MIN = 1_440;
const MINUTE_MS = 60_000;

type Asked = {
  parameter: WaterField;
  days: number;
  points?: number | undefined;
  start_date?: string | undefined;
  end_date?: string | undefined;
};

/** Where a parameter of a pond is going: per day of the farm's zone, today included, and what to do about it. */
export async function waterTrendOf(
  deps: ReadTrendDeps,
  pond: PondName,
  asked: Asked,
  language: Language,
): Promise<WaterTrend> {
  const { parameter, days: periodDays } = asked;
  const zone = zoneClock(pond.timezone);
  const spans = daySpans(zone, deps.now(), periodDays);
  const window = { from: spans[0]?.from ?? null, before: spans.at(-1)?.before ?? null };
  const water = await deps.queries.waterIn(pond.id, window);
  const [science, days, extremes, raised, stretches] = await Promise.all([
    deps.scienceOf(pond.farm_id),
    water.dailyFigures(parameter, spans),
    water.extremes(parameter),
    water.countRaised(alertTypesOf(parameter)),
    readingsOf(deps, pond, window, asked),
  ]);
  const trend = trendOf(
    science.trends,
    parameter,
    days.map(({ day, sum, count }) => ({ day: Date.parse(day) / DAY_MS, average: sum / count })),
  );
  const range = optimalRange(science.water, parameter);
  const ammonia = parameter === 'ammonia' ? await ammoniaByDay(deps, pond, { science, zone, window }) : null;
  const facts = {
    pond: pond.cod,
    parameter,
    periodDays,
    trend,
    latest: latestOf(days),
    lowest: placed(extremes.lowest, zone),
    highest: placed(extremes.highest, zone),
    range,
    volumeM3: pond.volumeM3,
    fedAboveMgL: science.water.alerts.LOW_OXYGEN.highFrom,
    isPondEmpty: await deps.queries.isPondEmpty(pond.id),
    beyondNow: await beyondNow(deps, { water, science, pond, parameter, zone, language }),
    ...(parameter === 'ammonia' ? { ammoniaBasis: science.water.ammoniaBasis } : {}),
  };
  return {
    pond_id: pond.id,
    pond_cod: pond.cod,
    parameter,
    unit: WATER_UNITS[parameter],
    optimal_range: range,
    trend_data: {
      period_days: periodDays,
      data_points: days.map(({ day, sum, count, min, max }) => ({
        date: day,
        avg: waterFigure(sum / count),
        min: waterFigure(min),
        max: waterFigure(max),
        ...(ammonia?.byDay.has(day) === true ? { ammonia_as: ammonia.byDay.get(day) } : {}),
      })),
      ...(stretches === null
        ? {}
        : {
            readings: stretches.map(({ at, sum, count, min, max }) => ({
              at,
              avg: waterFigure(sum / count),
              min: waterFigure(min),
              max: waterFigure(max),
            })),
          }),
      statistics: {
        ...overall(days),
        trend_direction: trend.direction,
        alerts_triggered: raised,
      },
    },
    ...(ammonia === null ? {} : { latest_ammonia_as: ammonia.latest }),
    recommendations: waterTrendAdvice(facts, language),
  };
}

/** What a drawing is made of: the whole period, or the part of it that somebody looks into; null: no drawing is made. */
async function readingsOf(
  deps: Pick<ReadTrendDeps, 'queries'>,
  pond: PondName,
  window: Span,
  { parameter, points, start_date, end_date }: Asked,
): Promise<StretchFigures[] | null> {
  if (points === undefined) return null;
  const part = spanOf({ start_date, end_date }, pond.timezone);
  const span = { from: later(window.from, part.from), before: earlier(window.before, part.before) };
  if ((span.from ?? '') >= (span.before ?? '~')) return [];
  const water = await deps.queries.waterIn(pond.id, span);
  return water.stretches(parameter, stretchMin(span, points));
}

const later = (one: string | null, other: string | null) => ((one ?? '') > (other ?? '') ? one : other);
const earlier = (one: string | null, other: string | null) => ((one ?? '~') < (other ?? '~') ? one : other);

/** So many values of ammonia are told on both bases; days before them have the farm's own alone. */
const TOLD_TWICE = 200;

/** The newest value on both bases, and the mean of each day: of each value by the water it was measured in. */
async function ammoniaByDay(
  deps: ReadTrendDeps,
  pond: PondName,
  of: { science: ScienceConstants; zone: Zone; window: { from: string | null; before: string | null } },
) {
  const rows = await deps.queries.newestWith(pond.id, 'ammonia', null, TOLD_TWICE);
  const told: { day: string; as: AmmoniaAs }[] = [];
  for (const row of rows) {
    const { ammonia, measurement_date: at } = row;
    if (ammonia === null || at < (of.window.from ?? '') || at >= (of.window.before ?? '~')) continue;
    const as = await ammoniaOfRow(deps, of.science.water, { ...row, ammonia });
    told.push({ day: localDay(at, of.zone), as });
  }
  // of the oldest day some values may be missing
  const cut = rows.length < TOLD_TWICE ? null : told.at(-1)?.day;
  const byDay = new Map<string, AmmoniaAs>();
  for (const [day, values] of Map.groupBy(told, (each) => each.day)) {
    const mean = meanAmmonia(values.map(({ as }) => as));
    if (mean !== null && day !== cut) byDay.set(day, mean);
  }
  return { latest: told[0]?.as ?? null, byDay };
}

/** A reading of oxygen says little of three hours later; the others change with the day. */
const ACT_ON_HOURS = { dissolved_oxygen: 3, other: 24 };
/** Among so many newest measurements that of a parameter is looked for. */
const NEWEST = 50;

/** The newest reading where it is fresh and beyond its limit: graded as its alert is. */
async function beyondNow(
  deps: ReadTrendDeps,
  of: {
    water: WaterInSpan;
    science: ScienceConstants;
    pond: PondName;
    parameter: WaterField;
    zone: Zone;
    language: Language;
  },
): Promise<Parameters<typeof waterTrendAdvice>[0]['beyondNow']> {
  const { parameter, zone } = of;
  if (alertTypesOf(parameter).length === 0) return null;
  const hours = parameter === 'dissolved_oxygen' ? ACT_ON_HOURS.dissolved_oxygen : ACT_ON_HOURS.other;
  for await (const row of of.water.measurements({ skip: 0, limit: NEWEST })) {
    if (deps.now() - Date.parse(row.measurement_date) > hours * 3_600_000) return null;
    const value = row[parameter];
    if (value === null) continue;
    const { violations } = judged(of.science.water, row, await salinityFor(deps.queries, row));
    const found = violations.find((violation) => violation.parameter === parameter);
    if (found === undefined) return null;
    return {
      compared: found.value,
      limit: found.threshold,
      grade: severityWord(of.science.water, found, found.severity),
      side: isUpperLimit(found.type) ? 'HIGH' : 'LOW',
      localTime: placed({ value, at: row.measurement_date }, zone)?.localTime ?? '',
      reading: measuredText(found, of.language),
    };
  }
  return null;
}

function daySpans(zone: Zone, now: number, days: number): DaySpan[] {
  const today = localDay(isoOf(now), zone);
  const all = Array.from({ length: days + 1 }, (_, i) => dayAfter(today, i - days + 1));
  const starts = all.map((day) => startOfDay(day, zone));
  // a day ends where the next begins
  return all.slice(0, days).map((day, i) => ({ day, from: starts[i] ?? '', before: starts[i + 1] ?? '' }));
}

/** How long a stretch is when a period is told in no more than so many. */
function stretchMin({ from, before }: Span, points: number): number {
  const periodMin = (Date.parse(before ?? '') - Date.parse(from ?? '')) / MINUTE_MS;
  // a period may begin and end within a stretch
  return STRETCHES_MIN.find((minutes) => Math.ceil(periodMin / minutes) + 1 <= points) ?? DAY_MIN;
}

function latestOf(days: readonly DailyFigures[]): number | null {
  const last = days.at(-1);
  return last === undefined ? null : last.sum / last.count;
}

function placed(reading: Reading | null, zone: Zone) {
  if (reading === null) return null;
  const localTime = isoOf(wallOf(zone, Date.parse(reading.at))).slice(11, 16);
  return { value: reading.value, localDate: localDay(reading.at, zone), localTime };
}

/** Of all readings, not of the daily averages. */
function overall(days: readonly DailyFigures[]) {
  const count = days.reduce((sum, day) => sum + day.count, 0);
  if (count === 0) return { overall_avg: null, overall_min: null, overall_max: null, std_deviation: null };
  const mean = days.reduce((sum, day) => sum + day.sum, 0) / count;
  // day by day, so that large values with little scatter lose no digits
  const squares = days.reduce((sum, day) => {
    const average = day.sum / day.count;
    return sum + Math.max(0, day.squares - day.count * average ** 2) + day.count * (average - mean) ** 2;
  }, 0);
  return {
    overall_avg: waterFigure(mean),
    overall_min: waterFigure(Math.min(...days.map(({ min }) => min))),
    overall_max: waterFigure(Math.max(...days.map(({ max }) => max))),
    std_deviation: waterFigure(count === 1 ? 0 : Math.sqrt(squares / (count - 1))),
  };
}
