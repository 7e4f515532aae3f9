import * as z from 'zod';
import { idInput, pageQuery } from '#contract/fields.ts';
import {
  deviceConfig,
  deviceSchedule,
  heartbeatAnswer,
  httpHeartbeat,
  unprovedAnswer,
} from '#contract/mqtt/messages.ts';
import { controlPoint, deviceKeyAnswer, deviceKeyEntry } from '#contract/resources/control-points.ts';
import {
  type DeviceStatus,
  deviceStatus,
  type SeenDevice,
  seenDevice,
  shadowUpdate,
} from '#contract/resources/devices.ts';
import { registerAnswer } from '#core/audit.ts';
import { forbidden, invalidField, notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { notAuthenticated, signedIn } from '#core/request-checks.ts';
import { type Route, type RouteDecision, route } from '#core/route.ts';
import { type ControlView, currentOf, isOnline, targetOf } from '../control-view.ts';
import type { FarmGateways } from '../remote-order.ts';
import { type DeviceCallerDeps, deviceCaller, mayReport, provedCaller } from './device-caller.ts';
import { issueKey, revokeKeys } from './device-keys.ts';
import { heartbeatAnswerOf, onHeartbeat } from './on-report.ts';
import { configOf, levelEndOf, scheduleOf } from './publish-levels.ts';

export type DeviceRouteDeps = DeviceCallerDeps & {
  onlineAfterMs: number;
  gateways: Pick<FarmGateways, 'isRunByGateway' | 'silentSince'>;
  /** Notes a report over HTTP for technicians. */
  reported: (controlPointId: string, fields: Record<string, unknown>) => void;
  /** A user's order to a control point, as turn-on and turn-off give it. */
  orderByUser: (
    controlPointId: string,
    target: 'ON' | 'OFF',
    by: { userId: string; requestId: string },
  ) => Promise<RouteDecision>;
  /** True when the user may operate some farm of this instance. */
};

const deviceParams = z.object({ device_id: z.string().min(1).max(255) });
const tag = 'Devices';

export function deviceRoutes(deps: DeviceRouteDeps): Route[] {
  return [
    ...heartbeatRoutes(deps),
    ...statusRoutes(deps),
    ...shadowRoutes(deps),
    ...keyRoutes(deps),
    ...seenRoutes(deps),
  ];
}

function heartbeatRoutes(deps: DeviceRouteDeps): Route[] {
  return ['/devices/heartbeat', '/iot/heartbeat'].map((path) =>
    route({
      method: 'POST',
      path,
      tag,
      summary: 'A controller reports its state and learns the wanted one',
      access: { who: 'device' },
      body: httpHeartbeat,
      deprecated: path.startsWith('/iot'),
      answers: { 200: { schema: z.union([heartbeatAnswer, unprovedAnswer]) } },
      async handle(request) {
        const { device_id, ...fields } = request.body;
        const who = await deviceCaller(deps, device_id, request);
        if (!(await mayReport(deps, who))) throw forbidden();
        const by = { via: 'http', authenticated: who.kind === 'user' || who.authenticated } as const;
        // its gateway hears it, and its word alone is stored; the controller learns what that last wanted
        if (deps.gateways.isRunByGateway(who.view.row.farm_id)) {
          const known = heartbeatAnswerOf(deps, who.view);
          return { answer: { status: 200, body: by.authenticated ? known : unprovedAnswer.parse(known) } };
        }
        deps.reported(who.view.row.id, fields);
        return { answer: { status: 200, body: await onHeartbeat(deps, who.view.row.id, fields, by) } };
      },
    }),
  );
}

function statusRoutes(deps: DeviceRouteDeps): Route[] {
  const status = ['/devices/status/{device_id}', '/iot/shadow/{device_id}'].map((path) =>
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Wanted and reported state of a device',
      access: { who: 'device' },
      params: deviceParams,
      deprecated: path.startsWith('/iot'),
      answers: { 200: { schema: deviceStatus } },
      async handle(request) {
        const { view } = await deviceCaller(deps, request.params.device_id, request);
        return { answer: { status: 200, body: statusOf(deps, view) } };
      },
    }),
  );
  return [
    ...status,
    route({
      method: 'GET',
      path: '/devices/schedule/{device_id}',
      tag,
      summary: 'The schedule a controller runs alone when the gateway is away',
      access: { who: 'device' },
      params: deviceParams,
      answers: { 200: { schema: deviceSchedule } },
      async handle(request) {
        const view = await provedCaller(deps, request.params.device_id, request);
        return { answer: { status: 200, body: scheduleOf(deps, view) } };
      },
    }),
    route({
      method: 'GET',
      path: '/devices/config/{device_id}',
      tag,
      summary: 'The configuration of a controller',
      access: { who: 'device' },
      params: deviceParams,
      answers: { 200: { schema: deviceConfig } },
      async handle(request) {
        const view = await provedCaller(deps, request.params.device_id, request);
        return { answer: { status: 200, body: configOf(deps, view) } };
      },
    }),
  ];
}

function shadowRoutes(deps: DeviceRouteDeps): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/iot/shadow/{device_id}',
      hasNoTag: true,
      tag,
      summary: 'A controller reports `current_status`, a user orders `target_status`',
      access: { who: 'device' },
      params: deviceParams,
      body: shadowUpdate,
      deprecated: true,
      answers: { 200: { schema: deviceStatus } },
      async handle(request) {
        const { current_status, target_status } = request.body;
        const who = await deviceCaller(deps, request.params.device_id, request);
        const id = who.view.row.id;
        if (target_status !== undefined && who.kind !== 'user') throw notAuthenticated();
        if (target_status !== undefined && current_status !== undefined) {
          throw invalidField(422, 'current_status', 'send either current_status or target_status');
        }
        if (!(await mayReport(deps, who))) throw forbidden();
        if (target_status !== undefined && who.kind === 'user') {
          const decision = await deps.orderByUser(id, target_status, {
            userId: who.caller.userId,
            requestId: request.requestId,
          });
          const body = { ...statusOf(deps, afterOrder(who.view, decision)), target_status };
          return { ...decision, answer: { status: 200, body } };
        }
        if (current_status !== undefined && !deps.gateways.isRunByGateway(who.view.row.farm_id)) {
          await onHeartbeat(
            deps,
            id,
            { current_status },
            { via: 'http', authenticated: who.kind === 'user' || who.authenticated },
          );
        }
        return { answer: { status: 200, body: statusOf(deps, deps.views.byId(id) ?? who.view) } };
      },
    }),
  ];
}

/** The control point as it stands once an order to it is stored. */
function afterOrder(view: ControlView, { changes = [] }: RouteDecision): ControlView {
  const own = changes.find(
    (change) =>
      change.op === 'update' && change.resource.name === controlPoint.name && change.id === view.row.id,
  );
  return own?.op === 'update' ? { ...view, row: { ...view.row, ...own.set } } : view;
}

function keyRoutes(deps: DeviceRouteDeps): Route[] {
  const params = z.object({ control_point_id: idInput });
  const path = '/control-points/{control_point_id}/device-key';
  const access = {
    who: 'farm',
    of: 'control_point',
    at: 'params',
    field: 'control_point_id',
    right: 'operate',
    others: 404,
  } as const;
  async function fresh(id: string): Promise<ControlView> {
    const view = await deps.views.refresh(id);
    if (view === null) throw notFound('Control point');
    return view;
  }
  const named = ({ row, mqttId }: ControlView) => ({
    control_point_id: row.id,
    device_id: row.device_id,
    mqtt_id: mqttId,
  });
  return [
    route({
      method: 'POST',
      path,
      tag,
      answersSecret: true,
      summary: 'Make a key for the controller; it is shown this once and counts from its first use',
      access,
      params,
      answers: { 201: { schema: deviceKeyAnswer } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        const issued = issueKey(deps, view, signedIn(request).userId);
        const { row, key } = issued.answer;
        const body = { id: row.id, ...named(view), key, state: row.state, created_at: row.created_at };
        return { ...issued, answer: { status: 201, body } };
      },
    }),
    route({
      method: 'GET',
      path,
      tag,
      summary: 'Keys of the controller, without the keys themselves',
      access,
      params,
      answers: { 200: { schema: deviceKeyEntry, list: true } },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        const rows = view.keys.map(({ id, state, created_at, activated_at, retires_at }) => ({
          id,
          ...named(view),
          state,
          created_at,
          activated_at,
          retires_at,
        }));
        return { answer: { status: 200, rows } };
      },
    }),
    route({
      method: 'DELETE',
      path,
      tag,
      summary: 'Revoke every key of the controller and close its connection',
      access,
      params,
      answers: { 204: null },
      async handle(request) {
        const view = await fresh(request.params.control_point_id);
        return { ...revokeKeys(deps, view, signedIn(request).userId), answer: { status: 204 } };
      },
    }),
  ];
}

function seenRoutes(deps: DeviceRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/devices/seen',
      tag,
      summary: 'Devices that knocked and were not let in, last seen first',
      access: { who: 'box', right: 'work' },
      query: pageQuery,
      answers: { 200: { schema: seenDevice, list: true } },
      async handle(request) {
        const unknown = deps.seen
          .list()
          // one of ours that cannot come in is told by what keeps it out
          .filter((sight) => deps.views.byDeviceId(sight.device_id).every((view) => isKeptOut(sight, view)));
        return { answer: registerAnswer(request.query, unknown) };
      },
    }),
  ];
}

function isKeptOut({ reason, last_seen }: SeenDevice, { presence }: ControlView): boolean {
  // let in since then
  if (reason === 'no_key') return (presence.lastReportAt ?? 0) < Date.parse(last_seen);
  return reason === 'protocol_v5' || reason === 'client_id';
}

function statusOf(deps: DeviceRouteDeps, view: ControlView): DeviceStatus {
  const { presence, row } = view;
  const target = targetOf(view);
  const silentSince = deps.gateways.silentSince(row.farm_id);
  return {
    device_id: row.device_id,
    current_status: currentOf(view).current_status,
    target_status: target.target_status,
    last_heartbeat: presence.lastReportAt === null ? null : isoOf(presence.lastReportAt),
    is_online: isOnline(presence, deps.now(), deps.onlineAfterMs),
    version: target.version,
    epoch: target.epoch,
    ...levelEndOf(deps, view),
    target_origin: target.target_origin,
    source: presence.source,
    firmware_version: presence.firmwareVersion,
    rssi: presence.rssi,
    uptime_s: presence.uptimeS,
    consumption: presence.consumption,
    power_ok: presence.powerOk,
    motor_current_ma: presence.motorCurrentMa,
    via: presence.via,
    is_proved: presence.isProved ?? null,
    ...(silentSince === undefined
      ? {}
      : { gateway_silent_since: silentSince === null ? null : isoOf(silentSince) }),
  };
}
