import type { Resource } from '#contract/resource.ts';
import { standInEmail } from '#contract/resources/users.ts';
import type { CommittedRow, MergeReport } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { ChangeLog, LogEntry } from '../change-log.ts';
import { LIFE, type Steps, type UnitContext } from '../register.ts';
import { codecOf } from '../row-codec.ts';
import { hideChildren } from '../row-life.ts';
import { textOf } from './canonical-change.ts';
import { fieldsOf, stampOf } from './claims.ts';
import { CONFLICTS_KEPT, disputes, dropBeyond, writeConflicts } from './conflicts.ts';
import { inList, listOf } from './id-lists.ts';
import { keptBelowDeleted, writeKeptHidden } from './kept-hidden.ts';
import { tellWhoLeft } from './leavers.ts';
import { lostElsewhere, noteLostPeople } from './lost-people.ts';
import type { MergedBatch } from './merge.ts';
import { noteArrivedNews } from './note-seen.ts';
import { toldGroups } from './personal.ts';
import { NUMBERED, rankOf, resourceOfTable } from './shared-tables.ts';
import { settleUniqueKeys, vacating } from './unique-keys.ts';
import { tellPerson } from './whole-rows.ts';
import {
  isOutOfSight,
  keyOf,
  loadStanding,
  loadWorks,
  namedBy,
  type Work,
  type WorkingSet,
} from './working-set.ts';
import { insertMany, outOfTheWay, writeRegisters, writeWorks } from './write-rows.ts';

/** Writes a merged batch with few statements, and answers what people see of it. */
export function* writeBatch(
  merged: MergedBatch,
  log: ChangeLog,
  context: UnitContext,
): Steps<{ rows: CommittedRow[]; report: Omit<MergeReport, 'parked' | 'unparked' | 'dropped'> }> {
  const gone = yield* settleVisibility(merged, context);
  const unique = yield* settleUniqueKeys(merged, context);
  const keptHidden = yield* keptBelowDeleted(merged, context);
  const corrections = [...setRight(merged, log), ...refusals(merged, log)];
  const works = [...merged.set.works.values()].filter(({ row }) => row !== null);
  for (const work of works) work.isChanged = isOtherwise(work);
  for (const [resource, ids] of vacating(merged)) yield outOfTheWay(resource, ids);
  const tables = [...new Set(works.filter(({ isChanged }) => isChanged).map(({ resource }) => resource))];
  for (const resource of tables.toSorted((a, b) => rankOf(a) - rankOf(b)))
    yield* writeWorks(
      resource,
      works.filter((work) => work.resource === resource),
      context,
    );
  // also of rows that were left out because what they belong to is erased
  yield* writeRegisters([...merged.set.works.values()], context);
  yield* claimNumbers(works, context);
  yield* moveGuards(works, context);
  const bound = merged.tenancy === null ? [] : yield* takeIn(merged, log, context);
  for (const entry of [...unique.entries, ...corrections]) yield* log.write(entry, [merged.batch.streamId]);
  if (merged.tenancy !== null) yield* tellOthers(merged, log);
  yield* noteLostPeople(merged.lostPeople, merged.batch.streamId, context);
  const left = new Set([...merged.left, ...(yield* lostElsewhere(merged, context))]);
  if (left.size > 0) yield* tellWhoLeft(left, merged.batch.streamId, log, context);
  const notes = [...disputes(merged), ...unique.notes];
  const conflicts = [
    ...(yield* writeConflicts(notes, merged, context)),
    ...(yield* writeKeptHidden(keptHidden, merged, context)),
  ];
  const forgotten = conflicts.length === 0 ? 0 : yield* dropBeyond(CONFLICTS_KEPT, merged.batch.streamId);
  const news = yield* noteArrivedNews(merged, context);
  // who runs a farm comes first: what is made of its rows rests on it
  const seen = works.filter(({ isChanged }) => isChanged).flatMap(committedOf);
  const rows = [...bound, ...seen, ...gone, ...conflicts, ...news];
  return {
    rows,
    report: {
      applied: merged.applied.length,
      conflicts: conflicts.length,
      passedOver: merged.passedOver,
      ...(merged.ofErased > 0 ? { ofErased: merged.ofErased } : {}),
      ...(forgotten > 0 ? { forgotten } : {}),
    },
  };
}

function isOtherwise({ resource, before, row, hidden }: Work): boolean {
  if (before === null) return true;
  if (before.hidden !== hidden) return true;
  if (row === before.row) return false;
  const { encode } = codecOf(resource);
  const [was, is] = [encode(before.row), encode(row ?? {})];
  return Object.keys(is).some((column) => is[column] !== was[column]);
}

/** What nobody saw and nobody sees is no news. */
function committedOf({ resource, id, before, row, hidden }: Work): CommittedRow[] {
  if (row === null || (hidden && (before === null || before.hidden))) return [];
  const wasSeen = before !== null && !before.hidden;
  return [
    {
      table: resource.name,
      id,
      before: wasSeen ? before.row : null,
      after: row,
      rev: (before?.rev ?? 0) + 1,
      hidden,
    },
  ];
}

/** Stamps anew what stands otherwise than the other side said, so that it hears of it. */
function setRight({ corrections, set }: MergedBatch, log: ChangeLog): LogEntry[] {
  const distinct = new Map(corrections.map((one) => [`${one.resource.name} ${one.id} ${one.group}`, one]));
  return [...distinct.values()].flatMap(({ resource, id, group }): LogEntry[] => {
    const work = set.works.get(keyOf(resource.name, id));
    // refused after all
    if (work === undefined || work.row === null || work.register === null) return [];
    const base = stampOf(work.register, group);
    const hlc = log.stamp(base);
    work.register = { ...work.register, over: { ...work.register.over, [group]: hlc } };
    work.isRegisterChanged = true;
    const whole = { [group]: fieldsOf(work.row, resource.groups[group]?.fields ?? []) };
    const standing = work.row['role'] === 'ADMIN' ? 'admin' : 'present';
    const body = toldGroups({ name: resource.name, id }, whole, standing);
    if (body === null) return [];
    return [
      { resource, id, op: 'put', cl: work.register.cl, hlc, base: { [group]: base }, body, actor: null },
    ];
  });
}

/** Memberships that were deleted as they came, for the gateway that made them. */
function refusals({ refusedMembers, set }: MergedBatch, log: ChangeLog): LogEntry[] {
  return refusedMembers.flatMap((refused): LogEntry[] => {
    const { resource, id, droppedHlc } = refused;
    const work = set.works.get(keyOf(resource.name, id));
    if (work === undefined || work.register === null) return [];
    const hlc = log.stamp(droppedHlc);
    refused.keptHlc = hlc;
    work.register = { ...work.register, over: { ...work.register.over, [LIFE]: hlc } };
    const seen = { '': work.register.hlc };
    return [{ resource, id, op: 'delete', cl: work.register.cl, hlc, base: seen, body: null, actor: null }];
  });
}

/** Numbers beside the ids of new rows; one that is taken stays with whoever had it. */
function* claimNumbers(works: readonly Work[], context: UnitContext): Steps<void> {
  const rows = works.flatMap(({ resource, id, before, row }) => {
    const entity = NUMBERED[resource.name];
    return entity === undefined || before !== null
      ? []
      : [{ id: String(row?.['numeric_id']), entity, uuid: id }];
  });
  yield* insertMany(
    { table: 'numeric_ids', columns: ['id', 'entity', 'uuid'], rows, conflict: 'on conflict do nothing' },
    context,
  );
}

/** Words under which decisions rest on a row of a table. */
const GUARDED: Readonly<Record<string, string>> = {
  users: 'account',
  addresses: 'address',
  farms: 'farm',
  ponds: 'pond',
  batches: 'batch',
  control_points: 'control_point',
};

/** A decision that rests on a row which came or went here must be made again. */
function* moveGuards(works: readonly Work[], context: UnitContext): Steps<void> {
  const rows = works.flatMap(({ resource, id, before, hidden }) => {
    const entity = GUARDED[resource.name];
    return entity === undefined || before === null || before.hidden === hidden ? [] : [{ entity, id, n: 1 }];
  });
  const ordered = rows.toSorted((a, b) => (`${a.entity} ${a.id}` < `${b.entity} ${b.id}` ? -1 : 1));
  yield* insertMany(
    {
      table: 'guards',
      columns: ['entity', 'id', 'n'],
      rows: ordered,
      conflict: 'on conflict (entity, id) do update set n = guards.n + 1',
    },
    context,
  );
}

/** Hosted: farms and people that came with the batch. Answers the farms that this gateway runs from now on. */
function* takeIn(
  { set, tenancy, batch, applied }: MergedBatch,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const at = isoOf(context.nowMs);
  const made = (table: string) =>
    [...set.works.values()].filter(
      ({ resource, before, row }) => resource.name === table && before === null && row !== null,
    );
  const farms = made('farms').map(({ id }) => ({ id, stream_id: batch.streamId, bound_at: at }));
  yield* insertMany(
    {
      table: 'sync_farms',
      columns: ['id', 'stream_id', 'bound_at'],
      rows: farms,
      conflict: 'on conflict (id) do nothing',
    },
    context,
  );
  const ownerId = tenancy?.ownerId ?? null;
  if (farms.length > 0 && ownerId !== null)
    yield* tellPerson({ userId: ownerId, streamId: batch.streamId, isOwner: true }, log, context);
  const rows = applied.flatMap(({ resource, edit, heard }) => {
    const { id } = heard.change;
    if (resource.name !== 'users' || tenancy?.locals.has(id) !== true || edit.is === 'delete') return [];
    const told: Readonly<Record<string, unknown>> =
      edit.is === 'whole' ? edit.row : { ...edit.groups['email'], ...edit.groups['name'] };
    const known = set.works.get(keyOf('users', id))?.row;
    const email = typeof told['email'] === 'string' ? told['email'] : null;
    const name = textOf(told['name'] ?? known?.['name']);
    return [{ id, stream_id: batch.streamId, name, email, state: 'local', seen_at: at }];
  });
  for (const { email, ...row } of rows) {
    const isPlaceholder = email === null || email === standInEmail(row.id);
    yield* insertMany(
      {
        table: 'local_users',
        columns: ['id', 'stream_id', 'name', 'email', 'state', 'seen_at'],
        rows: [{ ...row, email: email ?? '' }],
        conflict: `on conflict (id) do update set name = excluded.name, seen_at = excluded.seen_at${
          isPlaceholder ? '' : ', email = excluded.email'
        }`,
      },
      context,
    );
  }
  return farms.map((row) => ({
    table: 'sync_farms',
    id: row.id,
    before: null,
    after: row,
    rev: 0,
    hidden: false,
  }));
}

/** Hosted: what people see on other farms, too, is told to the gateways of those. */
function* tellOthers({ applied, batch, set }: MergedBatch, log: ChangeLog): Steps<void> {
  for (const { heard, resource, edit } of applied) {
    const { change } = heard;
    // of accounts a gateway is believed where they are its own, and then no other gateway knows them
    if (resource.name === 'users') continue;
    const streams = log.state.routes.of(resource, change.id).filter((id) => id !== batch.streamId);
    const work = set.works.get(keyOf(resource.name, change.id));
    if (streams.length === 0 || work === undefined || work.row === null) continue;
    const shown = { resource, id: change.id, cl: change.cl, hlc: change.hlc, actor: change.actor };
    if (edit.is === 'whole') {
      const register = work.register ?? { cl: 1, hlc: change.hlc, over: {} };
      yield* log.write(
        {
          ...shown,
          op: 'put',
          cl: register.cl,
          hlc: register.hlc,
          base: null,
          body: work.row,
          over: register.over,
        },
        streams,
      );
      continue;
    }
    if (edit.is === 'delete') {
      yield* log.write({ ...shown, op: 'delete', base: change.base, body: null }, streams);
      continue;
    }
    const groups = Object.entries(edit.groups).filter(
      ([group]) => resource.groups[group]?.owner !== 'hosted',
    );
    if (groups.length === 0) continue;
    const updated = edit.updatedAt === undefined ? {} : { updated_at: edit.updatedAt };
    const body = { ...Object.fromEntries(groups), ...updated };
    yield* log.write({ ...shown, op: 'put', base: change.base, body }, streams);
  }
}

/**
 * Settles what is seen after a batch: below what was deleted everything goes, below what came back everything comes back
 * that is not deleted itself. Answers rows outside the batch that went; those inside are written with it.
 */
function* settleVisibility({ set }: MergedBatch, context: UnitContext): Steps<CommittedRow[]> {
  const gone: CommittedRow[] = [];
  recompute(set);
  for (const work of inOrder(set)) {
    if (work.before === null || work.before.hidden || !work.hidden) continue;
    for (const row of yield* hideChildren(work.resource.name, work.id, context)) {
      const child = set.works.get(keyOf(row.table, row.id));
      if (child?.before) child.before = { ...child.before, rev: row.rev };
      else {
        gone.push(row);
        set.standing.set(keyOf(row.table, row.id), { hidden: true, fields: row.after });
      }
    }
  }
  // below what went with its parent just now
  if (gone.length > 0) recompute(set);
  yield* showBelow(set, inOrder(set).filter(isBack), context);
  return gone;
}

const isBack = ({ before, hidden }: Work): boolean => before?.hidden === true && !hidden;

const inOrder = ({ works }: WorkingSet): Work[] =>
  [...works.values()]
    .filter(({ row }) => row !== null)
    .toSorted((a, b) => rankOf(a.resource) - rankOf(b.resource));

/** Parents come before their children, so each sees how those above it ended. */
function recompute(set: WorkingSet): void {
  for (const work of inOrder(set)) work.hidden = isOutOfSight(set, work);
}

function* showBelow(set: WorkingSet, parents: readonly Work[], context: UnitContext): Steps<void> {
  const idsByTable = new Map<string, string[]>();
  for (const { resource, id } of parents)
    idsByTable.set(resource.name, [...(idsByTable.get(resource.name) ?? []), id]);
  const back: Work[] = [];
  for (const [table, ids] of idsByTable) {
    for (const { resource, column } of context.childrenOf.get(table) ?? []) {
      if (resource.goesBy === 'parent') continue;
      const found = yield* hiddenBelow(resource, { column, ids }, context);
      yield* loadWorks(set, new Map([[resource, found]]), context);
      const works = [...found].flatMap((id) => set.works.get(keyOf(resource.name, id)) ?? []);
      yield* loadStanding(
        set,
        works.flatMap(({ row }) => parentsNamed(resource, row)),
        context,
      );
      for (const work of works) {
        work.hidden = isOutOfSight(set, work);
        if (isBack(work)) back.push(work);
      }
    }
  }
  if (back.length > 0) yield* showBelow(set, back, context);
}

const parentsNamed = (resource: Resource, row: Work['row']): (readonly [string, string])[] =>
  row === null
    ? []
    : namedBy(resource, row).filter(([table]) => resourceOfTable(table).name in resource.parents);

function* hiddenBelow(
  { name, entity }: Resource,
  { column, ids }: { column: string; ids: readonly string[] },
  context: UnitContext,
): Steps<Set<string>> {
  const stored = yield {
    sql: `select id from ${name} where ${inList(column, context)} and hidden = 1 and not exists (select 1 from sync_register
      where sync_register.entity = ? and sync_register.id = ${name}.id and sync_register.cl % 2 = 0)`,
    params: [listOf(ids), entity],
  };
  return new Set(stored.map((row) => String(row['id'])));
}
