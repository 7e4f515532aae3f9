import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { RowOf } from '#contract/resource.ts';
import type { Origin, SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { type ControlView, targetOf, type UnsavedTarget } from '#core/control-view.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';

export type OrderRequest = {
  target: SwitchState;
  origin: Origin;
  /** null: a rule of the system. */
  issuedBy: string | null;
  reason: string | null;
  /** End of `for_s`, ms; null: until the next schedule event. */
  holdUntil: number | null;
  /** More for the audit entry. */
  details?: Record<string, unknown>;
};

export type GivenOrder = {
  changes: Change[];
  order: RowOf<typeof order>;
  /** What control goes on with if the disk does not take the changes. */
  unsaved: UnsavedTarget;
};

export type GiveOrderDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'>;

/**
 * Decides an order: a new version of the target, its row, the end of an order still open, and the audit entry. The one
 * way a target changes, whoever asks. Repeating an order is harmless: it raises the version and says the same.
 */
export function giveOrder(deps: GiveOrderDeps, view: ControlView, request: OrderRequest): GivenOrder {
  const at = isoOf(deps.now());
  const version = Math.max(view.row.version, targetOf(view).version) + 1;
  const unsaved = {
    target_status: request.target,
    version,
    target_origin: request.origin,
    last_command_at: at,
  };
  const row: RowOf<typeof order> = {
    id: deps.newId(),
    control_point_id: view.row.id,
    target_status: request.target,
    origin: request.origin,
    issued_by: request.issuedBy,
    reason: request.reason,
    version,
    epoch: view.row.epoch,
    issued_at: at,
    hold_until: request.holdUntil === null ? null : isoOf(request.holdUntil),
    state: 'SENT',
    state_at: at,
    clock_quality: deps.clockQuality(),
  };
  const replaced = view.openOrder;
  const changes: Change[] = [
    update(controlPoint, view.row, { ...unsaved, updated_at: at }),
    insert(order, row),
    ...(replaced ? [update(order, replaced.id, { state: 'SUPERSEDED', state_at: at })] : []),
    audit(deps, {
      farm_id: view.row.farm_id,
      entity_type: 'CONTROL_POINT',
      entity_id: view.row.id,
      entity_name: view.row.cod,
      action: request.target === 'ON' ? 'turn_on' : 'turn_off',
      user_id: request.issuedBy,
      origin: request.origin,
      details: {
        version,
        ...(request.reason === null ? {} : { reason: request.reason }),
        ...(row.hold_until === null ? {} : { hold_until: row.hold_until }),
        ...request.details,
      },
    }),
  ];
  return { changes, order: row, unsaved: { ...unsaved, order: row } };
}
