import { type ControlView, currentOf, targetOf } from '#features/control/control-view.ts';
import type { DeviceFacts, MotorLimits } from './ports.ts';

/** What the watch looks at, from the registry of control points. */
export function* deviceFacts(views: Iterable<ControlView>, at: LookedAt): Iterable<DeviceFacts> {
  for (const view of views) yield factsOf(view, at);
}

type LookedAt = {
  monotonic: number;
  onlineAfterMs: number;
  /** Whether the simulator plays this control point now. */
  isSimulating: (controlPointId: string) => boolean;
  limitsOf: (view: ControlView) => MotorLimits;
  isStocked: (pondIds: readonly string[]) => boolean;
};

function factsOf(view: ControlView, at: LookedAt): DeviceFacts {
  const { monotonic, onlineAfterMs, isSimulating } = at;
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
    activity: presence.activity,
    // asked for only where it is needed: nearly all do as they should
    limits: presence.current === target.target_status ? NO_LIMITS : at.limitsOf(view),
    orderedBy: target.target_origin,
    wasOrdered: target.last_command_at !== null,
    orderState: orderStateOf(view),
    hasKey: view.keys.length > 0,
    isStocked: presence.current === null && at.isStocked(ponds.map(({ id }) => id)),
    trouble: presence.trouble ?? null,
  };
}

const NO_LIMITS: MotorLimits = { minOnMs: 0, minOffMs: 0, startDelayMs: 0 };

/** An order of the present target that is open was never confirmed; one that is closed was, unless it was refused. */
function orderStateOf({ unsaved, openOrder, manualOrders, row }: ControlView): DeviceFacts['orderState'] {
  if (unsaved !== null || row.last_command_at === null) return null;
  if (openOrder?.version === row.version) return 'open';
  const own = manualOrders.find(({ version }) => version === row.version);
  return own === undefined || own.state === 'APPLIED' ? 'applied' : null;
}
