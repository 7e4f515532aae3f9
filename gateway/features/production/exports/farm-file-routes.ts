import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { archiveFile, farmSheetQuery, workbookFile } from '#contract/resources/exports.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { audit } from '#core/audit.ts';
import { AppError } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import type { Table, TableRows } from '#core/packed-file.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type FarmAccess, type Route, route } from '#core/route.ts';
import { FARM_REGISTERS } from './farm-registers.ts';
import { type FarmScope, readableTable } from './farm-tables.ts';
import { attachment } from './file-name.ts';
import { daysOf, farmOf, fileWord, requirePlan, spanOf, within } from './find-register.ts';
import { archiveOf, type Sheet, WORKBOOK_TYPE, workbookOf } from './pack-tables.ts';
import type { ExportDeps, Span } from './ports.ts';
import { lossesTable } from './register-tables.ts';
import { SHEETS } from './sheet-words.ts';

const tag = 'Exports';
const ZIP_TYPE = 'application/zip';
/** Of one sheet. More no spreadsheet shows at once, and a workbook of a whole farm is for people. */
const MOST_MEASUREMENTS = 1_048_575;
const farmParams = z.object({ farm_id: idInput });

/** Files of a whole farm: a workbook for people, and an archive for other programs. */
export function farmFileRoutes(deps: ExportDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/exports/farm/{farm_id}/xlsx',
      tag,
      summary: 'All registers of a farm as a workbook, a sheet for each',
      access: { who: 'farm', right: 'read', of: 'farm', at: 'params', field: 'farm_id', others: 404 },
      params: farmParams,
      query: farmSheetQuery,
      refusals: [413],
      answers: { 200: { schema: workbookFile, media: WORKBOOK_TYPE } },
      async handle(request) {
        const { farm, language, query } = { ...request, farm: onFarm(request) };
        await requirePlan(deps, farm);
        deps.packer.requireRoom();
        const { name, timezone } = await farmOf(deps, farm.farmId);
        const scope = await scopeOf(deps, farm, spanOf(query, timezone));
        await requireFits(deps, scope);
        const sheets = sheetsOf(deps, scope, timezone);
        const file = [fileWord('farm', language), name, ...daysOf(query)];
        return {
          answer: {
            status: 200,
            pieces: { type: WORKBOOK_TYPE, chunks: deps.packer.pack(workbookOf(sheets, language)) },
            headers: { 'Content-Disposition': attachment(file, 'xlsx'), 'Content-Language': language },
          },
        };
      },
    }),
    route({
      method: 'GET',
      path: '/exports/farm/{farm_id}/archive',
      tag,
      summary:
        'Everything a farm has written down, as a zip of CSV files with a description of their columns',
      access: { who: 'farm', right: 'manage', of: 'farm', at: 'params', field: 'farm_id', others: 404 },
      params: farmParams,
      answers: { 200: { schema: archiveFile, media: ZIP_TYPE } },
      async handle(request) {
        const farm = onFarm(request);
        await requirePlan(deps, farm);
        deps.packer.requireRoom();
        const { name, timezone } = await farmOf(deps, farm.farmId);
        const scope = await scopeOf(deps, farm, { from: null, before: null });
        const { ammoniaBasis } = (await deps.scienceOf(farm.farmId)).water;
        const made_at = isoOf(deps.now());
        const parts = archiveOf(scope, {
          made_at,
          farm: { id: farm.farmId, name, timezone },
          ammonia_basis: ammoniaBasis,
        });
        const file = [fileWord('farm', request.language), name, made_at.slice(0, 10)];
        return {
          changes: [
            audit(deps, {
              farm_id: farm.farmId,
              entity_type: 'SYSTEM',
              entity_id: farm.farmId,
              entity_name: name,
              action: 'export',
              user_id: signedIn(request).userId,
              details: { file: 'archive' },
            }),
          ],
          answer: {
            status: 200,
            pieces: { type: ZIP_TYPE, chunks: deps.packer.pack(parts) },
            headers: { 'Content-Disposition': attachment(file, 'zip'), 'Cache-Control': 'no-store' },
          },
        };
      },
    }),
  ];
}

async function scopeOf(deps: ExportDeps, { farmId, role }: FarmAccess, span: Span): Promise<FarmScope> {
  return {
    queries: deps.queries,
    farmId,
    places: await deps.queries.placesOf(farmId),
    span,
    seesMoney: mayOnFarm(role, 'read_finance'),
  };
}

async function requireFits(deps: ExportDeps, { places, span }: FarmScope): Promise<void> {
  let count = 0;
  for (const { id } of places.ponds) count += (await deps.queries.waterTotals(id, span)).count;
  if (count <= MOST_MEASUREMENTS) return;
  throw new AppError(
    413,
    `The farm has ${count} measurements in these days, and a sheet holds ${MOST_MEASUREMENTS}: choose fewer days, or take the archive or the CSV files, which hold any number`,
    { code: 'EXPORT_TOO_LARGE' },
  );
}

function sheetsOf(deps: ExportDeps, scope: FarmScope, timezone: string): Sheet[] {
  return FARM_REGISTERS.filter(
    ({ isSheet, isMoney }) => isSheet === true && (scope.seesMoney || isMoney !== true),
  ).map((register) => ({
    register: sheetNameOf(register.name),
    table:
      register.name === 'losses'
        ? allLosses(deps, scope, timezone)
        : readableTable(register, scope, timezone),
  }));
}

const SHEET_OF: Readonly<Record<string, keyof typeof SHEETS>> = {
  water_quality: 'water',
  feed_stock: 'stock',
};

function sheetNameOf(register: string): keyof typeof SHEETS {
  const name = SHEET_OF[register] ?? register;
  if (Object.hasOwn(SHEETS, name)) return name as keyof typeof SHEETS;
  throw new Error(`the sheet of ${register} has no name`);
}

/** As they count now: one that was corrected or taken back stands in the archive alone. */
function allLosses(deps: ExportDeps, { places, span }: FarmScope, timezone: string): Table {
  const ponds = new Map(places.ponds.map(({ id, name }) => [id, name]));
  const isWithin = within(span);
  async function* rows(): AsyncIterable<TableRows> {
    for (const batch of places.batches) {
      const losses = (await deps.lossesOf(batch.id)).filter(({ lost_at }) => isWithin(lost_at));
      for await (const chunk of lossesTable(losses.toReversed(), timezone, ponds).chunks)
        yield chunk.map((row) => [batch.name, ...row]);
    }
  }
  const { columns } = lossesTable([], timezone, ponds);
  return { columns: [{ name: 'batch', is: 'text' }, ...columns], chunks: rows() };
}
