import type { CsvForm } from '#contract/resources/exports.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { type CsvLayout, type CsvText, csvText } from '#core/csv-text.ts';
import { grams, kilograms, percent, roundTo } from '#core/rounding.ts';
import { wallOf, type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import type { AmmoniaOnBoth, Water } from '#science/water-limits.ts';
import type { BatchesThere } from '../batch-in-pond.ts';
import type { BatchHistory } from '../batch-state.ts';
import { harvestFrom } from '../withdrawal.ts';
import { createAmmoniaReader } from './ammonia-of-lines.ts';
import type { ReportLine } from './batch-report.ts';
import type { FeedingLine, LossLine, RecordLine, StockLine, WaterLine } from './ports.ts';

// The files of the interface, chunk by chunk, oldest line first. Dates and times are those of the farm's clock.

type Lines<Line> = AsyncIterable<readonly Line[]>;
type Place = { form: CsvForm; timezone: string };

/**
 * One line per weighing. `biomass` (kg), `survival_rate` and `population` are those of that instant.
 *
 * @param ponds words for the ponds weighed, for a last column; null: the columns of the interface alone
 */
export function biometriesCsv(
  history: BatchHistory,
  { form, timezone }: Place,
  ponds: ReadonlyMap<string, string> | null,
): Iterable<string> {
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
    ...(ponds === null ? [] : ['pond']),
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
      // a sample of the whole batch names none
      ...(ponds === null ? [] : [ponds.get(weighing.pondId ?? '') ?? null]),
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

/** All that was measured, the ammonia on both bases: what the kit does not tell is worked out, and says how sure it is. */
export async function* allWaterCsv(
  lines: Lines<WaterLine>,
  { form, timezone, water }: Place & { water: Water },
): AsyncIterable<string> {
  const csv = csvText(form);
  const clock = zoneClock(timezone);
  const both = createAmmoniaReader(water);
  yield csv.head(['date', 'time', ...WATER_COLUMNS, ...MORE_WATER_COLUMNS]);
  for await (const chunk of lines) {
    yield chunk
      .map((line) => {
        const at = wallText(clock, line.measurement_date);
        const ammonia = both(line);
        return csv.row([
          at.slice(0, 10),
          at.slice(11, 19),
          ...WATER_COLUMNS.map((name) => line[name]),
          line.salinity,
          line.alkalinity,
          line.nitrate,
          ammonia === null ? null : water.ammoniaBasis,
          roundTo(ammonia?.nh3N ?? null, 4),
          roundTo(ammonia?.tan ?? null, 4),
          ammonia === null ? null : certaintyOf(ammonia),
        ]);
      })
      .join('');
  }
}

const certaintyOf = (found: AmmoniaOnBoth): string => {
  if (!found.isKnown) return 'WORST_CASE';
  return found.isExtrapolated ? 'EXTRAPOLATED' : 'KNOWN';
};

const MORE_WATER_COLUMNS = [
  'salinity',
  'alkalinity',
  'nitrate',
  'ammonia_basis',
  'ammonia_nh3_n',
  'ammonia_tan',
  'ammonia_certainty',
];

/** One line per treatment, water exchange or note; `batches`: whose animals were there, `place` the farm's word for it. */
export async function* recordsCsv(
  lines: Lines<RecordLine>,
  { form, timezone }: Place,
  batchesOf: BatchesThere,
): AsyncIterable<string> {
  const csv = csvText(form);
  const clock = zoneClock(timezone);
  yield csv.head(['date', 'time', 'kind', 'place', 'batches', ...RECORD_COLUMNS, 'harvest_from']);
  for await (const chunk of lines) {
    let text = '';
    for (const line of chunk) {
      const at = wallText(clock, line.happened_at);
      const there = await batchesOf(line);
      text += csv.row([
        at.slice(0, 10),
        at.slice(11, 19),
        line.kind,
        line.place,
        there.map(({ batch_code }) => batch_code).join(' '),
        ...RECORD_COLUMNS.map((name) => line[name]),
        line.kind === 'TREATMENT' ? (harvestFrom(line, timezone) ?? 'UNKNOWN') : null,
      ]);
    }
    yield text;
  }
}

const RECORD_COLUMNS = [
  'product',
  'product_kind',
  'product_lot',
  'amount',
  'unit',
  'text',
  'responsible',
  'source',
  'withdrawal_days',
] as const satisfies readonly (keyof RecordLine)[];

/** One line per delivery and count; `left_kg` is what is left of the delivery now. */
export async function* feedStockCsv(
  lines: readonly StockLine[],
  { form, timezone }: Place,
): AsyncIterable<string> {
  const csv = csvText(form);
  const clock = zoneClock(timezone);
  yield csv.head(['date', 'time', ...STOCK_COLUMNS]);
  let text = '';
  for (const line of lines) {
    const at = wallText(clock, line.happened_at);
    text += csv.row([at.slice(0, 10), at.slice(11, 19), ...STOCK_COLUMNS.map((name) => line[name])]);
  }
  yield text;
}

const STOCK_COLUMNS = [
  'kind',
  'product',
  'lot',
  'quantity_kg',
  'bags',
  'bag_kg',
  'protein_percent',
  'pellet_mm',
  'price_per_kg',
  'supplier',
  'expires_on',
  'expected_kg',
  'difference_kg',
  'left_kg',
  'notes',
] as const satisfies readonly (keyof StockLine)[];

/** One line per loss that was told of; `pond` is empty where it was of all ponds alike. */
export async function* lossesCsv(
  lines: readonly LossLine[],
  { form, timezone }: Place,
  ponds: ReadonlyMap<string, string>,
): AsyncIterable<string> {
  const csv = csvText(form);
  const clock = zoneClock(timezone);
  yield csv.head(['date', 'time', 'pond', 'cause', 'dead_count', 'dead_weight_kg', 'share', 'description']);
  let text = '';
  for (const line of lines) {
    const at = wallText(clock, line.lost_at);
    text += csv.row([
      at.slice(0, 10),
      at.slice(11, 19),
      line.pond_id === null ? '' : (ponds.get(line.pond_id) ?? ''),
      line.cause ?? 'UNKNOWN',
      line.dead_count,
      kilograms(line.dead_weight_kg),
      roundTo(line.severity, 4),
      line.event_description,
    ]);
  }
  yield text;
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
