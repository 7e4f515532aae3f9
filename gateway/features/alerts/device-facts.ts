import { type ControlView, currentOf, targetOf } from '#core/control-view.ts';
import type { DeviceFacts } from './ports.ts';

/** What the watch looks at, from the registry of control points. */
export function* deviceFacts(views: Iterable<ControlView>, at: LookedAt): Iterable<DeviceFacts> {
  for (const view of views) yield factsOf(view, at);
}

type LookedAt = {
  monotonic: number;
  onlineAfterMs: number;
  /** Whether the simulator plays this control point now. */
  isSimulating: (controlPointId: string) => boolean;
};

function factsOf(view: ControlView, { monotonic, onlineAfterMs, isSimulating }: LookedAt): DeviceFacts {
  const { row, presence, ponds } = view;
  const target = targetOf(view);
  const { current_since: since } = currentOf(view);
  const { lastReportMonotonic, isLost } = presence;
  return {
    controlPointId: row.id,
    farmId: row.farm_id,
    cod: row.cod,
    ponds,
    simulator: row.is_simulated ? (isSimulating(row.id) ? 'runs' : 'rests') : null,
    target: target.target_status,
    current: presence.current,
    currentSince: since === null ? null : Date.parse(since),
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
