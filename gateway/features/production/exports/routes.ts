import * as z from 'zod';
import { idOrNumber } from '#contract/fields.ts';
import {
  batchSheetQuery,
  batchSummary,
  biometriesExportQuery,
  biometriesSheetQuery,
  type CsvForm,
  csvFile,
  csvForm,
  feedingExportQuery,
  feedStockExportQuery,
  feedStockSheetQuery,
  htmlPage,
  lossesExportQuery,
  recordsExportQuery,
  recordsSheetQuery,
  waterExportQuery,
  waterSheetQuery,
  workbookFile,
} from '#contract/resources/exports.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm } from '#core/request-checks.ts';
import { type Answer, type Owned, type Request, type Route, route } from '#core/route.ts';
import { localDay } from '#core/zone-clock.ts';
import { reportLines, reportOf, seriesOf, summaryOf } from './batch-report.ts';
import { farmFileRoutes } from './farm-file-routes.ts';
import { attachment, inline } from './file-name.ts';
import {
  batchIdOf,
  biometriesOf,
  type Found,
  feedingOf,
  feedStockOf,
  fileWord,
  interfaceWater,
  lossesOf,
  type Reader,
  recordsOf,
  requirePlan,
  waterOf,
} from './find-register.ts';
import { WORKBOOK_TYPE, workbookOf } from './pack-tables.ts';
import type { ExportDeps } from './ports.ts';
import { reportCsv, tableCsv } from './register-tables.ts';
import { REPORT_STYLE, reportPage } from './report-page.ts';

const tag = 'Exports';
const CSV_TYPE = 'text/csv; charset=utf-8';
const HTML_TYPE = 'text/html; charset=utf-8';
const batchParams = z.object({ batch_id: idOrNumber });
const csvAnswer = { 200: { schema: csvFile, media: 'text/csv' as const } };
export const workbookAnswer = { 200: { schema: workbookFile, media: WORKBOOK_TYPE } } as const;

const reading = (of: Owned, at: 'query' | 'params') =>
  ({ who: 'farm', right: 'read', of, at, field: `${of}_id`, others: 404 }) as const;

/** Every file by its path in the interface, and by the one of the release notes. */
export function exportRoutes(deps: ExportDeps): Route[] {
  return [
    ...fileRoutes(deps, { suffix: '/csv', isAlias: false }),
    ...fileRoutes(deps, { suffix: '', isAlias: true }),
    ...laterFileRoutes(deps),
    ...workbookRoutes(deps),
    ...farmFileRoutes(deps),
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
        await requirePlan(deps, onFarm(request));
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

/** The files of the interface. */
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
        const isAll = request.query.columns === 'all';
        return {
          answer: csvOf(await biometriesOf(deps, readerOf(request), request.query, isAll), request.query),
        };
      },
    }),
    route({
      ...common,
      path: `/exports/feeding${suffix}`,
      summary: 'Feedings of a batch as CSV',
      access: reading('batch', 'query'),
      query: feedingExportQuery,
      handle: async (request) => ({
        answer: csvOf(await feedingOf(deps, readerOf(request), request.query), request.query),
      }),
    }),
    route({
      ...common,
      path: `/exports/water-quality${suffix}`,
      summary: 'Measurements of a pond as CSV',
      access: reading('pond', 'query'),
      query: waterExportQuery,
      async handle(request) {
        const { query } = request;
        if (query.columns === 'all')
          return { answer: csvOf(await waterOf(deps, readerOf(request), query), query) };
        const { chunks, name } = await interfaceWater(deps, readerOf(request), query);
        return { answer: csv(chunks, name) };
      },
    }),
  ];
}

/** Registers that the interface has no file of. */
function laterFileRoutes(deps: ExportDeps): Route[] {
  const common = { method: 'GET', tag, answers: csvAnswer } as const;
  return [
    route({
      ...common,
      path: '/exports/records/csv',
      summary: 'Treatments, water exchanges and notes of a farm as CSV',
      access: reading('farm', 'query'),
      query: recordsExportQuery,
      handle: async (request) => ({
        answer: csvOf(await recordsOf(deps, readerOf(request), request.query), request.query),
      }),
    }),
    route({
      ...common,
      path: '/exports/feed-stock/csv',
      summary: 'Deliveries and counts of feed of a farm as CSV',
      access: reading('farm', 'query'),
      query: feedStockExportQuery,
      handle: async (request) => ({
        answer: csvOf(await feedStockOf(deps, readerOf(request), request.query), request.query),
      }),
    }),
    route({
      ...common,
      path: '/exports/losses/csv',
      summary: 'What died of a batch, as it was told, as CSV',
      access: reading('batch', 'query'),
      query: lossesExportQuery,
      handle: async (request) => ({
        answer: csvOf(await lossesOf(deps, readerOf(request), request.query), request.query),
      }),
    }),
  ];
}

/** The same registers as workbooks, with all columns that there are. */
function workbookRoutes(deps: ExportDeps): Route[] {
  const common = { method: 'GET', tag, answers: workbookAnswer } as const;
  return [
    route({
      ...common,
      path: '/exports/biometries/xlsx',
      summary: 'Weighings of a batch as a workbook',
      access: reading('batch', 'query'),
      query: biometriesSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await biometriesOf(deps, readerOf(request), request.query, true), request),
      }),
    }),
    route({
      ...common,
      path: '/exports/feeding/xlsx',
      summary: 'Feedings of a batch as a workbook',
      access: reading('batch', 'query'),
      query: batchSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await feedingOf(deps, readerOf(request), request.query), request),
      }),
    }),
    route({
      ...common,
      path: '/exports/water-quality/xlsx',
      summary: 'Measurements of a pond as a workbook',
      access: reading('pond', 'query'),
      query: waterSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await waterOf(deps, readerOf(request), request.query), request),
      }),
    }),
    route({
      ...common,
      path: '/exports/records/xlsx',
      summary: 'Treatments, water exchanges and notes of a farm as a workbook',
      access: reading('farm', 'query'),
      query: recordsSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await recordsOf(deps, readerOf(request), request.query), request),
      }),
    }),
    route({
      ...common,
      path: '/exports/feed-stock/xlsx',
      summary: 'Deliveries and counts of feed of a farm as a workbook',
      access: reading('farm', 'query'),
      query: feedStockSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await feedStockOf(deps, readerOf(request), request.query), request),
      }),
    }),
    route({
      ...common,
      path: '/exports/losses/xlsx',
      summary: 'What died of a batch, as it was told, as a workbook',
      access: reading('batch', 'query'),
      query: batchSheetQuery,
      handle: async (request) => ({
        answer: workbook(deps, await lossesOf(deps, readerOf(request), request.query), request),
      }),
    }),
  ];
}

type Asked = Pick<Request<unknown, unknown, unknown>, 'farm' | 'language'>;

export const readerOf = (request: Asked): Reader => ({ farm: onFarm(request), language: request.language });

export function csvOf({ table, name }: Found, form: CsvForm): Answer {
  return csv(tableCsv(table, form), name);
}

export function workbook(deps: ExportDeps, found: Found, { language }: Asked): Answer {
  deps.packer.requireRoom();
  return {
    status: 200,
    pieces: { type: WORKBOOK_TYPE, chunks: deps.packer.pack(workbookOf([found], language)) },
    headers: { 'Content-Disposition': attachment(found.name, 'xlsx'), 'Content-Language': language },
  };
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
      await requirePlan(deps, onFarm(request));
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
  await requirePlan(deps, onFarm(request));
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
