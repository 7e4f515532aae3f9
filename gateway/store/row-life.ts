import type { Change, CommittedRow } from '#core/changes.ts';
import { StaleError } from '#core/errors.ts';
import type { ChangeLog } from './change-log.ts';
import { lockRow } from './lock-row.ts';
import { wholeRow } from './merge/whole-rows.ts';
import { isAlive, LIFE, newestOf, newRegister, readRegister, writeRegister } from './register.ts';
import { hideChildren, isBelowHidden, showChildren } from './row-visibility.ts';
import type { Steps, UnitContext } from './statements.ts';

// A row's causal length: each delete and each restore makes it longer by one, odd is alive.

export function* deleteRow(
  change: Extract<Change, { op: 'delete' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id } = change;
  const stored = yield* lockRow(resource, id, context);
  if (stored === null || stored.hidden) throw new StaleError(`${resource.name} ${id}`);
  if (change.expectRev !== null && change.expectRev !== stored.rev)
    throw new StaleError(`${resource.name} ${id}`);
  yield { sql: `update ${resource.name} set hidden = 1, rev = rev + 1 where id = ?`, params: [id] };
  const register = (yield* readRegister(resource, id)) ?? newRegister();
  const cl = register.cl + 1;
  const stamp = log.stamp(newestOf(register));
  yield* writeRegister(resource, id, { ...register, cl, over: { ...register.over, [LIFE]: stamp } });
  // what was seen of the row: an edit that is not in it is concurrent, and whoever made it is told
  const base = { '': register.hlc, ...register.over };
  yield* log.write({ resource, id, op: 'delete', cl, hlc: stamp, base, body: null });
  const gone: CommittedRow = {
    table: resource.name,
    id,
    before: stored.row,
    after: stored.row,
    rev: stored.rev + 1,
    hidden: true,
  };
  return [gone, ...(yield* hideChildren(resource.name, id, context))];
}

export function* restoreRow(
  change: Extract<Change, { op: 'restore' }>,
  log: ChangeLog,
  context: UnitContext,
): Steps<CommittedRow[]> {
  const { resource, id, expectRev } = change;
  const stored = yield* lockRow(resource, id, context);
  const register = yield* readRegister(resource, id);
  const isDeleted = stored?.hidden === true && register !== null && !isAlive(register);
  if (!isDeleted || (expectRev !== null && expectRev !== stored.rev))
    throw new StaleError(`${resource.name} ${id}`);
  if (yield* isBelowHidden(resource, stored.row))
    throw new StaleError(`what ${resource.name} ${id} belongs to`);
  yield { sql: `update ${resource.name} set hidden = 0, rev = rev + 1 where id = ?`, params: [id] };
  const stamp = log.stamp(newestOf(register));
  const alive = { cl: register.cl + 1, hlc: register.hlc, over: { ...register.over, [LIFE]: stamp } };
  yield* writeRegister(resource, id, alive);
  yield* log.write({ ...wholeRow(resource, { ...stored.row, id }, alive), op: 'restore' });
  const back: CommittedRow = {
    table: resource.name,
    id,
    before: null,
    after: stored.row,
    rev: stored.rev + 1,
    hidden: false,
  };
  return [back, ...(yield* showChildren(resource.name, id, context))];
}
