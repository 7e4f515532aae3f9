import type { CsvForm } from '#contract/resources/exports.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { type CsvLayout, type CsvText, csvText } from '#core/csv-text.ts';
import { grams, kilograms, percent, roundTo } from '#core/rounding.ts';
import { wallOf, type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import type { BatchHistory } from '../batch-state.ts';
import type { ReportLine } from './batch-report.ts';
import type { FeedingLine } from './ports.ts';

// The files of the interface, chunk by chunk, oldest line first. Dates and times are those of the farm's clock.

type Lines<Line> = AsyncIterable<readonly Line[]>;
type Place = { form: CsvForm; timezone: string };

/** One line per weighing. `biomass` (kg), `survival_rate` and `population` are those of that instant. */
export function biometriesCsv(history: BatchHistory, { form, timezone }: Place): Iterable<string> {
  const csv = csvText(form);
  const clock = zoneClock(timezone);
  const head = csv.head([
    'date',
    'sample_weight',
    'sample_count',
    'average_weight',
    'biomass',
    'survival_rate',
    'population',
  ]);
  const lines = history.recorded.map((weighing) => {
    const stock = history.stockAt(weighing.measurement_date);
    return csv.row([
      wallText(clock, weighing.measurement_date).slice(0, 10),
      roundTo(weighing.total_weight_g, 4),
      weighing.sample_size,
      grams(weighing.average_weight_g),
      kilograms(stock.biomassKg),
      percent(stock.survivalRate),
      stock.population,
    ]);
  });
  // a batch is weighed once a week: these are few lines
  return [head + lines.join('')];
}

/** One line per feeding; `frequency` is the number of feedings of that day. */
export async function* feedingCsv(
  feedings: Lines<FeedingLine>,
  { form, timezone }: Place,
): AsyncIterable<string> {
  const csv = csvText(form);
  const clock = zoneClock(timezone);
  let pending = csv.head(['date', 'feed_type', 'quantity_kg', 'frequency', 'observations']);
  let today: { date: string; lines: FeedingLine[] } = { date: '', lines: [] };
  for await (const chunk of feedings) {
    for (const line of chunk) {
      const date = wallText(clock, line.feed_date).slice(0, 10);
      if (date !== today.date) {
        pending += feedingDay(csv, today);
        today = { date, lines: [] };
      }
      today.lines.push(line);
    }
    yield pending;
    pending = '';
  }
  yield pending + feedingDay(csv, today);
}

function feedingDay(csv: CsvText, { date, lines }: { date: string; lines: readonly FeedingLine[] }): string {
  return lines
    .map((line) => csv.row([date, line.feed_type, kilograms(line.quantity_kg), lines.length, line.notes]))
    .join('');
}

const WATER_COLUMNS = [
  'temperature',
  'dissolved_oxygen',
  'ph',
  'ammonia',
  'nitrite',
  'transparency',
] as const satisfies readonly WaterField[];

/** One line per measurement; a year of a probe is written by those who read it. */
export async function* waterCsv(
  linesIn: (layout: CsvLayout) => AsyncIterable<string>,
  place: Place,
): AsyncIterable<string> {
  yield csvText(place.form).head(['date', 'time', ...WATER_COLUMNS]);
  yield* linesIn({
    ...place,
    columns: [
      { of: 'measurement_date', shows: 'day' },
      { of: 'measurement_date', shows: 'time' },
      ...WATER_COLUMNS.map((of) => ({ of, shows: 'value' as const })),
    ],
  });
}

/** What the farm's clock shows, as `YYYY-MM-DDTHH:MM:SS…`. */
function wallText(clock: ZoneClock, instantIso: string): string {
  return new Date(wallOf(clock, Date.parse(instantIso))).toISOString();
}

/** One line per figure of a report. */
export function reportCsv(lines: readonly ReportLine[], form: CsvForm): Iterable<string> {
  const csv = csvText(form);
  return [csv.head(['section', 'metric', 'value', 'unit']) + lines.map(csv.row).join('')];
}
