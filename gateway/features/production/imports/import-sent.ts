import type { RowOf } from '#contract/resource.ts';
import { importLayout } from '#contract/resources/import-records.ts';
import type { ImportKind, ImportLook, ImportQuery, ImportReport } from '#contract/resources/imports.ts';
import { meterKey } from '#contract/resources/meter-readings.ts';
import { purge, put } from '#core/changes.ts';
import { notFound } from '#core/errors.ts';
import { AHEAD_MS } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import type { UploadedFile } from '#core/route.ts';
import { zoneClock } from '#core/zone-clock.ts';
import { importRows, type ToBring } from './bring-rows.ts';
import { checkFile, notAnswered, notValid } from './import-file.ts';
import { beginRecord, noteFailure, noteIn, type Progress, progressOf } from './import-progress.ts';
import { openFile, previewOf } from './open-file.ts';
import type { FarmFacts, ImportDeps, ReadingOfMeter, RowFacts } from './ports.ts';
import { type ColumnsSaid, headingsIn } from './read-header.ts';
import type { ImportBy } from './read-rows.ts';
import { notATable, openTable, seenText, type Table, type TableRow, tableOf } from './read-table.ts';

export type Sent = { kind: ImportKind; query: ImportQuery; sheet: UploadedFile };

/**
 * Reads a file, looks at every row, and imports it unless that is a dry run. `progress`: of a record that is kept already;
 * without one it is begun once nothing is wrong with the file. Throws 422 for a file that cannot come in.
 */
export async function importSent(
  deps: ImportDeps,
  by: ImportBy,
  { kind, query, sheet }: Sent,
  { isStopping, progress }: { isStopping: () => boolean; progress?: Progress },
): Promise<ImportReport> {
  const farm = await deps.queries.farmFacts(by.farm.farmId);
  if (farm === null) throw notFound('Farm');
  const given = {
    batch: query.batch_id,
    pond: query.pond_id,
    cost_per_kg: query.cost_per_kg,
    feed_type: query.feed_type,
    species: query.species,
    initial_avg_weight: query.initial_avg_weight,
    sample_size: query.sample_size,
    meter: query.meter,
  };
  const columns = columnsSaid(query.columns);
  const sheets = await openSheets(deps, sheet);
  const { table, others } = await sheetFor(deps, kind, { sheets, named: query.sheet });
  const file = await openFile(table, {
    kind,
    decimal: query.decimal,
    dateOrder: query.date_order,
    columns,
    skip: rowsIn(query.skip),
    otherSheets: others,
    salinity: query.salinity ?? null,
    ammoniaBasis: (await deps.scienceOf(by.farm.farmId)).water.ammoniaBasis,
    given,
    language: by.language,
  });
  const readings = kind === 'meters' ? await deps.queries.readingsOf(by.farm.farmId) : [];
  const facts = rowFacts(deps, { farm, readings }, by);
  const undone = await deps.queries.undoneRows(by.farm.farmId, kind);
  const step = (rows: number) => progress?.step(rows, 0) ?? Promise.resolve();
  const { count, fresh, ids } = await checkFile(deps, by, { file, facts, undone, step });
  const isDryRun = query.dry_run;
  if (!isDryRun && count.errors_total > 0) throw notValid(count);
  if (!isDryRun && file.questions.length > 0 && fresh.size > 0) throw notAnswered(file.questions);
  const toBring = { file, facts, fresh, idsInOrder: ids, undone };
  const imported = isDryRun ? 0 : await bring(deps, by, { query, toBring, progress, isStopping });
  const format = { separator: table.separator, decimal: file.manner.mark, encoding: table.encoding };
  return {
    kind,
    dry_run: isDryRun,
    ...count,
    imported,
    questions: file.questions,
    ignored_columns: file.ignored,
    format,
    reading: {
      file: table.file,
      sheet: table.sheet,
      logger: file.logger,
      header_row: file.headerRow,
      date_order: file.dateOrder,
      utc_offset_minutes: file.dates.offsetMs === null ? null : Math.round(file.dates.offsetMs / 60_000),
      columns: file.columns.map(({ name, is, position, heading, unit, time }) => ({
        column: name,
        heading,
        position: position + 1,
        unit,
        decimal:
          is === 'number' || is === 'integer' ? (file.manners.get(position) ?? file.manner).mark : null,
        time,
      })),
      preview: previewOf(file, facts),
    },
  };
}

type Bringing = {
  query: ImportQuery;
  toBring: Omit<ToBring, 'progress'>;
  progress: Progress | undefined;
  isStopping: () => boolean;
};

async function bring(
  deps: ImportDeps,
  by: ImportBy,
  { query, toBring, progress, isStopping }: Bringing,
): Promise<number> {
  const { kind, table } = toBring.file;
  // the same file again brings nothing, and is nothing to undo
  if (progress === undefined && toBring.fresh.size === 0) return 0;
  const begin = () => beginRecord(deps, by, { kind, fileName: query.file_name ?? null, state: 'IMPORTING' });
  const at = progress ?? progressOf(deps, (await begin()).id, isStopping);
  try {
    const total = toBring.fresh.size;
    await noteIn(deps, at.id, { state: 'IMPORTING', sheet: table.sheet, rows_done: 0, rows_total: total });
    const sheet = { farmId: by.farm.farmId, kind, headings: toBring.file.headings };
    await rememberLayout(deps, sheet, query);
    const { imported, batchCodes } = await importRows(deps, by, { ...toBring, progress: at });
    await noteIn(deps, at.id, { state: 'DONE', batch_codes: batchCodes, ended_at: isoOf(deps.now()) });
    return imported;
  } catch (error) {
    if (progress === undefined) await noteFailure(deps, at.id, error);
    throw error;
  }
}

/** `4,17,20-25` */
function rowsIn(text: string | undefined): { has: (row: number) => boolean } {
  const ranges = (text ?? '').split(',').map((part) => part.split('-').map(Number));
  return { has: (row) => ranges.some(([from = 0, to = from]) => row >= from && row <= to) };
}

/** `3=salinity@ppt;5=-` */
export function columnsSaid(text: string | undefined): ColumnsSaid {
  return new Map(
    (text ?? '').split(';').flatMap((part) => {
      const [position = '', said = ''] = part.split('=', 2);
      const [column = '', unit = null] = said.split('@', 2);
      return position === ''
        ? []
        : [[Number(position) - 1, column === '-' ? null : { column, unit }] as const];
    }),
  );
}

function rowFacts(
  deps: ImportDeps,
  { farm, readings }: { farm: FarmFacts; readings: readonly ReadingOfMeter[] },
  by: ImportBy,
): RowFacts {
  const factors = new Map(readings.map(({ meter, meter_factor }) => [meterKey(meter), meter_factor]));
  const wordOf = (code: string) => code.normalize('NFC').toLowerCase();
  const pondsByCod = Map.groupBy(farm.ponds, ({ cod }) => wordOf(cod));
  const pondsById = new Map(
    farm.ponds.flatMap((pond) => [
      [pond.id, pond],
      [String(pond.numeric_id), pond],
    ]),
  );
  const batchesByCode = new Map(farm.batches.map((batch) => [wordOf(batch.batch_code), batch]));
  const batchesById = new Map(
    farm.batches.flatMap((batch) => [
      [batch.id, batch],
      [String(batch.numeric_id), batch],
    ]),
  );
  return {
    farm,
    ownerId: by.farm.ownerId,
    language: by.language,
    clock: zoneClock(farm.timezone),
    latest: deps.clockQuality() === 'trusted' ? isoOf(deps.now() + AHEAD_MS) : null,
    pondBy(ref) {
      const named = pondsByCod.get(wordOf(ref)) ?? [];
      if (named.length > 1) return 'several';
      return named[0] ?? pondsById.get(ref.toLowerCase()) ?? null;
    },
    factorOf: (meter) => factors.get(meterKey(meter)) ?? null,
    batchBy: (ref) => batchesByCode.get(wordOf(ref)) ?? batchesById.get(ref.toLowerCase()) ?? null,
  };
}

/** Kinds of sheets that are remembered of a farm; of more the one that was used least lately goes. */
const MOST_LAYOUTS = 50;

type OfSheet = { farmId: string; kind: ImportKind; headings: readonly string[] };

/** Sheets with the same headings are of one form, in whatever row these stand. */
const idOfLayout = ({ idOf }: Pick<ImportDeps, 'idOf'>, { farmId, kind, headings }: OfSheet): string =>
  idOf(`import-layout:${farmId}:${kind}:${JSON.stringify(headings)}`);

export async function rememberedOf(
  deps: Pick<ImportDeps, 'idOf' | 'queries'>,
  sheet: OfSheet,
): Promise<ImportLook['remembered']> {
  const row = await deps.queries.layoutById(idOfLayout(deps, sheet));
  return row === null
    ? null
    : { columns: row.columns, decimal: row.decimal_mark, date_order: row.date_order };
}

/** Keeps how a sheet was said to be read, for the next one of its form; where nothing was said the last word is forgotten. */
async function rememberLayout(
  deps: ImportDeps,
  sheet: OfSheet,
  said: Pick<ImportQuery, 'columns' | 'decimal' | 'date_order'>,
): Promise<void> {
  const id = idOfLayout(deps, sheet);
  const isSaid = said.columns !== undefined || said.decimal !== undefined || said.date_order !== undefined;
  const known = await deps.queries.layoutById(id);
  if (!isSaid && known === null) return;
  if (!isSaid) return void (await deps.commit({ actor: null, changes: [purge(importLayout, id)] }));
  const row: RowOf<typeof importLayout> = {
    id,
    farm_id: sheet.farmId,
    columns: said.columns ?? null,
    decimal_mark: said.decimal ?? null,
    date_order: said.date_order ?? null,
    used_at: isoOf(deps.now()),
  };
  const oldest = known === null ? await deps.queries.layoutsBeyond(sheet.farmId, MOST_LAYOUTS - 1) : [];
  await deps.commit({
    actor: null,
    changes: [put(importLayout, row), ...oldest.map((gone) => purge(importLayout, gone))],
  });
}

/** Rows in which a sheet must name its columns. */
const LOOKED_AT = 60;
const CELLS_LOOKED_AT = 100;

/** What was read stands in memory: the disk and the next file need not wait for the rows. */
async function readSheets(deps: Pick<ImportDeps, 'readSheets'>, sent: UploadedFile) {
  try {
    return await deps.readSheets(sent);
  } finally {
    await sent.release();
  }
}

/** A file of text, or every sheet of a workbook that has rows. Throws 422 where there is none. */
export async function openSheets(
  deps: Pick<ImportDeps, 'readSheets'>,
  sent: UploadedFile,
): Promise<readonly [Table, ...Table[]]> {
  const read = await readSheets(deps, sent);
  if (read instanceof Uint8Array) return [openTable(read)];
  const [first, ...more] = read.sheets.map(({ name, rows }) =>
    tableOf({ file: read.file, sheet: name, separator: null, encoding: null, all: () => seenRows(rows()) }),
  );
  if (first === undefined) throw notATable('The workbook has no sheet with rows', 'EMPTY_FILE');
  return [first, ...more];
}

function* seenRows(rows: Iterable<TableRow>): Generator<TableRow> {
  for (const row of rows)
    yield { ...row, cells: row.cells.map((cell) => (typeof cell === 'string' ? seenText(cell) : cell)) };
}

/** How many columns the row of a sheet names that names most. */
function mostHeadings(kind: ImportKind, table: Table): number {
  let most = 0;
  let looked = 0;
  for (const { cells } of table.all()) {
    most = Math.max(most, headingsIn(kind, cells.slice(0, CELLS_LOOKED_AT)));
    looked += 1;
    if (looked === LOOKED_AT) break;
  }
  return most;
}

/**
 * The sheet that is named, or names most columns, and those that name columns of this kind, too, such as one for each pond.
 * Throws 422 where there is none of that name.
 */
export async function sheetFor(
  { pause }: Pick<ImportDeps, 'pause'>,
  kind: ImportKind,
  { sheets, named }: { sheets: readonly Table[]; named: string | undefined },
): Promise<{ table: Table; others: string[] }> {
  const alike: { table: Table; count: number }[] = [];
  for (const table of sheets) {
    if (named !== undefined && table.sheet !== named) continue;
    alike.push({ table, count: mostHeadings(kind, table) });
    await pause(1);
  }
  const [first, ...more] = alike;
  if (first === undefined) throw notATable(`The workbook has no sheet ${named ?? ''}`, 'SHEET_UNKNOWN');
  const { table } = more.reduce((best, one) => (one.count > best.count ? one : best), first);
  const others = alike.flatMap((each) =>
    each.table !== table && each.count > 1 ? [each.table.sheet ?? ''] : [],
  );
  return { table, others: named === undefined ? others : [] };
}
