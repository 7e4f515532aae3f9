import type { CsvForm } from '#contract/resources/exports.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { type CsvLayout, csvText } from '#core/csv-text.ts';
import type { Table, TableColumn, TableRows } from '#core/packed-file.ts';
import { grams, kilograms, percent, roundTo } from '#core/rounding.ts';
import { wallOf, type ZoneClock, zoneClock } from '#core/zone-clock.ts';
import type { AmmoniaOnBoth, Water } from '#science/water-limits.ts';
import type { BatchesThere } from '../batch-in-pond.ts';
import type { BatchHistory } from '../batch-state.ts';
import { harvestFrom } from '../withdrawal.ts';
import { createAmmoniaReader } from './ammonia-of-lines.ts';
import type { ReportLine } from './batch-report.ts';
import type { FeedingLine, LossLine, RecordLine, StockLine, WaterLine } from './ports.ts';

// The registers as tables, chunk by chunk, oldest line first; the same lines leave as CSV and as a workbook. Dates and times
// are those of the farm's clock.

type Lines<Line> = AsyncIterable<readonly Line[]>;

const day = (name = 'date'): TableColumn => ({ name, is: 'day' });
const time: TableColumn = { name: 'time', is: 'time' };
const text = (...names: string[]): TableColumn[] => names.map((name) => ({ name, is: 'text' }));
const number = (...names: string[]): TableColumn[] => names.map((name) => ({ name, is: 'number' }));

/**
 * One line per weighing. `biomass` (kg), `survival_rate` and `population` are those of that instant; before the stocking there were none.
 *
 * @param ponds words for the ponds weighed, for a last column; null: the columns of the interface alone
 */
export function biometriesTable(
  history: BatchHistory,
  timezone: string,
  ponds: ReadonlyMap<string, string> | null,
): Table {
  const clock = zoneClock(timezone);
  const lines = history.recorded.map((weighing) => {
    const day = wallText(clock, weighing.measurement_date).slice(0, 10);
    const isStocked = day >= history.state.batch.start_date;
    const stock = isStocked ? history.stockAt(weighing.measurement_date) : null;
    return [
      day,
      roundTo(weighing.total_weight_g, 4),
      weighing.sample_size,
      grams(weighing.average_weight_g),
      stock === null ? null : kilograms(stock.biomassKg),
      stock === null ? null : percent(stock.survivalRate),
      stock?.population ?? null,
      // a sample of the whole batch names none
      ...(ponds === null ? [] : [ponds.get(weighing.pondId ?? '') ?? null]),
    ];
  });
  return {
    columns: [
      day(),
      ...number('sample_weight', 'sample_count', 'average_weight', 'biomass', 'survival_rate', 'population'),
      ...(ponds === null ? [] : text('pond')),
    ],
    // a batch is weighed once a week: these are few lines
    chunks: [lines],
  };
}

/** One line per feeding; `frequency` is the number of feedings of that day. */
export function feedingTable(feedings: Lines<FeedingLine>, timezone: string): Table {
  return {
    columns: [day(), ...text('feed_type'), ...number('quantity_kg', 'frequency'), ...text('observations')],
    chunks: feedingRows(feedings, zoneClock(timezone)),
  };
}

async function* feedingRows(feedings: Lines<FeedingLine>, clock: ZoneClock): AsyncIterable<TableRows> {
  let today: { date: string; lines: FeedingLine[] } = { date: '', lines: [] };
  for await (const chunk of feedings) {
    const rows: (string | number | null)[][] = [];
    for (const line of chunk) {
      const date = wallText(clock, line.feed_date).slice(0, 10);
      if (date !== today.date) {
        rows.push(...feedingDay(today));
        today = { date, lines: [] };
      }
      today.lines.push(line);
    }
    yield rows;
  }
  yield feedingDay(today);
}

function feedingDay({ date, lines }: { date: string; lines: readonly FeedingLine[] }) {
  return lines.map((line) => [date, line.feed_type, kilograms(line.quantity_kg), lines.length, line.notes]);
}

const WATER_COLUMNS = [
  'temperature',
  'dissolved_oxygen',
  'ph',
  'ammonia',
  'nitrite',
  'transparency',
] as const satisfies readonly WaterField[];

/** The file of the interface, one line per measurement; a year of a probe is written by those who read it. */
export async function* waterCsv(
  linesIn: (layout: CsvLayout) => AsyncIterable<string>,
  place: { form: CsvForm; timezone: string },
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
export function allWaterTable(lines: Lines<WaterLine>, timezone: string, water: Water): Table {
  const clock = zoneClock(timezone);
  const both = createAmmoniaReader(water);
  return {
    columns: [
      day(),
      time,
      ...number(...WATER_COLUMNS, 'salinity', 'alkalinity', 'nitrate'),
      ...text('ammonia_basis'),
      ...number('ammonia_nh3_n', 'ammonia_tan'),
      ...text('ammonia_certainty'),
    ],
    chunks: rowsOf(lines, (line) => {
      const at = wallText(clock, line.measurement_date);
      const ammonia = both(line);
      return [
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
      ];
    }),
  };
}

async function* rowsOf<Line>(
  lines: Lines<Line>,
  rowOf: (line: Line) => TableRows[number],
): AsyncIterable<TableRows> {
  for await (const chunk of lines) yield chunk.map(rowOf);
}

const certaintyOf = (found: AmmoniaOnBoth): string => {
  if (!found.isKnown) return 'WORST_CASE';
  return found.isExtrapolated ? 'EXTRAPOLATED' : 'KNOWN';
};

/** One line per record; `batches`: whose animals were there, `place` the farm's word for it. */
export function recordsTable(lines: Lines<RecordLine>, timezone: string, batchesOf: BatchesThere): Table {
  return {
    columns: [
      day(),
      time,
      ...text('kind', 'place', 'batches', 'product', 'product_kind', 'product_lot'),
      ...number('amount'),
      ...text('unit', 'text', 'responsible', 'source'),
      ...number('withdrawal_days'),
      day('harvest_from'),
      ...text('signs'),
      ...number('affected_percent'),
      ...text('severity', 'disease', 'disease_name', 'sample', 'method', 'result'),
      day('result_on'),
      ...text('report_number', 'trays', 'step'),
      day('ended_on'),
      ...text('meter'),
      ...number('meter_factor'),
      ...text('meter_change'),
    ],
    chunks: recordRows(lines, timezone, batchesOf),
  };
}

async function* recordRows(
  lines: Lines<RecordLine>,
  timezone: string,
  batchesOf: BatchesThere,
): AsyncIterable<TableRows> {
  const clock = zoneClock(timezone);
  for await (const chunk of lines) {
    const rows: (string | number | null)[][] = [];
    for (const line of chunk) {
      const at = wallText(clock, line.happened_at);
      const there = await batchesOf(line);
      rows.push([
        at.slice(0, 10),
        at.slice(11, 19),
        line.kind,
        line.place,
        there.map(({ batch_code }) => batch_code).join(' '),
        ...RECORD_COLUMNS.map((name) => line[name]),
        line.kind === 'TREATMENT' ? (harvestFrom(line, timezone) ?? 'UNKNOWN') : null,
        line.signs === null ? null : line.signs.join(' '),
        ...HEALTH_COLUMNS.map((name) => line[name]),
        traysText(line.trays),
        line.step,
        line.ended_on,
        line.meter,
        line.meter_factor,
        line.meter_change,
      ]);
    }
    yield rows;
  }
}

/** `1=0 2=12.5 3=?`: the number of a tray and the percent left on it; `?`: nobody looked. A note follows in brackets. */
const traysText = (trays: RecordLine['trays']): string | null =>
  trays === null
    ? null
    : trays
        .map(
          ({ tray, left_percent, note }) =>
            `${tray}=${left_percent ?? '?'}${note === null ? '' : ` (${note})`}`,
        )
        .join(' ');

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

const HEALTH_COLUMNS = [
  'affected_percent',
  'severity',
  'disease',
  'disease_name',
  'sample',
  'method',
  'result',
  'result_on',
  'report_number',
] as const satisfies readonly (keyof RecordLine)[];

/** One line per delivery and count; `left_kg` is what is left of the delivery now. */
export function feedStockTable(lines: readonly StockLine[], timezone: string): Table {
  const clock = zoneClock(timezone);
  const rows = lines.map((line) => {
    const at = wallText(clock, line.happened_at);
    return [at.slice(0, 10), at.slice(11, 19), ...STOCK_COLUMNS.map(({ name }) => line[name])];
  });
  return { columns: [day(), time, ...STOCK_COLUMNS], chunks: [rows] };
}

const STOCK_COLUMNS = [
  { name: 'kind', is: 'text' },
  { name: 'product', is: 'text' },
  { name: 'lot', is: 'text' },
  { name: 'quantity_kg', is: 'number' },
  { name: 'bags', is: 'number' },
  { name: 'bag_kg', is: 'number' },
  { name: 'protein_percent', is: 'number' },
  { name: 'pellet_mm', is: 'number' },
  { name: 'price_per_kg', is: 'number' },
  { name: 'supplier', is: 'text' },
  { name: 'expires_on', is: 'day' },
  { name: 'expected_kg', is: 'number' },
  { name: 'difference_kg', is: 'number' },
  { name: 'left_kg', is: 'number' },
  { name: 'notes', is: 'text' },
] as const satisfies readonly (TableColumn & { name: keyof StockLine })[];

/** One line per loss that was told of; `pond` is empty where it was of all ponds alike. */
export function lossesTable(
  lines: readonly LossLine[],
  timezone: string,
  ponds: ReadonlyMap<string, string>,
): Table {
  const clock = zoneClock(timezone);
  const rows = lines.map((line) => {
    const at = wallText(clock, line.lost_at);
    return [
      at.slice(0, 10),
      at.slice(11, 19),
      line.pond_id === null ? '' : (ponds.get(line.pond_id) ?? ''),
      line.cause ?? 'UNKNOWN',
      line.dead_count,
      kilograms(line.dead_weight_kg),
      roundTo(line.severity, 4),
      line.event_description,
    ];
  });
  return {
    columns: [
      day(),
      time,
      ...text('pond', 'cause'),
      ...number('dead_count', 'dead_weight_kg', 'share'),
      ...text('description'),
    ],
    chunks: [rows],
  };
}

/** What the farm's clock shows, as `YYYY-MM-DDTHH:MM:SS…`. */
export function wallText(clock: ZoneClock, instantIso: string): string {
  return new Date(wallOf(clock, Date.parse(instantIso))).toISOString();
}

/** A table as CSV, chunk by chunk, the header with the first. */
export async function* tableCsv({ columns, chunks }: Table, form: CsvForm): AsyncIterable<string> {
  const csv = csvText(form);
  let head = csv.head(columns.map(({ name }) => name));
  for await (const rows of chunks) {
    yield head + rows.map(csv.row).join('');
    head = '';
  }
  if (head !== '') yield head;
}

/** One line per figure of a report. */
export function reportCsv(lines: readonly ReportLine[], form: CsvForm): Iterable<string> {
  const csv = csvText(form);
  return [csv.head(['section', 'metric', 'value', 'unit']) + lines.map(csv.row).join('')];
}
