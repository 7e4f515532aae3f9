import { csvFile } from '#contract/resources/exports.ts';
import {
  IMPORT_KINDS,
  type ImportKind,
  type ImportQuery,
  importLook,
  importQuery,
  importReport,
  lookQuery,
} from '#contract/resources/imports.ts';
import { AppError, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { zoneClock } from '#core/zone-clock.ts';
import { checkFile, importRows, notAnswered, notValid } from './import-file.ts';
import { lookAtFile } from './look-at-file.ts';
import { openFile, previewOf } from './open-file.ts';
import { openSheets, sheetFor } from './open-sheet.ts';
import type { FarmFacts, ImportDeps, RowFacts } from './ports.ts';
import type { ColumnsSaid } from './read-header.ts';
import type { ImportBy } from './read-rows.ts';
import { templateOf } from './template.ts';

const tag = 'Imports';
const MOST_BYTES = 8 * 1_048_576;
/** What else a sheet is called by the machine it comes from; what it is its bytes tell. */
const SHEETS = [
  'text/plain',
  'text/tab-separated-values',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/octet-stream',
] as const;
/** A clock on the farm may be that far ahead. */
const AHEAD_MS = 10 * 60_000;

const WHAT: Readonly<Record<ImportKind, string>> = {
  batches: 'past batches',
  biometries: 'weighings',
  feeding: 'feedings',
  measurements: 'measurements of the water',
};

/** Files of the past; one at a time, because each is held in memory while it is read. */
export function importRoutes(deps: ImportDeps): Route[] {
  const turn: Turn = { isTaken: false };
  return [
    lookRoute(deps, turn),
    ...IMPORT_KINDS.flatMap((kind) => [importRoute(deps, kind, turn), templateRoute(kind)]),
  ];
}

type Turn = { isTaken: boolean };
const onItsFarm = {
  who: 'farm',
  right: 'manage',
  of: 'farm',
  at: 'query',
  field: 'farm_id',
  others: 404,
} as const;
const takes = { media: 'text/csv', also: SHEETS, maxBytes: MOST_BYTES } as const;

async function inTurn<Answer>(turn: Turn, work: () => Promise<Answer>): Promise<Answer> {
  if (turn.isTaken)
    throw new AppError(503, 'Another file is being imported; please try again in a moment', {
      code: 'BUSY',
      headers: { 'Retry-After': '5' },
    });
  turn.isTaken = true;
  try {
    return await work();
  } finally {
    turn.isTaken = false;
  }
}

function lookRoute(deps: ImportDeps, turn: Turn): Route {
  return route({
    method: 'POST',
    path: '/imports/look',
    tag,
    summary: 'What a sheet is: its sheets, what each seems to hold, and its columns; nothing is imported',
    access: onItsFarm,
    query: lookQuery,
    takes,
    answers: { 200: { schema: importLook } },
    handle: (request) =>
      inTurn(turn, async () => {
        const { kind, sheet, columns } = request.query;
        const asked = { kind, sheet, columns: columnsSaid(columns) };
        const { look } = await lookAtFile(deps, request.upload ?? new Uint8Array(), asked);
        return { answer: { status: 200, body: look } };
      }),
  });
}

function importRoute(deps: ImportDeps, kind: ImportKind, turn: Turn): Route {
  return route({
    method: 'POST',
    path: `/imports/${kind}`,
    tag,
    summary: `Import ${WHAT[kind]} from a sheet (xlsx, xls, ods, csv, txt); as a dry run, unless dry_run=false`,
    access: onItsFarm,
    query: importQuery,
    takes,
    answers: { 200: { schema: importReport } },
    handle: (request) =>
      inTurn(turn, async () => {
        const by = { caller: signedIn(request), farm: onFarm(request), language: request.language };
        const sent = { kind, query: request.query, bytes: request.upload ?? new Uint8Array() };
        return { answer: { status: 200, body: await importSent(deps, by, sent) } };
      }),
  });
}

function templateRoute(kind: ImportKind): Route {
  return route({
    method: 'GET',
    path: `/imports/${kind}/template.csv`,
    tag,
    summary: `A file to fill in for an import of ${WHAT[kind]}`,
    access: { who: 'account' },
    answers: { 200: { schema: csvFile, media: 'text/csv' } },
    handle: async (request) => ({
      answer: {
        status: 200,
        text: { type: 'text/csv; charset=utf-8', chunks: [templateOf(kind, request.language)] },
        headers: { 'Content-Disposition': `attachment; filename="${kind}-template.csv"` },
      },
    }),
  });
}

async function importSent(
  deps: ImportDeps,
  by: ImportBy,
  { kind, query, bytes }: { kind: ImportKind; query: ImportQuery; bytes: Uint8Array },
) {
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
  };
  const columns = columnsSaid(query.columns);
  const table = sheetFor(kind, await openSheets(deps, bytes), query.sheet);
  const file = await openFile(deps, table, {
    kind,
    decimal: query.decimal,
    dateOrder: query.date_order,
    columns,
    skip: rowsIn(query.skip),
    salinity: query.salinity ?? null,
    given,
    language: by.language,
  });
  const facts = rowFacts(deps, farm, by);
  const { count, fresh } = await checkFile(deps, by, file, facts);
  const isDryRun = query.dry_run === 'true' || query.dry_run === '1';
  if (!isDryRun && count.errors_total > 0) throw notValid(count);
  if (!isDryRun && file.questions.length > 0 && fresh.size > 0) throw notAnswered(file.questions);
  const imported = isDryRun ? 0 : await importRows(deps, by, { file, facts, fresh });
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

/** `4,17,20-25` */
function rowsIn(text: string | undefined): { has: (row: number) => boolean } {
  const ranges = (text ?? '').split(',').map((part) => part.split('-').map(Number));
  return { has: (row) => ranges.some(([from = 0, to = from]) => row >= from && row <= to) };
}

/** `3=salinity@ppt;5=-` */
function columnsSaid(text: string | undefined): ColumnsSaid {
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

function rowFacts(deps: ImportDeps, farm: FarmFacts, by: ImportBy): RowFacts {
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
    batchBy: (ref) => batchesByCode.get(wordOf(ref)) ?? batchesById.get(ref.toLowerCase()) ?? null,
  };
}
