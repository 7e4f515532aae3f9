import type { ControlView } from '#core/control-view.ts';
import { targetOf } from '#core/control-view.ts';
import { manualOrdersOf, ruleFactsOf, storedManualOrders } from './control-facts.ts';
import { standingOrders } from './manual-orders.ts';
import { type SafetyDemand, strongest, wantedState } from './wanted-state.ts';
import type { Wish } from './wish.ts';

/**
 * What to do while the clock is not to be trusted: no schedule can be read off it, so the control point's fail-safe
 * decides. A person's order given since then holds; one from before may long be over, and nobody can tell. Oxygen knows
 * the age of what it heard since then without that clock, and what it asks for goes before the fail-safe.
 */
export function untrustedWish(view: ControlView, now: number, safety: readonly SafetyDemand[]): Wish | null {
  const { row } = view;
  const reason = 'the clock is not to be trusted';
  if (row.locked_out)
    return { target: 'OFF', origin: 'SAFETY', reason: 'locked out', holdUntil: null, details: {} };
  const emergency = safety.find((demand) => demand.kind === 'EMERGENCY_OXYGEN' && demand.target === 'ON');
  if (emergency) return asDemanded(emergency);
  const sinceUntrusted = new Set(
    storedManualOrders(view)
      .filter((order) => order.clock_quality === 'estimated')
      .map((order) => order.id),
  );
  const [holding] = standingOrders(
    manualOrdersOf(view, now).filter(({ id, until }) => sinceUntrusted.has(id) && (until ?? now + 1) > now),
  );
  if (holding)
    return {
      target: holding.target,
      origin: holding.origin,
      reason: 'an order of a person',
      holdUntil: holding.until,
      details: {},
    };
  const setPoint = strongest(safety.filter((demand) => demand.kind === 'SET_POINT'));
  if (setPoint) return asDemanded(setPoint);
  switch (row.fail_safe) {
    case 'ON':
    case 'OFF':
      return {
        target: row.fail_safe,
        origin: 'SAFETY',
        reason,
        holdUntil: null,
        details: { fail_safe: row.fail_safe },
      };
    case 'HOLD':
      return { target: targetOf(view).target_status, origin: 'SAFETY', reason, holdUntil: null, details: {} };
    case 'SCHEDULE': {
      // asked for: the best time there is
      const wanted = wantedState({
        ...ruleFactsOf(view, now),
        lockedOut: false,
        safety,
        orders: manualOrdersOf(view, now),
      });
      return {
        target: wanted.target,
        origin: 'SCHEDULE',
        reason: `schedule by an estimated time: ${reason}`,
        holdUntil: null,
        details: {},
      };
    }
  }
}

function asDemanded({ kind, target, reason, details }: SafetyDemand): Wish {
  return { target, origin: 'SAFETY', reason, holdUntil: null, details: { demand: kind, ...details } };
}
