import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import {
  type SyncConflictAnswer,
  syncConflictAnswer,
  syncConflictQuery,
} from '#contract/resources/sync-status.ts';
import type { Language } from '#core/notifying.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import { resourceOfEntity } from '#store/merge/shared-tables.ts';
import type { ShownConflict } from './ports.ts';
import { confirmConflict, restoreConflict, type SettleConflictDeps } from './restore-conflict.ts';
import { conflictAnswer } from './show-conflict.ts';

const common = { tag: 'Sync', access: { who: 'account' } } as const;
const byId = z.object({ id: idInput });
const PAGE = 100;

/** Changes that lost against a concurrent one, on either side of the sync. */
export function syncConflictRoutes(deps: SettleConflictDeps): Route[] {
  const { role } = deps;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/sync/conflicts',
      summary: 'Changes that lost against another one while gateway and cloud could not talk, newest first',
      query: syncConflictQuery,
      answers: { 200: { schema: syncConflictAnswer, list: true } },
      async handle(request) {
        const { skip, limit = PAGE, farm_id: farmId, state } = request.query;
        const filter = { userId: signedIn(request).userId, farmId, state };
        const rows = answers(deps, deps.queries.conflictsOf(filter, { skip, limit }), request.language);
        return { answer: { status: 200, rows, total: await deps.queries.countConflicts(filter) } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/sync/conflicts/{id}/restore',
      summary: 'Make the change that lost again, as a new one',
      token: 'record',
      params: byId,
      answers: { 200: { schema: syncConflictAnswer } },
      async handle(request) {
        const decided = await restoreConflict(deps, signedIn(request), request.params.id);
        const { conflict, found } = decided.answer;
        const body = conflictAnswer(conflict, found, { language: request.language, role });
        return { ...decided, answer: { status: 200, body } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/sync/conflicts/{id}/confirm',
      summary: 'Keep what stands; the conflict is settled',
      token: 'record',
      params: byId,
      answers: { 200: { schema: syncConflictAnswer } },
      async handle(request) {
        const decided = await confirmConflict(deps, signedIn(request), request.params.id);
        const { conflict, found } = decided.answer;
        const body = conflictAnswer(conflict, found, { language: request.language, role });
        return { ...decided, answer: { status: 200, body } };
      },
    }),
  ];
}

async function* answers(
  { queries, role }: SettleConflictDeps,
  rows: AsyncIterable<ShownConflict>,
  language: Language,
): AsyncIterable<SyncConflictAnswer> {
  for await (const row of rows) {
    const resource = resourceOfEntity(row.entity);
    const found = resource === null ? null : await queries.row(resource, row.row_id);
    yield conflictAnswer(row, found, { language, role });
  }
}
