import * as z from 'zod';
import { pageQuery } from '#contract/fields.ts';
import {
  type ParkedRowAnswer,
  parkedRetryAnswer,
  parkedRowAnswer,
  syncNowAnswer,
  syncStatusAnswer,
} from '#contract/resources/sync-status.ts';
import type { Language } from '#contract/words.ts';
import { JOURNAL_ROWS } from '#core/audit.ts';
import { conflict, forbidden, notFound } from '#core/errors.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { ParkedRow, SyncStatusQueries } from './ports.ts';
import { type ShowStatusDeps, sentenceOf, showStatus } from './show-status.ts';

export type SyncStatusRouteDeps = ShowStatusDeps & {
  queries: SyncStatusQueries;
  /** Tries what is kept aside here once more. */
  retryParked: () => Promise<void>;
  /** Begins an exchange now; asked for again while one is under way, it is the same one. */
  syncNow: () => void;
};

const tag = 'Sync';
const access = { who: 'account' } as const;
const parkedParams = z.object({ id: z.uuid() });

export function syncStatusRoutes(deps: SyncStatusRouteDeps): Route[] {
  const seesAll = async ({ role, userId }: Caller) => role === 'ADMIN' || deps.queries.runsFarm(userId);

  async function requireManager(caller: Caller): Promise<void> {
    if (!(await seesAll(caller)))
      throw forbidden(
        'Only owners and managers of a farm of this gateway and administrators see what is kept aside',
      );
  }

  /** Who was let go of, or never was paired, has nobody to ask; the words are those of the status. */
  function requireHosted(language: Language): void {
    const { phase } = deps.facts();
    if (phase === 'connecting' || phase === 'steady' || phase === 'resync') return;
    throw conflict(sentenceOf(phase === 'upgrade' ? 'upgrade_needed' : phase, language), 'SYNC_NOT_POSSIBLE');
  }

  return [
    route({
      method: 'GET',
      path: '/sync/status',
      tag,
      summary: 'How the sync with the hosted instance stands, each figure with its age',
      access,
      answers: { 200: { schema: syncStatusAnswer } },
      async handle(request) {
        const sees = (await seesAll(signedIn(request))) ? 'all' : 'state';
        const body = await showStatus(deps, { language: request.language, sees });
        return { answer: { status: 200, body, headers: { 'Cache-Control': 'no-store' } } };
      },
    }),
    route({
      method: 'POST',
      path: '/sync/now',
      tag,
      summary: 'Exchange with the hosted instance now; a wait after trouble ends. Any number of times is one',
      access,
      token: 'record',
      answers: { 202: { schema: syncNowAnswer } },
      async handle(request) {
        if (!(await seesAll(signedIn(request))))
          throw forbidden(
            'Only owners and managers of a farm of this gateway and administrators ask for this',
          );
        requireHosted(request.language);
        deps.syncNow();
        return { answer: { status: 202, body: { state: deps.facts().isAskedToWait ? 'later' : 'begun' } } };
      },
    }),
    route({
      method: 'GET',
      path: '/sync/parked',
      tag,
      summary: 'Rows that one side could not apply; they are kept and in nobody’s way',
      access,
      query: pageQuery,
      answers: { 200: { schema: z.array(parkedRowAnswer) } },
      async handle(request) {
        await requireManager(signedIn(request));
        const { skip, limit = JOURNAL_ROWS } = request.query;
        const { rows, total } = await deps.queries.parked({ skip, limit });
        return { answer: { status: 200, body: rows.map(toAnswer), total } };
      },
    }),
    route({
      method: 'POST',
      path: '/sync/parked/{id}/retry',
      tag,
      summary: 'Try to apply a row that is kept aside here, with all others that wait here',
      access,
      token: 'record',
      params: parkedParams,
      answers: { 200: { schema: parkedRetryAnswer } },
      async handle(request) {
        await requireManager(signedIn(request));
        const { id } = request.params;
        const row = await deps.queries.parkedById(id);
        if (row === null) throw notFound('Parked row');
        if (row.isThere)
          throw conflict('The hosted instance keeps this row; it tries again by itself', 'KEPT_ELSEWHERE');
        await deps.retryParked();
        const after = await deps.queries.parkedById(id);
        const body = { state: after === null ? 'applied' : 'still_parked', reason: after?.reason ?? null };
        return { answer: { status: 200, body } };
      },
    }),
  ];
}

function toAnswer({ id, isThere, lane, table, rowId, reason, parkedAt, tries }: ParkedRow): ParkedRowAnswer {
  return {
    id,
    kept: isThere ? 'there' : 'here',
    lane,
    table,
    row_id: rowId,
    reason,
    parked_at: parkedAt,
    tries,
  };
}
