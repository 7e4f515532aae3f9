import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  type ControlPlan,
  type ControlPointAnswer,
  controlPointAnswer,
  controlPointCreate,
  controlPointDetail,
  controlPointSettings,
  controlPointUpdate,
  lockOutAnswer,
  lockOutInput,
  orderEntry,
  type PendingOrder,
} from '#contract/resources/control-points.ts';
import { journalAnswer } from '#core/audit.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Answer, holdsUnsaved, type Route, type RouteDecision, route } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type ControlView, currentOf, isOnline, newerTarget, targetOf } from '../control-view.ts';
import type { FarmGateways } from '../remote-order.ts';
import {
  type ControlPointDeps,
  changeControlPoint,
  createControlPoint,
  deleteControlPoint,
} from './create-control-point.ts';
import { type DecidedLock, liftLockOut, lockOut } from './lock-out.ts';
import type { ControlMemory, ControlPoint } from './ports.ts';
import { changeSettings, settingsOf, type UnkeyedDeps } from './settings.ts';

export type ControlPointRouteDeps = ControlPointDeps &
  UnkeyedDeps &
  Omit<ShownBy, 'byId' | 'gateways'> & {
    memory: ControlMemory;
    mqttIdOf: (deviceId: string) => string;
    gateways: FarmGateways;
    /** Sends what could not be saved to its controller all the same. */
    sendUnsaved: (controlPointId: string) => void;
  };

export const controlPointParams = z.object({ control_point_id: idInput });
export const atControlPoint = {
  who: 'farm',
  of: 'control_point',
  at: 'params',
  field: 'control_point_id',
  others: 404,
} as const;
const common = { tag: 'Control points', invalid: 400 } as const;

export function controlPointRoutes(deps: ControlPointRouteDeps): Route[] {
  const { now, onlineAfterMs, gateways } = deps;
  const shown = { now, onlineAfterMs, gateways, planOf: deps.planOf, byId: deps.memory.byId };
  const answerOf = (row: ControlPoint, pending?: PendingOrder): ControlPointAnswer =>
    toAnswer(shown, row, deps.mqttIdOf(row.device_id), pending);
  const asAnswer = (decision: Decision<ControlPoint>, status = 200): RouteDecision => ({
    ...decision,
    answer: { status, body: answerOf(decision.answer), rev: decision.answer.rev },
  });
  // read anew each time: after a stale commit the memory may be behind another process
  async function fresh(id: string): Promise<ControlView> {
    const view = await deps.memory.refresh(id);
    if (view === null) throw notFound('Control point');
    return view;
  }
  return [
    route({
      method: 'POST',
      path: '/control-points/',
      ...common,
      summary: 'Create a control point',
      access: { who: 'farm', of: 'farm', at: 'body', field: 'farm_id', right: 'operate', others: 404 },
      body: controlPointCreate,
      answers: { 201: { schema: controlPointAnswer } },
      idempotent: true,
      async handle(request) {
        return asAnswer(await createControlPoint(deps, signedIn(request), request.body), 201);
      },
    }),
    route({
      method: 'GET',
      path: '/control-points/',
      ...common,
      summary: 'Control points of the caller',
      access: {
        who: 'farm',
        of: 'farm',
        at: 'query',
        field: 'farm_id',
        right: 'read',
        others: 404,
        optional: true,
      },
      query: pageQuery.extend({ farm_id: idInput.optional() }),
      answers: { 200: { schema: controlPointAnswer, list: true } },
      async handle(request) {
        const { skip, limit, farm_id = null } = request.query;
        const points = deps.queries.controlPointsOf(signedIn(request).userId, { skip, limit }, farm_id);
        return { answer: { status: 200, rows: withPending(gateways, points, answerOf) } };
      },
    }),
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}',
      ...common,
      summary: 'A control point with its wanted and its reported state',
      access: { ...atControlPoint, right: 'read' },
      params: controlPointParams,
      answers: { 200: { schema: controlPointDetail } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        const { row, unsaved } = view;
        const target_reason = unsaved === null ? await deps.queries.reasonOf(row) : unsaved.order.reason;
        const pending = (await gateways.pendingOrders([row])).get(row.id);
        return { answer: { status: 200, body: { ...answerOf(row, pending), target_reason }, rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/control-points/{control_point_id}',
      ...common,
      summary: 'Change code or device',
      access: { ...atControlPoint, right: 'operate' },
      params: controlPointParams,
      body: controlPointUpdate,
      answers: { 200: { schema: controlPointAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        requireMatch(request, view.row);
        return asAnswer(await changeControlPoint(deps, signedIn(request), view, request.body));
      },
    }),
    route({
      method: 'DELETE',
      path: '/control-points/{control_point_id}',
      ...common,
      summary: 'Delete a control point',
      access: { ...atControlPoint, right: 'operate' },
      params: controlPointParams,
      answers: { 204: null },
      async handle(request) {
        const caller = signedIn(request);
        const { farmId } = onFarm(request);
        const gone = await deleteControlPoint(deps, caller, async () => {
          const view = await fresh(request.params.control_point_id);
          if (view.row.farm_id !== farmId) throw notFound('Control point');
          return view;
        });
        return { ...gone, answer: { status: 204 } };
      },
    }),
    ...settingsRoutes(deps, fresh),
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/orders',
      ...common,
      summary: 'Orders to a control point, newest first, with who, why and how far they got',
      access: { ...atControlPoint, right: 'read' },
      params: controlPointParams,
      query: pageQuery,
      answers: { 200: { schema: orderEntry, list: true } },
      async handle(request) {
        const id = request.params.control_point_id;
        const unsaved = unsavedOrders(deps.memory.byId(id));
        return {
          answer: await journalAnswer(request.query, {
            count: async () => unsaved.length + (await deps.queries.countOrders(id)),
            rows({ skip, limit }) {
              const first = unsaved.slice(skip, skip + limit);
              const page = { skip: Math.max(0, skip - unsaved.length), limit: limit - first.length };
              return ordersShown(first, deps.queries.ordersOf(id, page));
            },
          }),
        };
      },
    }),
  ];
}

/** Orders that the disk did not take, newest first. */
function unsavedOrders(view: ControlView | null): z.infer<typeof orderEntry>[] {
  if (view === null || view.unsaved === null) return [];
  const { order, earlier } = view.unsaved;
  const passed = earlier.map((row) => ({ ...row, state: 'SUPERSEDED' as const }));
  return [order, ...passed.toReversed()].map((row) => orderEntry.parse({ ...row, is_saved: false }));
}

async function* ordersShown(
  unsaved: readonly z.infer<typeof orderEntry>[],
  saved: ReturnType<ControlPointRouteDeps['queries']['ordersOf']>,
) {
  yield* unsaved;
  for await (const row of saved) yield orderEntry.parse(row);
}

function settingsRoutes(deps: ControlPointRouteDeps, fresh: (id: string) => Promise<ControlView>): Route[] {
  const lockOutPath = '/control-points/{control_point_id}/lock-out';
  /** It holds from now on, whatever the disk does. */
  function holding(id: string, { inMemory, ...decision }: DecidedLock, answer: Answer): RouteDecision {
    if (inMemory === null) return { ...decision, answer };
    return {
      ...decision,
      answer,
      whenStorageFails() {
        deps.memory.setUnsavedLock(id, inMemory.lock);
        if (inMemory.target !== null) deps.memory.setUnsaved(id, inMemory.target);
        deps.sendUnsaved(id);
        return holdsUnsaved(answer);
      },
    };
  }
  return [
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/settings',
      ...common,
      summary: 'Fail-safe, minimum times, start order, oxygen set points and calls without a key',
      access: { ...atControlPoint, right: 'read' },
      params: controlPointParams,
      answers: { 200: { schema: controlPointSettings } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        return { answer: { status: 200, body: settingsOf(deps, view), rev: view.row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/control-points/{control_point_id}/settings',
      ...common,
      summary: 'Change settings; fields left out stay',
      access: { ...atControlPoint, right: 'operate' },
      params: controlPointParams,
      body: controlPointSettings.partial(),
      answers: { 200: { schema: controlPointSettings } },
      async handle(request) {
        const { control_point_id: id } = request.params;
        // a siren has no ponds and no schedules: nobody gives it one meanwhile
        const guards = request.body.is_siren === true ? [await deps.guard('control_point', id)] : [];
        const view = await fresh(id);
        requireMatch(request, view.row);
        const changed = await changeSettings(deps, signedIn(request), view, request.body);
        return {
          ...changed,
          guards: [...guards, ...(changed.guards ?? [])],
          answer: {
            status: 200,
            body: settingsOf(deps, { ...view, row: changed.answer }),
            rev: changed.answer.rev,
          },
        };
      },
    }),
    route({
      method: 'POST',
      path: lockOutPath,
      ...common,
      summary: 'Lock out: OFF, and nothing starts it until lifted',
      access: { ...atControlPoint, right: 'operate' },
      params: controlPointParams,
      body: lockOutInput,
      answers: { 200: { schema: lockOutAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        await refuseFromAfar(deps.gateways, view);
        const locked = lockOut(deps, signedIn(request), view, request.body.reason);
        const { answer } = locked;
        const body = lockOutAnswer.parse(answer);
        return holding(view.row.id, locked, { status: 200, body, rev: answer.rev });
      },
    }),
    route({
      method: 'DELETE',
      path: lockOutPath,
      ...common,
      summary: 'Lift the lock-out',
      access: { ...atControlPoint, right: 'operate' },
      params: controlPointParams,
      answers: { 204: null },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        await refuseFromAfar(deps.gateways, view);
        return holding(view.row.id, liftLockOut(deps, signedIn(request), view.row), { status: 204 });
      },
    }),
  ];
}

type ShownBy = {
  now: () => number;
  onlineAfterMs: number;
  byId: (id: string) => ControlView | null;
  gateways: Pick<FarmGateways, 'silentSince'>;
  planOf: (view: ControlView) => ControlPlan;
};

/** A control point as its readers see it: the row, and what memory knows better (presence, an unsaved target). */
function toAnswer(
  deps: ShownBy,
  row: ControlPoint,
  mqttId: string,
  pending?: PendingOrder,
): ControlPointAnswer {
  const view = deps.byId(row.id);
  const told = view === null ? null : newerTarget(view);
  const target = view?.unsaved && view.unsaved.version > row.version ? targetOf(view) : { ...row, ...told };
  const presence = view?.presence ?? null;
  const silentSince = deps.gateways.silentSince(row.farm_id);
  return {
    id: row.id,
    farm_id: row.farm_id,
    cod: row.cod,
    target_status: pending === undefined || pending.is_untold ? target.target_status : pending.target_status,
    current_status:
      view === null ? row.current_status : currentOf({ row, presence: view.presence }).current_status,
    device_id: row.device_id,
    consumption: presence?.consumption ?? 0,
    last_command_at: target.last_command_at,
    last_heartbeat: presence?.lastReportAt == null ? null : isoOf(presence.lastReportAt),
    created_at: row.created_at,
    updated_at: row.updated_at,
    mqtt_id: mqttId,
    is_online: presence !== null && isOnline(presence, deps.now(), deps.onlineAfterMs),
    target_origin: target.target_origin,
    version: target.version,
    epoch: target.epoch,
    locked_out: view?.unsavedLock?.locked_out ?? row.locked_out,
    is_siren: row.is_siren,
    is_simulated: row.is_simulated,
    is_proved: presence?.isProved ?? null,
    ...(view === null ? {} : { plan: deps.planOf(view) }),
    ...(pending === undefined ? {} : { pending }),
    ...(silentSince === undefined
      ? {}
      : { gateway_silent_since: silentSince === null ? null : isoOf(silentSince) }),
  };
}

// On a hosted instance, control points that the gateway of their farm runs.

/**
 * A lock-out protects whoever stands at the motor: it must hold at once and without the internet, so it is set and
 * lifted on the farm alone. Throws 409.
 */
async function refuseFromAfar(
  gateways: Pick<FarmGateways, 'hasGateway'>,
  { row }: ControlView,
): Promise<void> {
  if (!(await gateways.hasGateway(row.farm_id))) return;
  throw conflict(
    `${row.cod} is run by the gateway of its farm: set and lift its lock-out there, on the farm network`,
    'ON_GATEWAY_ONLY',
  );
}

const SHOWN_TOGETHER = 100;

/** Control points with the orders on their way to them, looked up for many at once. */
async function* withPending(
  gateways: Pick<FarmGateways, 'pendingOrders'>,
  points: AsyncIterable<ControlPoint>,
  answerOf: (row: ControlPoint, pending?: PendingOrder) => ControlPointAnswer,
): AsyncIterable<ControlPointAnswer> {
  let together: ControlPoint[] = [];
  async function* shown() {
    const pending = await gateways.pendingOrders(together);
    for (const row of together) yield answerOf(row, pending.get(row.id));
    together = [];
  }
  for await (const point of points) {
    together.push(point);
    if (together.length >= SHOWN_TOGETHER) yield* shown();
  }
  yield* shown();
}
