import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type AeratorAnswer,
  aerator,
  aeratorAnswer,
  aeratorControl,
  aeratorControlAnswer,
  aeratorCreate,
  aeratorUpdate,
} from '#contract/resources/aerators.ts';
import { mayOnFarm } from '#contract/rights.ts';
import type { SwitchState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { update } from '#core/changes.ts';
import { forbidden, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import {
  type Answer,
  type Caller,
  type FarmAccess,
  type Route,
  type RouteDecision,
  route,
} from '#core/route.ts';
import {
  type ChangeAeratorDeps,
  type CreateAeratorDeps,
  changeAerator,
  createAerator,
  deleteAerator,
} from './change-aerator.ts';
import type { Aerator, AeratorQueries, OrderControlPoint } from './ports.ts';

export type AeratorRoutesDeps = CreateAeratorDeps & ControlAeratorDeps & ChangeAeratorDeps;

const aeratorParams = z.object({ aerator_id: idInput });
const atAerator = { who: 'farm', of: 'aerator', at: 'params', field: 'aerator_id', others: 404 } as const;
const inPond = { who: 'farm', of: 'pond', field: 'pond_id' } as const;
// a refused field of an aerator is 400, as the interface says
const common = { tag: 'Aerators', invalid: 400 } as const;

export function aeratorRoutes(deps: AeratorRoutesDeps): Route[] {
  async function visibleAerator(id: string): Promise<Aerator> {
    const aerator = await deps.queries.aeratorById(id);
    if (aerator === null) throw notFound('Aerator');
    return aerator;
  }
  return [
    route({
      ...common,
      method: 'POST',
      path: '/aerators/',
      summary: 'Create an aerator in a pond',
      access: { ...inPond, right: 'operate', at: 'body', others: 403 },
      body: aeratorCreate,
      answers: { 201: { schema: aeratorAnswer } },
      idempotent: true,
      async handle(request) {
        const by = { caller: signedIn(request), farm: onFarm(request) };
        const made = await createAerator(deps, by, request.body);
        return { ...made, answer: { status: 201, body: toAnswer(made.answer), rev: 1 } };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/aerators/',
      summary: 'Aerators of a pond, or of all farms of the caller',
      access: { ...inPond, right: 'read', at: 'query', others: 404, optional: true },
      query: pageQuery.extend({ pond_id: idInput.optional() }),
      answers: { 200: { schema: aeratorAnswer, list: true } },
      async handle(request) {
        const { skip, limit, pond_id = null } = request.query;
        const where = { userId: signedIn(request).userId, pondId: pond_id };
        return {
          answer: { status: 200, rows: answersOf(deps.queries.aeratorsOf(where, { skip, limit })) },
        };
      },
    }),
    ...singleAeratorRoutes(deps, visibleAerator),
  ];
}

function singleAeratorRoutes(
  deps: AeratorRoutesDeps,
  visibleAerator: (id: string) => Promise<Aerator>,
): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/aerators/{aerator_id}',
      summary: 'An aerator',
      access: { ...atAerator, right: 'read' },
      params: aeratorParams,
      answers: { 200: { schema: aeratorAnswer } },
      async handle(request) {
        const aerator = await visibleAerator(request.params.aerator_id);
        return { answer: { status: 200, body: toAnswer(aerator), rev: aerator.rev } };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/aerators/{aerator_id}',
      summary: 'Change an aerator',
      access: { ...atAerator, right: 'operate' },
      params: aeratorParams,
      body: aeratorUpdate,
      answers: { 200: { schema: aeratorAnswer } },
      async handle(request) {
        const current = await visibleAerator(request.params.aerator_id);
        requireMatch(request, current);
        const by = { caller: signedIn(request), farm: onFarm(request) };
        const changed = await changeAerator(deps, by, current, request.body);
        return {
          ...changed,
          answer: { status: 200, body: toAnswer(changed.answer), rev: changed.answer.rev },
        };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/aerators/{aerator_id}',
      summary: 'Delete an aerator',
      access: { ...atAerator, right: 'operate' },
      params: aeratorParams,
      answers: { 204: null },
      async handle(request) {
        const current = await visibleAerator(request.params.aerator_id);
        const by = { caller: signedIn(request), farm: onFarm(request) };
        return { ...deleteAerator(deps, by, current), answer: { status: 204 } };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/aerators/{aerator_id}/control',
      summary: 'Switch an aerator on or off',
      access: { ...atAerator, right: 'attend' },
      params: aeratorParams,
      body: aeratorControl,
      answers: { 200: { schema: aeratorControlAnswer } },
      async handle(request) {
        const current = await visibleAerator(request.params.aerator_id);
        const by = { caller: signedIn(request), farm: onFarm(request), requestId: request.requestId };
        return controlAerator(deps, by, current, request.body.status);
      },
    }),
  ];
}

function toAnswer(aerator: Omit<Aerator, 'rev'>): AeratorAnswer {
  return {
    id: aerator.id,
    pond_id: aerator.pond_id,
    name: aerator.name,
    device_id: aerator.device_id,
    power_kw: aerator.power_kw,
    status: aerator.status,
    last_command_at: aerator.last_command_at,
    created_at: aerator.created_at,
    updated_at: aerator.updated_at,
  };
}

async function* answersOf(aerators: AsyncIterable<Aerator>): AsyncIterable<AeratorAnswer> {
  for await (const aerator of aerators) yield toAnswer(aerator);
}

type ControlAeratorDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
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
