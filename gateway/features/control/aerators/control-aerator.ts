import { aerator } from '#contract/resources/aerators.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { update } from '#core/changes.ts';
import { forbidden } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Answer, Caller, FarmAccess, RouteDecision } from '#core/route.ts';
import type { Aerator, AeratorQueries, OrderControlPoint } from './ports.ts';

export type ControlAeratorDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: Pick<AeratorQueries, 'controlPointOfDevice'>;
  orderControlPoint: OrderControlPoint;
};

/**
 * Decides the switching of an aerator. Its state is recorded; where its device is a control point of the same owner,
 * that control point is ordered in the same commit. Throws 403 when the control point lies on a farm on which the
 * caller may not switch.
 */
export async function controlAerator(
  deps: ControlAeratorDeps,
  by: { caller: Caller; farm: FarmAccess; requestId: string },
  current: Aerator,
  status: SwitchState,
): Promise<RouteDecision> {
  const { caller, farm, requestId } = by;
  const controlPoint = await deps.queries.controlPointOfDevice({
    deviceId: current.device_id,
    ownerId: farm.ownerId,
    pondId: current.pond_id,
    userId: caller.userId,
  });
  if (controlPoint !== null && (controlPoint.role === null || !mayOnFarm(controlPoint.role, 'attend')))
    throw forbidden('This aerator is switched by a control point of a farm on which you may not switch');
  const order: Partial<RouteDecision> =
    controlPoint === null
      ? {}
      : await deps.orderControlPoint({
          controlPointId: controlPoint.id,
          target: status,
          caller,
          reason: `aerator ${current.name}`,
          aeratorId: current.id,
          requestId,
        });
  const at = isoOf(deps.now());
  const set = { status, last_command_at: at, updated_at: at };
  const control_point_id = controlPoint?.id ?? null;
  const entry = audit(deps, {
    farm_id: farm.farmId,
    entity_type: 'AERATOR',
    entity_id: current.id,
    entity_name: current.name,
    action: status === 'ON' ? 'turn_on' : 'turn_off',
    user_id: caller.userId,
    details: { from: current.status, to: status, control_point_id },
  });
  const { id, name } = current;
  const pending = pendingIn(order.answer?.body);
  const body = { id, name, status, last_command_at: at, control_point_id, ...pending };
  // on its way to the gateway of the farm: the aerator follows when that took it
  if (pending !== null) return { ...order, answer: { status: 200, body } };
  const { whenStorageFails } = order;
  return {
    answer: { status: 200, body },
    changes: [update(aerator, current, set), entry, ...(order.changes ?? [])],
    guards: order.guards ?? [],
    ...(whenStorageFails === undefined
      ? {}
      : {
          whenStorageFails(error: Error): Answer {
            whenStorageFails(error);
            return { status: 200, body: { ...body, warnings: [notSaved] } };
          },
        }),
  };
}

/** The order on its way to a gateway, in the answer of a control point. */
function pendingIn(body: unknown): { pending: unknown } | null {
  return typeof body === 'object' && body !== null && 'pending' in body ? { pending: body.pending } : null;
}

// air first: the controller gets the order, though the disk does not take it
const notSaved = {
  code: 'NOT_SAVED',
  message:
    'The order was sent to the controller, but the disk does not take it: after a power cut it may be lost',
};
