import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import type { Resource } from '#contract/resource.ts';
import {
  type SyncConflictAnswer,
  syncConflictAnswer,
  syncConflictQuery,
} from '#contract/resources/sync-status.ts';
import { syncConflict } from '#contract/resources/sync-tables.ts';
import { mayOnFarm } from '#contract/rights.ts';
import { UNIQUE_KEYS } from '#contract/sync/scopes.ts';
import { audit, journalAnswer } from '#core/audit.ts';
import { asParent, type Change, type GuardSeen, restore, update } from '#core/changes.ts';
import { conflict as conflicts, forbidden, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Language } from '#core/notifying.ts';
import { signedIn } from '#core/request-checks.ts';
import { type Caller, type Route, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { referencesOf, resourceOfEntity, resourceOfTable } from '#store/merge/shared-tables.ts';
import type { ConflictQueries, FoundRow, ShownConflict } from './ports.ts';
import { conflictAnswer, nameOf, whyNotRestorable } from './show-conflict.ts';

const common = { tag: 'Sync', access: { who: 'account' } } as const;
const byId = z.object({ id: idInput });

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
        const { farm_id: farmId, state } = request.query;
        const filter = { userId: signedIn(request).userId, farmId, state };
        return {
          answer: await journalAnswer(request.query, {
            count: () => deps.queries.countConflicts(filter),
            rows: (page) => answers(deps, deps.queries.conflictsOf(filter, page), request.language),
          }),
        };
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

type SettleConflictDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> & {
  queries: ConflictQueries;
  role: 'gateway' | 'hosted';
};

type Settled = { conflict: ShownConflict; found: FoundRow | null };

/** Words under which decisions rest on a row of a table. */
const GUARDED: Readonly<Record<string, string>> = {
  users: 'account',
  addresses: 'address',
  farms: 'farm',
  ponds: 'pond',
  batches: 'batch',
  control_points: 'control_point',
};

/**
 * Decides that the edit which lost is made again, as a new one that goes to the other side like any other. Throws 404 for
 * a conflict that is not the caller's, 403 without the right, and 409 with the reason where it cannot be made any more.
 */
async function restoreConflict(
  deps: SettleConflictDeps,
  caller: Caller,
  id: string,
): Promise<Decision<Settled>> {
  const conflict = await ownConflict(deps, caller, id);
  const resource = resourceOfEntity(conflict.entity);
  if (resource === null) throw conflicts('This version does not know what was changed; upgrade it first');
  const found = await deps.queries.row(resource, conflict.row_id);
  if (conflict.state === 'restored') return { answer: { conflict, found } };
  requireOpen(conflict);
  const why = whyNotRestorable(resource, conflict, deps.role);
  if (why !== null) throw conflicts(why, 'NOT_RESTORABLE');
  if (found === null) throw conflicts('What was changed is not there any more', 'ROW_GONE');
  const made =
    conflict.rule === 'delete_wins'
      ? await bringBack(deps, resource, found)
      : await editAgain(deps, resource, found, conflict);
  const settled = settledBy(deps, caller, 'restored');
  return {
    answer: { conflict: { ...conflict, ...settled }, found },
    changes: [
      ...made.changes,
      update(syncConflict, conflict.id, settled),
      audit(deps, {
        farm_id: conflict.farm_id,
        ...subjectOf(resource, found),
        action: 'restore',
        user_id: caller.userId,
        details: { conflict_id: conflict.id, table: resource.name, fields: made.fields },
      }),
    ],
    guards: made.guards,
  };
}

/** Decides that what stands is right. */
async function confirmConflict(
  deps: SettleConflictDeps,
  caller: Caller,
  id: string,
): Promise<Decision<Settled>> {
  const conflict = await ownConflict(deps, caller, id);
  const resource = resourceOfEntity(conflict.entity);
  const found = resource === null ? null : await deps.queries.row(resource, conflict.row_id);
  if (conflict.state === 'confirmed') return { answer: { conflict, found } };
  requireOpen(conflict);
  const settled = settledBy(deps, caller, 'confirmed');
  return {
    answer: { conflict: { ...conflict, ...settled }, found },
    changes: [update(syncConflict, conflict.id, settled)],
  };
}

async function ownConflict(deps: SettleConflictDeps, { userId }: Caller, id: string): Promise<ShownConflict> {
  const conflict = await deps.queries.conflictFor(userId, id);
  if (conflict === null) throw notFound('Conflict');
  // what is of no farm is of the caller's own account
  if (conflict.farm_id === null) return conflict;
  const role = await deps.queries.roleOn(conflict.farm_id, userId);
  if (role === null) throw notFound('Conflict');
  if (!mayOnFarm(role, 'manage'))
    throw forbidden('Only owners and managers of the farm decide which of two changes stands');
  return conflict;
}

function requireOpen({ state }: ShownConflict): void {
  if (state === 'open') return;
  const why = {
    restored: 'The change was restored already; edit it again instead',
    confirmed: 'Somebody has decided already that the other change stands; edit it again instead',
    superseded: 'It was changed again since; edit it again instead',
  } as const;
  throw conflicts(why[state], 'CONFLICT_SETTLED');
}

const settledBy = (
  { now }: SettleConflictDeps,
  { userId }: Caller,
  state: 'restored' | 'confirmed',
): { state: typeof state; settled_at: string; settled_by: string } => ({
  state,
  settled_at: isoOf(now()),
  settled_by: userId,
});

type Made = { changes: Change[]; guards: GuardSeen[]; fields: string[] };

async function bringBack(deps: SettleConflictDeps, resource: Resource, found: FoundRow): Promise<Made> {
  if (!found.isDeleted) throw conflicts('It is not deleted any more', 'CONFLICT_SETTLED');
  const guards = await requireParents(deps, resource, found.row);
  await requireFree(deps, resource, found.row);
  const taken = await deps.queries.takenBelow(resource, found.row.id);
  if (taken !== null)
    throw conflicts(
      `${taken}, which would come back with it, is taken by another one now; change that one first`,
      'ALREADY_EXISTS',
    );
  const own = GUARDED[resource.name];
  if (own !== undefined) guards.push(await deps.guard(own, found.row.id));
  return { changes: [restore(resource, { ...found.row, rev: found.rev })], guards, fields: [] };
}

async function editAgain(
  deps: SettleConflictDeps,
  resource: Resource,
  found: FoundRow,
  { dropped_json, field_group }: ShownConflict,
): Promise<Made> {
  if (found.isHidden)
    throw conflicts('What was changed is deleted; it has to be restored first', 'ROW_DELETED');
  // written by the merge: fields of the group and their values
  const dropped = JSON.parse(dropped_json) as Record<string, unknown>;
  const fields = (resource.groups[field_group]?.fields ?? []).filter((field) => field in dropped);
  const set: Record<string, unknown> = {};
  for (const field of fields) {
    const parsed = resource.row.shape[field]?.safeParse(dropped[field]);
    if (parsed?.success !== true)
      throw conflicts(`The value of ${field} is not valid any more; edit it instead`, 'VALUE_NOT_VALID');
    set[field] = parsed.data;
  }
  const after = { ...found.row, ...set };
  const guards = await requireParents(deps, resource, after, found.row);
  await requireFree(deps, resource, after, fields);
  const stamped = 'updated_at' in resource.row.shape ? { updated_at: isoOf(deps.now()) } : {};
  // the schema of the row has just been asked field by field
  const changes = [update(resource, { ...found.row, rev: found.rev }, { ...set, ...stamped } as never)];
  return { changes, guards, fields };
}

/** Everything the row names is there, on the same farm. Answers what must stay as it is until the commit. */
async function requireParents(
  deps: SettleConflictDeps,
  resource: Resource,
  row: FoundRow['row'],
  before?: FoundRow['row'],
): Promise<GuardSeen[]> {
  const guards: GuardSeen[] = [];
  for (const [column, table] of referencesOf(resource)) {
    const id = row[column];
    if (typeof id !== 'string' || before?.[column] === id) continue;
    const word = GUARDED[table];
    if (word !== undefined) guards.push(asParent(await deps.guard(word, id)));
    const parent = await deps.queries.row(resourceOfTable(table), id);
    if (parent === null || parent.isHidden)
      throw conflicts(
        `What it belongs to (${column}) is deleted; that has to be restored first`,
        'PARENT_GONE',
      );
    const [own, theirs] = [row['farm_id'], parent.row['farm_id']];
    if (typeof own === 'string' && typeof theirs === 'string' && own !== theirs)
      throw conflicts(`What it named (${column}) lies on another farm now`, 'PARENT_GONE');
  }
  return guards;
}

/** Codes and devices that stand once only are free. Without `fields` all of the row's are asked about. */
async function requireFree(
  { queries }: SettleConflictDeps,
  resource: Resource,
  row: FoundRow['row'],
  fields?: readonly string[],
): Promise<void> {
  for (const { table, columns } of UNIQUE_KEYS) {
    if (table !== resource.name || (fields !== undefined && !columns.some((one) => fields.includes(one))))
      continue;
    const values = Object.fromEntries(columns.map((column) => [column, row[column]]));
    if (Object.values(values).some((value) => value === null || value === undefined)) continue;
    if (await queries.isTaken(resource, values, row.id))
      throw conflicts(
        `${columns.at(-1)} ${String(row[columns.at(-1) ?? ''])} is taken by another one now; change that one first`,
        'ALREADY_EXISTS',
      );
  }
}

function subjectOf(resource: Resource, found: FoundRow) {
  const entity_type =
    resource.name === 'aerators'
      ? 'AERATOR'
      : resource.name === 'control_points'
        ? 'CONTROL_POINT'
        : 'SYSTEM';
  return { entity_type, entity_id: found.row.id, entity_name: nameOf(found) ?? resource.name } as const;
}
