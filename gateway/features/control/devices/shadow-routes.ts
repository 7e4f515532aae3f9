import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import { type ShadowAnswer, shadowAnswer } from '#contract/resources/shadow.ts';
import { notFound } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { type Route, route } from '#core/route.ts';
import { type ControlView, currentOf, isOnline, targetOf } from '../control-view.ts';
import type { Conversation } from './conversation.ts';
import { configOf, type LevelDeps, scheduleOf } from './publish-levels.ts';

export type ShadowRouteDeps = LevelDeps & {
  freshView: (controlPointId: string) => Promise<ControlView | null>;
  conversation: Pick<Conversation, 'of'>;
  onlineAfterMs: number;
};

const MESSAGES_SHOWN = 50;

/** For a technician who asks why a controller does not do what it should. */
export function shadowRoutes(deps: ShadowRouteDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/control-points/{control_point_id}/shadow',
      tag: 'Devices',
      summary: 'What is wanted of a controller, what it says, and the last messages between both',
      access: {
        who: 'farm',
        of: 'control_point',
        at: 'params',
        field: 'control_point_id',
        right: 'operate',
        others: 404,
      },
      params: z.object({ control_point_id: idInput }),
      answers: { 200: { schema: shadowAnswer } },
      async handle(request) {
        const view = await deps.freshView(request.params.control_point_id);
        if (view === null) throw notFound('Control point');
        return { answer: { status: 200, body: answerOf(deps, view) } };
      },
    }),
  ];
}

function answerOf(deps: ShadowRouteDeps, view: ControlView): ShadowAnswer {
  const { row, presence, keys, mqttId, unsaved } = view;
  const target = targetOf(view);
  const current = currentOf(view);
  const { rev: configRev, ...content } = configOf(deps, view);
  const schedule = scheduleOf(deps, view);
  const instant = (ms: number | null) => (ms === null ? null : isoOf(ms));
  return {
    control_point_id: row.id,
    device_id: row.device_id,
    mqtt_id: mqttId,
    is_simulated: row.is_simulated,
    desired: {
      target_status: target.target_status,
      version: target.version,
      epoch: target.epoch,
      origin: target.target_origin,
      issued_at: target.last_command_at,
      is_saved: unsaved === null,
    },
    reported: {
      current_status: current.current_status,
      since: current.current_since,
      version: presence.reportedVersion,
      source: presence.source,
      deferred_until: instant(presence.deferredUntil),
    },
    config: { wanted: configRev, reported: presence.configRev, content },
    schedule: {
      wanted: schedule.rev,
      reported: presence.scheduleRev,
      entries: schedule.tr.length,
      weekly: schedule.weekly.length,
    },
    presence: {
      is_online: isOnline(presence, deps.now(), deps.onlineAfterMs),
      is_connected: presence.isConnected,
      via: presence.via,
      is_proved: presence.isProved ?? null,
      last_report_at: instant(presence.lastReportAt),
      rssi: presence.rssi,
      uptime_s: presence.uptimeS,
      boot_id: presence.bootId,
      firmware_version: presence.firmwareVersion,
      power_ok: presence.powerOk,
      motor_current_ma: presence.motorCurrentMa,
      consumption: presence.consumption,
    },
    keys: keys.map(({ id, state, created_at, activated_at, retires_at }) => ({
      id,
      state,
      created_at,
      activated_at,
      retires_at,
    })),
    messages: deps.conversation.of(row.id, MESSAGES_SHOWN),
  };
}
