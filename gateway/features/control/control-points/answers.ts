import type { ControlPlan, ControlPointAnswer, PendingOrder } from '#contract/resources/control-points.ts';
import { isoOf } from '#core/kernel.ts';
import { type ControlView, currentOf, isOnline, newerTarget, targetOf } from '../control-view.ts';
import type { FarmGateways } from '../remote-order.ts';
import type { ControlPoint } from './ports.ts';

export type ShownBy = {
  now: () => number;
  onlineAfterMs: number;
  byId: (id: string) => ControlView | null;
  gateways: Pick<FarmGateways, 'silentSince'>;
  planOf: (view: ControlView) => ControlPlan;
};

/** A control point as its readers see it: the row, and what memory knows better (presence, an unsaved target). */
export function toAnswer(
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
