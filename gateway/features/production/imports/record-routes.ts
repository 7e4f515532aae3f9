import {
  type ImportRecordAnswer,
  importParams,
  importRecord,
  importRecordAnswer,
  importsQuery,
} from '#contract/resources/import-records.ts';
import { update } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { type ImportRecord, MOST_RECORDS, type Turn } from './import-progress.ts';
import type { ImportDeps } from './ports.ts';
import { undoRows } from './undo-import.ts';

const tag = 'Imports';
export const UNDO_MS = 7 * 24 * 3_600_000;
/** A process that works on an import says so every second. */
const SILENT_MS = 60_000;

const atImport = { who: 'farm', of: 'import', at: 'params', field: 'import_id', others: 404 } as const;
const one = { params: importParams, access: { ...atImport, right: 'manage' } } as const;

/** What was imported here, how far it is, and the way to take it back. */
export function recordRoutes(deps: ImportDeps, turn: Turn): Route[] {
  async function known(id: string): Promise<ImportRecord> {
    const record = await deps.queries.importById(id);
    if (record === null) throw notFound('Import');
    return record;
  }
  return [
    route({
      method: 'GET',
      path: '/imports/',
      tag,
      summary: 'Files that were imported on this instance in the last days, newest first',
      access: { who: 'farm', right: 'manage', of: 'farm', at: 'query', field: 'farm_id', others: 404 },
      query: importsQuery,
      answers: { 200: { schema: importRecordAnswer, list: true } },
      async handle(request) {
        const records = await deps.queries.importsOf(onFarm(request).farmId, MOST_RECORDS);
        const rows = records.map((record) => recordAnswer(record, deps.now()));
        return { answer: { status: 200, rows, total: rows.length } };
      },
    }),
    route({
      ...one,
      method: 'GET',
      path: '/imports/{import_id}',
      tag,
      summary: 'An import, and how far it is',
      answers: { 200: { schema: importRecordAnswer } },
      handle: async (request) => ({
        answer: { status: 200, body: recordAnswer(await known(request.params.import_id), deps.now()) },
      }),
    }),
    route({
      ...one,
      method: 'POST',
      path: '/imports/{import_id}/cancel',
      tag,
      summary: 'Call off an import that is under way; what came in until then stays, and can be undone',
      answers: { 202: { schema: importRecordAnswer } },
      refusals: [409],
      async handle(request) {
        const record = await known(request.params.import_id);
        const { state } = recordAnswer(record, deps.now());
        if (state !== 'CHECKING' && state !== 'IMPORTING')
          throw conflict('This import is not under way any more', 'IMPORT_NOT_RUNNING');
        const asked = { cancel_asked_at: isoOf(deps.now()) };
        return {
          answer: { status: 202, body: recordAnswer({ ...record, ...asked }, deps.now()) },
          changes: [update(importRecord, record.id, asked)],
        };
      },
    }),
    route({
      ...one,
      method: 'POST',
      path: '/imports/{import_id}/undo',
      tag,
      summary: 'Take away what an import made; what somebody changed since stays, and is counted',
      answers: { 202: { schema: importRecordAnswer } },
      refusals: [409],
      async handle(request) {
        const { userId } = signedIn(request);
        turn.requireFree();
        const record = await known(request.params.import_id);
        requireUndoable(record, deps.now());
        const begun = {
          state: 'UNDOING',
          rows_total: record.imported,
          rows_done: record.state === 'UNDOING' ? record.rows_done : 0,
          ended_at: null,
          touched_at: isoOf(deps.now()),
        } as const;
        const undoing = { ...record, ...begun };
        return {
          answer: { status: 202, body: recordAnswer(undoing, deps.now()) },
          changes: [update(importRecord, record.id, begun)],
          whenStored: () =>
            turn.start(() => undoRows(deps, { record: undoing, userId, isStopping: turn.isStopping })),
        };
      },
    }),
  ];
}

function requireUndoable(record: ImportRecord, nowMs: number): void {
  const { state, can_undo_until: until } = recordAnswer(record, nowMs);
  if (until !== null) return;
  if (state === 'UNDONE') throw conflict('This import was undone already', 'IMPORT_UNDONE');
  if (state === 'CHECKING' || state === 'IMPORTING' || state === 'UNDOING')
    throw conflict('This import is still under way', 'IMPORT_RUNNING');
  if (record.imported === 0) throw conflict('This import brought nothing', 'IMPORT_EMPTY');
  throw conflict('An import can be undone for 7 days; this one is older', 'IMPORT_TOO_OLD');
}

export function recordAnswer(record: ImportRecord, nowMs: number): ImportRecordAnswer {
  const { touched_at, cancel_asked_at: _cancel, ...rest } = record;
  const isUnderWay = ['CHECKING', 'IMPORTING', 'UNDOING'].includes(record.state);
  const isSilent = isUnderWay && nowMs - Date.parse(touched_at) > SILENT_MS;
  const until = Date.parse(record.created_at) + UNDO_MS;
  const canUndo =
    record.imported > 0 && record.state !== 'UNDONE' && (!isUnderWay || isSilent) && nowMs < until;
  return {
    ...rest,
    state: isSilent ? 'INTERRUPTED' : record.state,
    can_undo_until: canUndo ? isoOf(until) : null,
  };
}
