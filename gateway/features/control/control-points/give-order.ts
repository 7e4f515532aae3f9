import type { RowOf } from '#contract/resource.ts';
import { controlPoint, order } from '#contract/resources/control-points.ts';
import type { Origin, SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, insert, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { type ControlView, targetOf, type UnsavedTarget } from '../control-view.ts';

export type OrderRequest = {
  /** Of the command it was made of; by default an id of its own. */
  id?: string;
  target: SwitchState;
  origin: Origin;
  /** null: a rule of the system. */
  issuedBy: string | null;
  reason: string | null;
  /** End of `for_s`, ms; null: until the next schedule event. */
  holdUntil: number | null;
  /** More for the audit entry. */
  details?: Record<string, unknown>;
  /** The request it came with, so that it can be followed from the console to the relay. */
  requestId?: string | undefined;
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
  const target = {
    target_status: request.target,
    version,
    target_origin: request.origin,
    last_command_at: at,
  };
  const row: RowOf<typeof order> = {
    id: request.id ?? deps.newId(),
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
  const earlier = unsavedOrders(view);
  const changes: Change[] = [
    update(controlPoint, view.row, { ...target, updated_at: at }),
    ...earlier.flatMap((pending) => orderRows(deps, view, { ...pending, state: 'SUPERSEDED', state_at: at })),
    ...orderRows(deps, view, row, {
      ...(request.requestId === undefined ? {} : { request_id: request.requestId }),
      ...request.details,
    }),
    ...superseded(view, at),
  ];
  return { changes, order: row, unsaved: { ...target, order: row, earlier: earlier.slice(-MOST_UNSAVED) } };
}

/** Orders of one control point that wait in memory for the disk. */
const MOST_UNSAVED = 50;

function unsavedOrders({ unsaved }: ControlView): RowOf<typeof order>[] {
  return unsaved === null ? [] : [...unsaved.earlier, unsaved.order];
}

/** An order and its audit entry; `details` are more for the entry. */
export function orderRows(
  deps: GiveOrderDeps,
  view: ControlView,
  row: RowOf<typeof order>,
  details: Record<string, unknown> = {},
): Change[] {
  const now = isoOf(deps.now());
  return [
    insert(order, row),
    audit(deps, {
      farm_id: view.row.farm_id,
      entity_type: 'CONTROL_POINT',
      entity_id: view.row.id,
      entity_name: view.row.cod,
      action: row.target_status === 'ON' ? 'turn_on' : 'turn_off',
      user_id: row.issued_by,
      origin: row.origin,
      at: Date.parse(row.issued_at),
      details: {
        order_id: row.id,
        version: row.version,
        ...(row.reason === null ? {} : { reason: row.reason }),
        ...(row.hold_until === null ? {} : { hold_until: row.hold_until }),
        ...(row.issued_at === now ? {} : { saved_late_at: now }),
        ...details,
      },
    }),
  ];
}

export function superseded({ openOrder }: ControlView, at: string): Change[] {
  return openOrder === null ? [] : [update(order, openOrder.id, { state: 'SUPERSEDED', state_at: at })];
}
