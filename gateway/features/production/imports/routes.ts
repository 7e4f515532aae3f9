import { csvFile } from '#contract/resources/exports.ts';
import { importRecordAnswer } from '#contract/resources/import-records.ts';
import {
  IMPORT_KINDS,
  type ImportKind,
  type ImportLook,
  type ImportQuery,
  importLook,
  importQuery,
  importReport,
  lookQuery,
} from '#contract/resources/imports.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route, type UploadedFile } from '#core/route.ts';
import type { Language } from '#science/advice/language.ts';
import { COLUMNS } from './columns.ts';
import { createTurn, newRecord, noteFailure, progressOf, type Turn } from './import-progress.ts';
import { columnsSaid, importSent, openSheets, rememberedOf, sheetFor } from './import-sent.ts';
import { basisUnitsFor } from './nitrogen-columns.ts';
import { missingIn } from './open-file.ts';
import type { ImportDeps } from './ports.ts';
import type { ColumnsSaid } from './read-header.ts';
import { type Layout, readLayout } from './read-layout.ts';
import { exampleIn, type ImportBy, REQUIRED } from './read-rows.ts';
import type { Table } from './read-table.ts';
import { recordAnswer, recordRoutes } from './record-routes.ts';
import { SPANISH_NAMES } from './spanish-columns.ts';
import { unitsFor } from './units.ts';

const tag = 'Imports';
/** A year of a probe's workbook; what a text may have of it is read in memory. */
const MOST_BYTES = 32 * 1_048_576;
/** What else a sheet is called by the machine it comes from; what it is its bytes tell. */
const SHEETS = [
  'text/plain',
  'text/tab-separated-values',
  'application/vnd.ms-excel',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.oasis.opendocument.spreadsheet',
  'application/octet-stream',
] as const;

const WHAT: Readonly<Record<ImportKind, string>> = {
  batches: 'past batches',
  biometries: 'weighings',
  feeding: 'feedings',
  measurements: 'measurements of the water',
  meters: 'readings of electricity meters',
};

/** Files of the past; one at a time, because each is held in memory while it is read. */
export function importRoutes(deps: ImportDeps): { routes: Route[]; stop: () => Promise<void> } {
  const turn = createTurn(deps);
  const routes = [
    lookRoute(deps, turn),
    ...recordRoutes(deps, turn),
    ...IMPORT_KINDS.flatMap((kind) => [importRoute(deps, kind, turn), templateRoute(kind)]),
  ];
  return { routes, stop: turn.stop };
}

const onItsFarm = {
  who: 'farm',
  right: 'manage',
  of: 'farm',
  at: 'query',
  field: 'farm_id',
  others: 404,
} as const;
const takes = { media: 'text/csv', also: SHEETS, maxBytes: MOST_BYTES, isToDisk: true } as const;

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
      turn.alone(async () => {
        const { kind, sheet, columns } = request.query;
        const { farmId } = onFarm(request);
        const asked = { farmId, kind, sheet, columns: columnsSaid(columns) };
        const look = await lookAtFile(deps, sheetOf(request), asked);
        return { answer: { status: 200, body: look } };
      }),
  });
}

function importRoute(deps: ImportDeps, kind: ImportKind, turn: Turn): Route {
  const { isStopping } = turn;
  return route({
    method: 'POST',
    path: `/imports/${kind}`,
    tag,
    summary: `Import ${WHAT[kind]} from a sheet (xlsx, xls, ods, csv, txt); as a dry run, unless dry_run=false`,
    access: onItsFarm,
    query: importQuery,
    takes,
    answers: { 200: { schema: importReport }, 202: { schema: importRecordAnswer } },
    // a file that is waited for comes in, commit by commit, before there is anything to decide
    prepare: async (request) =>
      isInBackground(request.query)
        ? null
        : turn.alone(() => importSent(deps, byOf(request), sentOf(kind, request), { isStopping })),
    async handle(request, report) {
      if (report !== null) return { answer: { status: 200, body: report } };
      turn.requireFree();
      const by = byOf(request);
      const begun = { kind, fileName: request.query.file_name ?? null, state: 'CHECKING' } as const;
      const { record, changes } = await newRecord(deps, by, begun);
      const progress = progressOf(deps, record.id, isStopping);
      return {
        answer: { status: 202, body: recordAnswer(record, deps.now()) },
        changes,
        whenStored: () => {
          const sent = sentOf(kind, request);
          sent.sheet.keep();
          turn.start(() =>
            importSent(deps, by, sent, { isStopping, progress })
              .then(
                () => undefined,
                (error: unknown) => noteFailure(deps, record.id, error),
              )
              .finally(() => void sent.sheet.release()),
          );
        },
      };
    },
  });
}

type Sent = Request<never, ImportQuery, unknown>;
const isInBackground = ({ background, dry_run: isDry }: ImportQuery): boolean => background && !isDry;
const byOf = (request: Omit<Sent, 'params'>): ImportBy => ({
  caller: signedIn(request),
  farm: onFarm(request),
  language: request.language,
});
const sentOf = (kind: ImportKind, { query, file }: Pick<Sent, 'query' | 'file'>) => ({
  kind,
  query,
  sheet: sheetOf({ file }),
});

function sheetOf({ file }: Pick<Sent, 'file'>): UploadedFile {
  if (file === null) throw new Error('a route of files was called without one');
  return file;
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

const BYTE_ORDER_MARK = '\uFEFF';

/** A file to fill in: the headings in the reader's language, and one example below them, ready for a spreadsheet. */
function templateOf(kind: ImportKind, language: Language): string {
  const columns = COLUMNS[kind];
  const headings = columns.map(
    ({ name, aliases }) =>
      ({ 'pt-BR': aliases[0], en: name, es: SPANISH_NAMES[name]?.[0] ?? name })[language],
  );
  const examples = columns.map((column) => exampleIn(language, column));
  const separator = language === 'en' ? ',' : ';';
  return `${BYTE_ORDER_MARK}${headings.join(separator)}\r\n${examples.join(separator)}\r\n`;
}

/** What every kind has: it tells nothing of what the rows are. */
const IN_ALL = new Set(['batch', 'batch_code', 'pond', 'date', 'time', 'notes']);
const EXAMPLES = 3;
const EXAMPLE_LETTERS = 40;
/** Rows in which examples are looked for. */
const LOOKED_AT = 40;
const MOST_COLUMNS = 200;

type LookAsked = {
  farmId: string;
  kind: ImportKind | undefined;
  sheet: string | undefined;
  columns: ColumnsSaid;
};

/** What a file is, before anything of it is read as rows: its sheets, what each seems to hold, and its columns. */
async function lookAtFile(
  deps: Pick<ImportDeps, 'readSheets' | 'pause' | 'idOf' | 'queries'>,
  file: UploadedFile,
  { farmId, kind: asked, sheet, columns }: LookAsked,
): Promise<ImportLook> {
  const tables = await openSheets(deps, file);
  const sheets = [];
  for (const table of tables) {
    sheets.push({ table, ...likeliest(table) });
    await deps.pause(1);
  }
  const chosen =
    asked === undefined && sheet === undefined
      ? null
      : (await sheetFor(deps, asked ?? 'batches', { sheets: tables, named: sheet })).table;
  const found =
    sheets.find(({ table }) => table === chosen) ??
    sheets.reduce((best, one) => (one.score > best.score ? one : best));
  const kind = asked ?? found.kind;
  const layout = kind === null ? null : readLayout(kind, found.table, columns);
  return {
    file: found.table.file,
    sheets: sheets.map((each) => ({ name: each.table.sheet, kind: each.kind })),
    sheet: found.table.sheet,
    kind,
    header_row: layout?.headerRow ?? null,
    columns: layout === null ? [] : columnsOf(layout),
    missing: layout === null || kind === null ? [] : missingIn(kind, layout.header, {}),
    twice: [...new Set(layout?.header.twice.map(({ name }) => name))],
    fields:
      kind === null
        ? []
        : COLUMNS[kind].map(({ name }) => ({
            column: name,
            is_needed: REQUIRED[kind].includes(name),
            units: [...unitsFor(name), ...basisUnitsFor(name)],
          })),
    remembered:
      layout === null || kind === null
        ? null
        : await rememberedOf(deps, { farmId, kind, headings: layout.headings }),
  };
}

/** The kind whose own columns a sheet names; null where none does, or two alike. */
function likeliest(table: Table): { kind: ImportKind | null; score: number } {
  const [best, next] = IMPORT_KINDS.map((kind) => ({ kind, score: scoreOf(kind, table) })).toSorted(
    (one, other) => other.score - one.score,
  );
  if (best === undefined || best.score <= 0) return { kind: null, score: 0 };
  return best.score === next?.score ? { kind: null, score: 0 } : best;
}

function scoreOf(kind: ImportKind, table: Table): number {
  const { header } = readLayout(kind, table, new Map());
  const names = [...header.columns.map(({ name }) => name), ...header.refused.map(({ column }) => column)];
  const own = new Set(names.filter((name) => !IN_ALL.has(name))).size;
  const missing = missingIn(kind, header, {}).filter((name) => !IN_ALL.has(name)).length;
  return own === 0 ? 0 : 2 * own - missing;
}

function columnsOf({ headings, header, rows }: Layout): ImportLook['columns'] {
  const examples = new Map<number, string[]>();
  let looked = 0;
  for (const { cells } of rows()) {
    for (const [position, cell] of cells.slice(0, MOST_COLUMNS).entries()) {
      const text = String(cell).trim();
      const known = examples.get(position) ?? [];
      if (text === '' || known.length === EXAMPLES) continue;
      examples.set(position, [...known, text.slice(0, EXAMPLE_LETTERS)]);
    }
    looked += 1;
    if (looked === LOOKED_AT) break;
  }
  const read = new Map(header.columns.map((each) => [each.position, each]));
  const twice = new Map(header.twice.map((each) => [each.position, each]));
  const refused = new Map(header.refused.map((each) => [each.position, each]));
  const width = Math.min(MOST_COLUMNS, Math.max(headings.length, ...examples.keys()) + 1);
  return Array.from({ length: width }, (_, position) => {
    const known = read.get(position) ?? twice.get(position);
    const odd = refused.get(position);
    return {
      position: position + 1,
      heading: (headings[position] ?? '').slice(0, 80),
      column: known?.name ?? odd?.column ?? null,
      unit: known?.unit ?? odd?.unit ?? null,
      time: known?.time ?? null,
      examples: examples.get(position) ?? [],
    };
  }).filter(({ heading, examples: cells }) => heading !== '' || cells.length > 0);
}
