import * as z from 'zod';
import { idOrNumber } from '#contract/fields.ts';
import {
  batchSummary,
  biometriesExportQuery,
  csvFile,
  csvForm,
  feedingExportQuery,
  feedStockExportQuery,
  htmlPage,
  lossesExportQuery,
  recordsExportQuery,
  waterExportQuery,
} from '#contract/resources/exports.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { AppError, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm } from '#core/request-checks.ts';
import { type Answer, type Owned, type Request, type Route, route } from '#core/route.ts';
import { dayAfter, localDay, startOfDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { reportLines, reportOf, seriesOf, summaryOf } from './batch-report.ts';
import {
  allWaterCsv,
  biometriesCsv,
  feedingCsv,
  feedStockCsv,
  lossesCsv,
  recordsCsv,
  reportCsv,
  waterCsv,
} from './csv-files.ts';
import { attachment, inline } from './file-name.ts';
import type { ExportDeps, Span } from './ports.ts';
import { REPORT_STYLE, reportPage } from './report-page.ts';

const tag = 'Exports';
const CSV_TYPE = 'text/csv; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';
const batchParams = z.object({ batch_id: idOrNumber });
const csvAnswer = { 200: { schema: csvFile, media: 'text/csv' as const } };

const reading = (of: Owned, at: 'query' | 'params') =>
  ({ who: 'farm', right: 'read', of, at, field: `${of}_id`, others: 404 }) as const;

/** Every file by its path in the interface, and by the one of the release notes. */
export function exportRoutes(deps: ExportDeps): Route[] {
  return [
    ...fileRoutes(deps, { suffix: '/csv', isAlias: false }),
    ...fileRoutes(deps, { suffix: '', isAlias: true }),
    route({
      method: 'GET',
      path: '/exports/records/csv',
      tag,
      summary: 'Treatments, water exchanges and notes of a farm as CSV',
      access: reading('farm', 'query'),
      query: recordsExportQuery,
      answers: csvAnswer,
      async handle(request) {
        await requirePlan(deps, request);
        const { query } = request;
        const farm = await deps.queries.farmOf(query.farm_id);
        if (farm === null) throw notFound('Farm');
        const { timezone } = farm;
        const of = { id: query.farm_id, kind: query.kind ?? null };
        const lines = deps.queries.records(of, spanOf(query, timezone));
        const chunks = recordsCsv(lines, { form: query, timezone }, deps.batchesThere());
        return { answer: csv(chunks, [fileWord('records', request.language), farm.name, ...daysOf(query)]) };
      },
    }),
    route({
      method: 'GET',
      path: '/exports/feed-stock/csv',
      tag,
      summary: 'Deliveries and counts of feed of a farm as CSV',
      access: reading('farm', 'query'),
      query: feedStockExportQuery,
      answers: csvAnswer,
      async handle(request) {
        await requirePlan(deps, request);
        const { query } = request;
        const farm = await deps.queries.farmOf(query.farm_id);
        if (farm === null) throw notFound('Farm');
        const { from, before } = spanOf(query, farm.timezone);
        const lines = (await deps.feedStockOf(query.farm_id, onFarm(request).role)).filter(
          ({ happened_at: at }) => (from === null || at >= from) && (before === null || at < before),
        );
        const chunks = feedStockCsv(lines, { form: query, timezone: farm.timezone });
        return { answer: csv(chunks, [fileWord('stock', request.language), farm.name, ...daysOf(query)]) };
      },
    }),
    route({
      method: 'GET',
      path: '/exports/losses/csv',
      tag,
      summary: 'What died of a batch, as it was told, as CSV',
      access: reading('batch', 'query'),
      query: lossesExportQuery,
      answers: csvAnswer,
      async handle(request) {
        await requirePlan(deps, request);
        const { query } = request;
        const batchId = await batchIdOf(deps, query.batch_id);
        const state = (await deps.batches.byIds([batchId])).get(batchId);
        if (state === undefined) throw notFound('Batch');
        const { batch, timezone } = state;
        const { from, before } = spanOf(query, timezone);
        const losses = (await deps.lossesOf(batchId)).filter(
          ({ lost_at: at }) => (from === null || at >= from) && (before === null || at < before),
        );
        const ponds = await deps.queries.pondCods([
          ...new Set(losses.flatMap(({ pond_id }) => pond_id ?? [])),
        ]);
        const chunks = lossesCsv(losses.toReversed(), { form: query, timezone }, ponds);
        const name = [fileWord('losses', request.language), batch.batch_code, ...daysOf(query)];
        return { answer: csv(chunks, name) };
      },
    }),
    reportCsvRoute(deps, { path: '/exports/batch/{batch_id}/report/csv', isAlias: false }),
    reportCsvRoute(deps, { path: '/exports/batch-report/{batch_id}', isAlias: true }),
    route({
      method: 'GET',
      path: '/exports/batch/{batch_id}/report',
      tag,
      summary: 'A report of a batch to read and to print, with its charts',
      access: reading('batch', 'params'),
      params: batchParams,
      answers: { 200: { schema: htmlPage, media: 'text/html' } },
      handle: async (request) => ({ answer: await reportAnswer(deps, request) }),
    }),
    route({
      method: 'GET',
      path: '/exports/batch/{batch_id}/summary',
      tag,
      summary: 'A batch in one line of figures',
      access: reading('batch', 'params'),
      params: batchParams,
      answers: { 200: { schema: batchSummary } },
      async handle(request) {
        await requirePlan(deps, request);
        const batchId = await batchIdOf(deps, request.params.batch_id);
        const state = (await deps.batches.byIds([batchId])).get(batchId);
        if (state === undefined) throw notFound('Batch');
        const seesMoney = mayOnFarm(onFarm(request).role, 'read_finance');
        const costs = seesMoney ? await deps.costsOf(state) : null;
        return { answer: { status: 200, body: summaryOf(state, costs) } };
      },
    }),
  ];
}

type Written = { suffix: '/csv' | ''; isAlias: boolean };

function fileRoutes(deps: ExportDeps, { suffix, isAlias }: Written): Route[] {
  const common = { method: 'GET', tag, deprecated: isAlias, answers: csvAnswer } as const;
  return [
    route({
      ...common,
      path: `/exports/biometries${suffix}`,
      summary: 'Weighings of a batch as CSV',
      access: reading('batch', 'query'),
      query: biometriesExportQuery,
      async handle(request) {
        await requirePlan(deps, request);
        const history = await deps.batches.historyOf(await batchIdOf(deps, request.query.batch_id));
        if (history === null) throw notFound('Batch');
        const { batch, timezone } = history.state;
        const weighedIn = [...new Set(history.recorded.flatMap(({ pondId }) => pondId ?? []))];
        const ponds = request.query.columns === 'all' ? await deps.queries.pondCods(weighedIn) : null;
        const chunks = biometriesCsv(history, { form: request.query, timezone }, ponds);
        return { answer: csv(chunks, [fileWord('biometries', request.language), batch.batch_code]) };
      },
    }),
    route({
      ...common,
      path: `/exports/feeding${suffix}`,
      summary: 'Feedings of a batch as CSV',
      access: reading('batch', 'query'),
      query: feedingExportQuery,
      async handle(request) {
        await requirePlan(deps, request);
        const batchId = await batchIdOf(deps, request.query.batch_id);
        const state = (await deps.batches.byIds([batchId])).get(batchId);
        if (state === undefined) throw notFound('Batch');
        const { batch, timezone } = state;
        const feedings = deps.queries.feedings(batchId, spanOf(request.query, timezone));
        const name = [fileWord('feeding', request.language), batch.batch_code, ...daysOf(request.query)];
        return { answer: csv(feedingCsv(feedings, { form: request.query, timezone }), name) };
      },
    }),
    route({
      ...common,
      path: `/exports/water-quality${suffix}`,
      summary: 'Measurements of a pond as CSV',
      access: reading('pond', 'query'),
      query: waterExportQuery,
      async handle(request) {
        await requirePlan(deps, request);
        const pond = await deps.queries.pondOf(request.query.pond_id);
        if (pond === null) throw notFound('Pond');
        const { id, cod, timezone } = pond;
        const span = spanOf(request.query, timezone);
        const place = { form: request.query, timezone };
        const chunks =
          request.query.columns === 'all'
            ? allWaterCsv(deps.queries.measurements(id, span), {
                ...place,
                water: (await deps.scienceOf(pond.farmId)).water,
              })
            : waterCsv((layout) => deps.queries.measurementLines(id, span, layout), place);
        const name = [fileWord('water', request.language), cod, ...daysOf(request.query)];
        return { answer: csv(chunks, name) };
      },
    }),
  ];
}

function reportCsvRoute(deps: ExportDeps, { path, isAlias }: { path: string; isAlias: boolean }): Route {
  return route({
    method: 'GET',
    path,
    tag,
    summary: 'Everything about a batch as CSV: section, metric, value, unit',
    deprecated: isAlias,
    access: reading('batch', 'params'),
    params: batchParams,
    query: csvForm,
    answers: csvAnswer,
    async handle(request) {
      await requirePlan(deps, request);
      const report = await reportOf(deps, await batchIdOf(deps, request.params.batch_id), onFarm(request));
      const name = [fileWord('report', request.language), report.history.state.batch.batch_code];
      return { answer: csv(reportCsv(reportLines(report), request.query), name) };
    },
  });
}

async function reportAnswer(
  deps: ExportDeps,
  request: Request<{ batch_id: string }, unknown, unknown>,
): Promise<Answer> {
  await requirePlan(deps, request);
  const report = await reportOf(deps, await batchIdOf(deps, request.params.batch_id), onFarm(request));
  const { state } = report.history;
  const page = reportPage(report, {
    series: await seriesOf(deps, report),
    language: request.language,
    today: localDay(isoOf(deps.now()), state.timezone),
  });
  const name = [fileWord('report', request.language), state.batch.batch_code];
  return {
    status: 200,
    text: { type: HTML_TYPE, chunks: [page], style: REPORT_STYLE },
    headers: {
      'Content-Disposition': inline(name, 'html'),
      'Content-Language': request.language,
    },
  };
}

export function csv(chunks: AsyncIterable<string> | Iterable<string>, name: readonly string[]): Answer {
  return {
    status: 200,
    text: { type: CSV_TYPE, chunks },
    headers: { 'Content-Disposition': attachment(name, 'csv') },
  };
}

export async function requirePlan(
  deps: ExportDeps,
  request: Pick<Request<unknown, unknown, unknown>, 'farm'>,
) {
  if (await deps.mayExport(onFarm(request))) return;
  throw new AppError(403, 'Exports are not part of the plan of this farm; a larger plan has them', {
    code: 'FEATURE_NOT_AVAILABLE',
  });
}

async function batchIdOf(deps: ExportDeps, ref: string): Promise<string> {
  const id = await deps.queries.batchIdOf(ref);
  if (id === null) throw notFound('Batch');
  return id;
}

type Days = { start_date?: string | undefined; end_date?: string | undefined };

export function spanOf({ start_date, end_date }: Days, timezone: string): Span {
  return {
    from: start_date === undefined ? null : startOfDay(start_date, timezone),
    // the last day is in it
    before: end_date === undefined ? null : startOfDay(dayAfter(end_date, 1), timezone),
  };
}

export const daysOf = ({ start_date, end_date }: Days): string[] =>
  [start_date, end_date].filter((day) => day !== undefined);

const WORDS = {
  biometries: { 'pt-BR': 'biometrias', en: 'biometries', es: 'muestreos' },
  feeding: { 'pt-BR': 'alimentação', en: 'feeding', es: 'alimentación' },
  water: { 'pt-BR': 'qualidade-da-água', en: 'water-quality', es: 'calidad-del-agua' },
  report: { 'pt-BR': 'relatório-do-lote', en: 'batch-report', es: 'reporte-del-lote' },
  stock: { 'pt-BR': 'estoque-de-racao', en: 'feed-stock', es: 'existencias-de-balanceado' },
  losses: { 'pt-BR': 'mortalidade', en: 'mortality', es: 'mortalidad' },
  records: { 'pt-BR': 'registros', en: 'records', es: 'registros' },
} satisfies Record<string, Record<Language, string>>;

/** What a file is called in the reader's language. */
function fileWord(kind: keyof typeof WORDS, language: Language): string {
  return WORDS[kind][language];
}
