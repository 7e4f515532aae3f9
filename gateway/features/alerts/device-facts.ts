import { type ControlView, targetOf } from '#core/control-view.ts';
import type { DeviceFacts } from './ports.ts';

/** What the watch looks at, from the registry of control points. */
export function* deviceFacts(
  views: Iterable<ControlView>,
  { monotonic, onlineAfterMs }: { monotonic: number; onlineAfterMs: number },
): Iterable<DeviceFacts> {
  for (const view of views) yield factsOf(view, { monotonic, onlineAfterMs });
}

function factsOf(
  view: ControlView,
  { monotonic, onlineAfterMs }: { monotonic: number; onlineAfterMs: number },
): DeviceFacts {
  const { row, presence, ponds } = view;
  const target = targetOf(view);
  const { lastReportMonotonic, isLost } = presence;
  return {
    controlPointId: row.id,
    farmId: row.farm_id,
    cod: row.cod,
    ponds,
    target: target.target_status,
    current: presence.current,
    currentSince: row.current_since === null ? null : Date.parse(row.current_since),
    version: target.version,
    epoch: target.epoch,
    lastReportAt: presence.lastReportAt,
    lastReportMonotonic,
    // not by the wall clock: its step would silence the whole farm at once
    isOnline: lastReportMonotonic !== null && !isLost && monotonic - lastReportMonotonic <= onlineAfterMs,
    via: presence.via,
    powerOk: presence.powerOk,
    // a siren draws less than an idle motor
    motorCurrentMa: row.is_siren ? null : presence.motorCurrentMa,
    deferredUntil: presence.deferredUntil,
  };
}
