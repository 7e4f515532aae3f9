import { csvFile } from '#contract/resources/exports.ts';
import { importRecordAnswer } from '#contract/resources/import-records.ts';
import {
  IMPORT_KINDS,
  type ImportKind,
  type ImportQuery,
  importLook,
  importQuery,
  importReport,
  lookQuery,
} from '#contract/resources/imports.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Request, type Route, route } from '#core/route.ts';
import { createTurn, newRecord, noteFailure, progressOf, type Turn } from './import-progress.ts';
import { columnsSaid, importSent } from './import-sent.ts';
import { lookAtFile } from './look-at-file.ts';
import type { ImportDeps } from './ports.ts';
import type { ImportBy } from './read-rows.ts';
import { recordAnswer, recordRoutes } from './record-routes.ts';
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

const WHAT: Readonly<Record<ImportKind, string>> = {
  batches: 'past batches',
  biometries: 'weighings',
  feeding: 'feedings',
  measurements: 'measurements of the water',
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
const takes = { media: 'text/csv', also: SHEETS, maxBytes: MOST_BYTES } as const;

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
        const look = await lookAtFile(deps, request.upload ?? new Uint8Array(), asked);
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
        whenStored: () =>
          turn.start(() =>
            importSent(deps, by, sentOf(kind, request), { isStopping, progress }).then(
              () => undefined,
              (error: unknown) => noteFailure(deps, record.id, error),
            ),
          ),
      };
    },
  });
}

type Sent = Request<never, ImportQuery, unknown>;
const isInBackground = ({ background, dry_run: isDry }: ImportQuery): boolean =>
  isYes(background) && !isYes(isDry);
const byOf = (request: Omit<Sent, 'params'>): ImportBy => ({
  caller: signedIn(request),
  farm: onFarm(request),
  language: request.language,
});
const sentOf = (kind: ImportKind, { query, upload }: Pick<Sent, 'query' | 'upload'>) => ({
  kind,
  query,
  bytes: upload ?? new Uint8Array(),
});

const isYes = (said: string): boolean => said === 'true' || said === '1';

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
