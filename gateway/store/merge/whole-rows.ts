import type { Resource } from '#contract/resource.ts';
import type { ChangeLog, LogEntry } from '../change-log.ts';
import {
  NO_STAMP,
  newRegister,
  type Register,
  registerOf,
  type Steps,
  type UnitContext,
} from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { inList, listOf, rowsByIds } from './id-lists.ts';
import { resourceOfTable } from './shared-tables.ts';

// Rows that are told as they stand: whoever hears of one merges it group by group, so telling it again does no harm.

/** The log entry of a whole row: `hlc` is of its making, `over` has the stamps of the groups changed since. */
export function wholeRow(
  resource: Resource,
  row: { id: string } & Record<string, unknown>,
  register: Register,
): LogEntry {
  return {
    resource,
    id: row.id,
    op: 'put',
    cl: register.cl,
    hlc: register.hlc === '' ? NO_STAMP : register.hlc,
    base: null,
    body: row,
    over: register.over,
  };
}

/** A fact is told by its id alone: it has no stamps to merge by. */
export function factOf({ over: _over, ...entry }: LogEntry, hlc: string): LogEntry {
  return { ...entry, op: 'fact', hlc };
}

/** Registers of rows of one table, by id. */
export function* registersByIds(
  resource: Resource,
  ids: Iterable<string>,
  context: Pick<UnitContext, 'dialect'>,
): Steps<Map<string, Register>> {
  const stored = yield {
    sql: `select id, cl, hlc, over_json from sync_register where entity = ? and ${inList('id', context)}`,
    params: [resource.entity, listOf(ids)],
  };
  return new Map(stored.map((row) => [String(row['id']), registerOf(row)]));
}

/** Tells streams of rows of one table as they stand; those that do not exist are passed over. */
export function* tellRows(
  { resource, ids, streams }: { resource: Resource; ids: readonly string[]; streams: readonly number[] },
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const codec = codecOf(resource);
  const stored = yield rowsByIds({ table: resource.name, columns: codec.columns, ids }, context);
  const registers = yield* registersByIds(resource, ids, context);
  for (const found of stored) {
    const row = codec.decode(found);
    const id = String(row['id']);
    const entry = wholeRow(resource, { ...row, id }, registers.get(id) ?? newRegister());
    yield* log.write(resource.sync === 'fact' ? factOf(entry, log.stamp(null)) : entry, streams);
  }
}

/** What a gateway must know of a person: the account, and of an owner of farms the plan. Parents first. */
export function* tellPerson(
  { userId, streamId, isOwner }: { userId: string; streamId: number; isOwner: boolean },
  log: ChangeLog,
  context: UnitContext,
): Steps<void> {
  const streams = [streamId];
  yield* tellRows({ resource: resourceOfTable('users'), ids: [userId], streams }, log, context);
  if (!isOwner) return;
  const stored = yield { sql: 'select id from subscriptions where user_id = ?', params: [userId] };
  const ids = stored.map((row) => String(row['id']));
  if (ids.length > 0)
    yield* tellRows({ resource: resourceOfTable('subscriptions'), ids, streams }, log, context);
}
