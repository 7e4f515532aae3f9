import { controlPoint } from '#contract/resources/control-points.ts';
import { audit } from '#core/audit.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView, UnsavedLock, UnsavedTarget } from '../control-view.ts';
import { named } from './create-control-point.ts';
import { type GiveOrderDeps, giveOrder } from './give-order.ts';
import type { ControlPoint } from './ports.ts';

// Somebody's hands are in the motor. It holds whether or not the disk takes it, and so does its end: what cannot be
// stored now is stored when there is room.

export type DecidedLock = Decision<ControlPoint> & {
  /** What control goes on with if the disk does not take the changes; null: nothing changes. */
  inMemory: { lock: UnsavedLock; target: UnsavedTarget | null } | null;
};

/** Decides a lock-out: the target goes OFF with it, and nothing starts the motor until it is lifted. */
export function lockOut(deps: GiveOrderDeps, caller: Caller, view: ControlView, reason: string): DecidedLock {
  const at = isoOf(deps.now());
  const lock: UnsavedLock = {
    locked_out: true,
    lock_out_reason: reason,
    lock_out_by: caller.userId,
    lock_out_at: at,
    config_rev: view.row.config_rev + 1,
  };
  const off = giveOrder(deps, view, {
    target: 'OFF',
    origin: 'SAFETY',
    issuedBy: caller.userId,
    reason: `locked out: ${reason}`,
    holdUntil: null,
  });
  const { order: _order, earlier: _earlier, ...target } = off.unsaved;
  const [, ...rest] = off.changes;
  return {
    answer: { ...view.row, ...lock, ...target, updated_at: at, rev: view.row.rev + 1 },
    changes: [
      update(controlPoint, view.row, { ...lock, ...target, updated_at: at }),
      ...rest,
      lockAudit(deps, view.row, caller.userId, { reason }),
    ],
    inMemory: { lock, target: off.unsaved },
  };
}

/** Decides the end of a lock-out; the rules decide again at the next tick. */
export function liftLockOut(deps: GiveOrderDeps, caller: Caller, current: ControlPoint): DecidedLock {
  if (!current.locked_out) return { answer: current, inMemory: null };
  const lock: UnsavedLock = {
    locked_out: false,
    lock_out_reason: null,
    lock_out_by: null,
    lock_out_at: null,
    config_rev: current.config_rev + 1,
  };
  return {
    answer: { ...current, ...lock, rev: current.rev + 1 },
    changes: [
      update(controlPoint, current, { ...lock, updated_at: isoOf(deps.now()) }),
      lockAudit(deps, current, caller.userId, { lifted: true, reason: current.lock_out_reason }),
    ],
    inMemory: { lock, target: null },
  };
}

/** What stores a lock-out that the disk did not take; `set` goes into the update of its control point. */
export function unsavedLockChanges(
  deps: GiveOrderDeps,
  { row, unsavedLock }: Pick<ControlView, 'row' | 'unsavedLock'>,
): { set: Partial<UnsavedLock>; audits: Change[] } {
  if (unsavedLock == null) return { set: {}, audits: [] };
  const { locked_out, lock_out_by, lock_out_reason, lock_out_at } = unsavedLock;
  const details = { ...(locked_out ? { reason: lock_out_reason } : { lifted: true }), saved_late: true };
  const at = lock_out_at === null ? deps.now() : Date.parse(lock_out_at);
  return { set: unsavedLock, audits: [lockAudit(deps, row, lock_out_by, { ...details, at })] };
}

function lockAudit(
  deps: Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>,
  row: ControlPoint,
  user_id: string | null,
  { at = deps.now(), ...details }: { at?: number } & Record<string, unknown>,
): Change {
  return audit(deps, { ...named(row), action: 'lock_out', user_id, at, details });
}
