import type { ControlPointAnswer } from '#contract/resources/control-points.ts';
import { type ControlView, isOnline, targetOf } from '#core/control-view.ts';
import { isoOf } from '#core/kernel.ts';
import type { ControlPoint } from './ports.ts';

export type ShownBy = { now: () => number; onlineAfterMs: number; byId: (id: string) => ControlView | null };

/** A control point as its readers see it: the row, and what memory knows better (presence, an unsaved target). */
export function toAnswer(deps: ShownBy, row: ControlPoint, mqttId: string): ControlPointAnswer {
  const view = deps.byId(row.id);
  const target = view?.unsaved && view.unsaved.version > row.version ? targetOf(view) : row;
  const presence = view?.presence ?? null;
  return {
    id: row.id,
    farm_id: row.farm_id,
    cod: row.cod,
    target_status: target.target_status,
    current_status: row.current_status,
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
    epoch: row.epoch,
    locked_out: row.locked_out,
  };
}
