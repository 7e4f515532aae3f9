import { createHash } from 'node:crypto';
import type { Resource } from '#contract/resource.ts';
import { UNIQUE_KEYS } from '#contract/sync/scopes.ts';
import type { LogEntry } from '../change-log.ts';
import { formatHlc, nextHlc, readHlc } from '../hlc.ts';
import { LIFE, NO_STAMP, newRegister, type Steps, type UnitContext } from '../register.ts';
import { isHostedStamp } from '../sync-node.ts';
import { fieldsOf, stampOf } from './claims.ts';
import type { ConflictNote } from './conflicts.ts';
import type { Row } from './edit.ts';
import { inList, listOf } from './id-lists.ts';
import type { MergedBatch } from './merge.ts';
import { resourceOfTable } from './shared-tables.ts';
import { belongs } from './tenancy.ts';
import { loadStanding, loadWorks, namedBy, type Work } from './working-set.ts';

// What may stand once only, after a merge that brought it twice. Both instances come to the same end by themselves: the
// earliest claim keeps it, and the other's new value has a stamp derived from its own.

type UniqueKey = {
  table: string;
  columns: readonly string[];
  within?: 'of the gateway';
  rule: { is: 'rename'; column: string } | { is: 'hide' };
};

const EMAIL: UniqueKey = {
  table: 'users',
  columns: ['email_key'],
  rule: { is: 'rename', column: 'email_key' },
};

/** A person has one: that of the hosted instance, whatever stood at the gateway before. */
const SUBSCRIPTION: UniqueKey = { table: 'subscriptions', columns: ['user_id'], rule: { is: 'hide' } };

/** Settled where they clash alone: over there the value is somebody else's, or not a gateway's to speak of. */
const OWN_KEYS: readonly UniqueKey[] = [EMAIL, SUBSCRIPTION];
const ALL_KEYS: readonly UniqueKey[] = [...UNIQUE_KEYS, ...OWN_KEYS];

export type Settled = { entries: LogEntry[]; notes: ConflictNote[] };

/** Sets apart what would violate a unique key; answers what the other side must hear and people should know. */
export function* settleUniqueKeys(merged: MergedBatch, context: UnitContext): Steps<Settled> {
  const settled: Settled = { entries: [], notes: [] };
  for (const key of ALL_KEYS) {
    // a new name may be taken again, by design even many times: each round leaves one row more with its name for good
    for (;;) {
      const clashing = yield* clashesOf(key, merged, context);
      const movedApart = clashing.map((works) => setApart(key, works, merged, settled));
      if (!movedApart.includes(true)) break;
    }
  }
  return settled;
}

/** Hosted: rows of the farms of a stream. What is called alike elsewhere stands in nobody's way. */
const OF_THE_GATEWAY: Readonly<Record<string, string>> = {
  control_points: 'farm_id in (select id from sync_farms where stream_id = ?)',
  aerators:
    'pond_id in (select ponds.id from ponds join sync_farms on sync_farms.id = ponds.farm_id where sync_farms.stream_id = ?)',
};

/** Does a row stand by a key that it did not stand by before? */
export function claimsAnew(work: Work, columns: readonly string[]): boolean {
  const { before, row, hidden } = work;
  if (row === null || hidden) return false;
  return before === null || before.hidden || columns.some((column) => before.row[column] !== row[column]);
}

function* clashesOf(key: UniqueKey, merged: MergedBatch, context: UnitContext): Steps<Work[][]> {
  const { set } = merged;
  const ofTable = (): Work[] => [...set.works.values()].filter(({ resource }) => resource.name === key.table);
  const claims = ofTable().filter((work) => claimsAnew(work, key.columns));
  if (claims.length === 0) return [];
  const resource = resourceOfTable(key.table);
  const isLocal = key.within !== undefined && merged.tenancy !== null;
  const stored = yield {
    sql: `select id from ${key.table} where hidden = 0 and ${key.columns.map((column) => inList(column, context)).join(' and ')}${
      isLocal ? ` and ${OF_THE_GATEWAY[key.table] ?? '1 = 1'}` : ''
    }`,
    params: [
      ...key.columns.map((column) => listOf(new Set(claims.map(({ row }) => String(row?.[column]))))),
      ...(isLocal ? [merged.batch.streamId] : []),
    ],
  };
  yield* loadWorks(set, new Map([[resource, new Set(stored.map((row) => String(row['id'])))]]), context);
  yield* loadStanding(
    set,
    ofTable().flatMap(({ row }) => (row === null ? [] : namedBy(resource, row))),
    context,
  );
  const byValue = new Map<string, Work[]>();
  for (const work of ofTable()) {
    if (work.row === null || work.hidden) continue;
    const value = JSON.stringify(key.columns.map((column) => work.row?.[column]));
    byValue.set(value, [...(byValue.get(value) ?? []), work]);
  }
  return [...byValue.values()].filter((works) => works.length > 1);
}

/** Of rows with one key all but the earliest claim get out of its way. Answers whether one did. */
function setApart(key: UniqueKey, works: readonly Work[], merged: MergedBatch, settled: Settled): boolean {
  const group = groupOf(resourceOfTable(key.table), key);
  const [winner, ...losers] = works.toSorted((a, b) =>
    compare(rankOfClaim(a, key, group, merged), rankOfClaim(b, key, group, merged)),
  );
  if (winner === undefined) return false;
  const leaving = losers.filter((loser) => !isOfTheGateway(loser, key, group, merged));
  for (const loser of leaving) {
    if (key.rule.is === 'hide') hide(loser, winner, key, settled);
    else rename(loser, { key, column: key.rule.column, group }, settled);
  }
  return leaving.length > 0;
}

/**
 * Hosted: a name that the gateway itself gave last. It takes no other from here, and would say its own again and again: where
 * two bear one there, they do here, too, until somebody at the farm gives one of them another.
 */
function isOfTheGateway(
  { register }: Work,
  key: UniqueKey,
  group: string,
  { tenancy }: MergedBatch,
): boolean {
  if (key.within === undefined || tenancy === null || register === null) return false;
  return !isHostedStamp(stampOf(register, group));
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function groupOf({ groups }: Resource, { rule }: UniqueKey): string {
  if (rule.is === 'hide') return LIFE;
  const found = Object.entries(groups).find(([, { fields }]) => fields.includes(rule.column));
  if (found === undefined) throw new Error(`${rule.column} is in no group`);
  return found[0];
}

/**
 * The smallest keeps the value: what this gateway cannot know of (a row of another gateway's farm) or, for accounts, what
 * the hosted instance says; of names of devices what was said at the gateway; then the earliest claim, then the smaller id.
 */
function rankOfClaim(work: Work, key: UniqueKey, group: string, merged: MergedBatch): string {
  const { tenancy, set } = merged;
  const { resource, id, row, register } = work;
  const isForeign = tenancy !== null && !belongs(tenancy, set, { resource, id, row: row ?? {} });
  // nothing that comes from outside takes a name away from what bears it at the gateway
  const isBorneHere = tenancy === null && key.within !== undefined && !claimsAnew(work, key.columns);
  const isFirst = isForeign || isBorneHere || (OWN_KEYS.includes(key) && isHosteds(work, merged));
  const claim = register === null ? '' : key.rule.is === 'hide' ? register.hlc : stampOf(register, group);
  // the gateway's motors hear that name
  const isFromAfar = key.within !== undefined && isHostedStamp(claim);
  return `${isFirst ? 0 : 1} ${isFromAfar ? 1 : 0} ${claim} ${id}`;
}

/** Accounts and subscriptions: is it one of the hosted instance's own? */
function isHosteds({ resource, id }: Work, { batch, tenancy }: MergedBatch): boolean {
  if (tenancy !== null) return !tenancy.locals.has(id);
  return batch.changes.some(({ change }) => change.id === id && change.entity === resource.entity);
}

/** The same letters on both sides: of the id's hash, because ids made in one moment begin alike. */
export function lettersOf(id: string): string {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
  const bytes = createHash('sha256').update(id).digest();
  return [...bytes.subarray(0, 5)].map((byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

/** Greater than `hlc`, and than nothing else that anybody stamps. */
export function derivedStamp(hlc: string): string {
  if (!hlc.endsWith('!')) return `${hlc === '' ? NO_STAMP : hlc}!`;
  const { ms, counter, node } = readHlc(hlc.slice(0, -1));
  return `${nextHlc(formatHlc(ms, counter, node), 0, node)}!`;
}

function rename(
  work: Work,
  { key, column, group }: { key: UniqueKey; column: string; group: string },
  { entries, notes }: Settled,
): void {
  const { resource, id, row } = work;
  if (row === null) return;
  const register = work.register ?? newRegister();
  const { fields = [] } = resource.groups[group] ?? {};
  const base = stampOf(register, group);
  const dropped = fieldsOf(row, fields);
  const renamed: Row = { ...row, [column]: `${String(row[column])}~${lettersOf(id)}` };
  const hlc = derivedStamp(base);
  work.row = renamed;
  work.register = { ...register, over: { ...register.over, [group]: hlc } };
  work.isRegisterChanged = true;
  const kept = fieldsOf(renamed, fields);
  if (!OWN_KEYS.includes(key))
    entries.push({
      resource,
      id,
      op: 'put',
      cl: register.cl,
      hlc,
      base: { [group]: base },
      body: { [group]: kept },
      actor: null,
    });
  const rule = column === 'device_id' ? 'unassigned' : 'renamed';
  notes.push({ resource, id, group, rule, kept, dropped, keptHlc: hlc, droppedHlc: base });
}

function hide(work: Work, winner: Work, key: UniqueKey, { entries, notes }: Settled): void {
  const { resource, id, row } = work;
  if (row === null) return;
  const register = work.register ?? newRegister();
  const before = register.over[LIFE] ?? register.hlc;
  const hlc = derivedStamp(before);
  const cl = register.cl + 1;
  work.register = { ...register, cl, over: { ...register.over, [LIFE]: hlc } };
  work.isRegisterChanged = true;
  work.hidden = true;
  // nobody wrote it by hand, and nobody could choose the other
  if (key === SUBSCRIPTION) return;
  entries.push({
    resource,
    id,
    op: 'delete',
    cl,
    hlc,
    base: { '': register.hlc, ...register.over },
    body: null,
    actor: null,
  });
  notes.push({
    resource,
    id,
    group: LIFE,
    rule: 'duplicate',
    kept: { id: winner.id },
    dropped: row,
    keptHlc: hlc,
    droppedHlc: before,
  });
}

/** Rows whose keys move or go: they get out of the way before the others are written. */
export function vacating({ set }: MergedBatch): Map<Resource, string[]> {
  const ids = new Map<Resource, string[]>();
  for (const { table, columns } of ALL_KEYS) {
    const resource = resourceOfTable(table);
    for (const work of set.works.values()) {
      if (work.resource !== resource || work.before === null || work.before.hidden || work.row === null)
        continue;
      const { before, row, id } = work;
      if (work.hidden || columns.some((column) => before.row[column] !== row[column]))
        ids.set(resource, [...new Set([...(ids.get(resource) ?? []), id])]);
    }
  }
  return ids;
}
