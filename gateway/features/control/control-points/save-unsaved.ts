import { controlPoint } from '#contract/resources/control-points.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { ControlView } from '../control-view.ts';
import { type GiveOrderDeps, orderRows, superseded } from './give-order.ts';
import { unsavedLockChanges } from './lock-out.ts';

/**
 * Saves the orders and the lock-out that the disk did not take when they were given, as they were given: the controller
 * knows their version already, and the audit tells who gave them and when.
 */
export function saveUnsaved(deps: GiveOrderDeps, view: ControlView): Change[] {
  const { set, audits } = unsavedLockChanges(deps, view);
  if (view.unsaved === null && audits.length === 0) return [];
  const at = isoOf(deps.now());
  const { order: last, earlier = [], ...target } = view.unsaved ?? {};
  return [
    update(controlPoint, view.row, { ...target, ...set, updated_at: at }),
    ...earlier.flatMap((pending) => orderRows(deps, view, { ...pending, state: 'SUPERSEDED', state_at: at })),
    ...(last === undefined ? [] : [...orderRows(deps, view, last), ...superseded(view, at)]),
    ...audits,
  ];
}
