import type { SwitchState } from '#contract/words.ts';
import type { ControlView } from '../control-view.ts';
import { targetOf } from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf, storedManualOrders } from './control-facts.ts';
import { type ManualOrder, standingOrders } from './manual-orders.ts';
import { type OrderEnd, type SafetyDemand, strongest, wantedState } from './wanted-state.ts';
import type { Wish } from './wish.ts';

/** `trustedUntil`: the last instant the rules were looked at by a trusted clock, ms since 1970. */
export type UntrustedFacts = { now: number; safety: readonly SafetyDemand[]; trustedUntil: number };

/**
 * What to do while the clock is not to be trusted: no schedule can be read off it, so the control point's fail-safe
 * decides. A person's temporary order holds for what is left of it, which is counted without that clock; one without end
 * holds if it was given since then, because one from before may long be over, and nobody can tell. Oxygen knows the age of
 * what it heard since then without that clock, and what it asks for goes before the fail-safe.
 */
export function untrustedWish(view: ControlView, facts: UntrustedFacts): Wish {
  const { row } = view;
  const { now, safety } = facts;
  const reason = 'the clock is not to be trusted';
  if (row.locked_out)
    return { target: 'OFF', origin: 'SAFETY', reason: 'locked out', holdUntil: null, details: {} };
  const emergency = safety.find((demand) => demand.kind === 'EMERGENCY_OXYGEN' && demand.target === 'ON');
  if (emergency) return asDemanded(emergency);
  const holding = untrustedOrder(view, facts);
  if (holding !== null)
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
      return { target: heldTarget(view, facts), origin: 'SAFETY', reason, holdUntil: null, details: {} };
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

/** As `orderEnd`, while the clock is not to be trusted. */
export function untrustedOrderEnd(view: ControlView, facts: UntrustedFacts): OrderEnd | null {
  const target = untrustedWish(view, facts).target;
  let at = decidingEnd(view, facts);
  while (at !== null) {
    const after = untrustedWish(view, { ...facts, now: at }).target;
    if (after !== target) return { at, then: after };
    const next = decidingEnd(view, { ...facts, now: at });
    at = next !== null && next > at ? next : null;
  }
  return null;
}

function decidingEnd(view: ControlView, facts: UntrustedFacts): number | null {
  const isStronger =
    view.row.locked_out ||
    facts.safety.some((demand) => demand.kind === 'EMERGENCY_OXYGEN' && demand.target === 'ON');
  return isStronger ? null : (untrustedOrder(view, facts)?.until ?? null);
}

function untrustedOrder(view: ControlView, { now, trustedUntil }: UntrustedFacts): ManualOrder | null {
  const sinceUntrusted = new Set(
    storedManualOrders(view)
      .filter(
        ({ clock_quality, issued_at }) =>
          clock_quality === 'estimated' && Date.parse(issued_at) >= trustedUntil,
      )
      .map(({ id }) => id),
  );
  const isInForce = ({ id, until }: ManualOrder) => (until === null ? sinceUntrusted.has(id) : until > now);
  return standingOrders(manualOrdersOf(view, now)).find(isInForce) ?? null;
}

/** The last trusted time is written this often at least. */
const WRITTEN_LATE_MS = 60_000;

/**
 * What HOLD holds: what the rules wanted when the clock was last trusted, never a pause or a temporary start that is over.
 * Aeration that the water asked for goes on: what was known of the water then is not known any more.
 */
function heldTarget(view: ControlView, { now, trustedUntil }: UntrustedFacts): SwitchState {
  const { target_status, target_origin } = targetOf(view);
  if (target_origin === 'SAFETY' && target_status === 'ON') return 'ON';
  const orders = manualOrdersOf(view, now).filter(({ until }) => until === null);
  // before the power went the time may have been known for longer than it was written
  const believed = Math.max(now, trustedUntil) + WRITTEN_LATE_MS;
  const known = storedManualOrders(view).flatMap(({ clock_quality, issued_at }) => {
    const at = Date.parse(issued_at);
    return clock_quality === 'trusted' && at <= believed ? [at] : [];
  });
  const facts = { ...ruleFactsOf(view, now), now: Math.max(trustedUntil, ...known) };
  return wantedState({ ...facts, lockedOut: false, safety: [], orders }).target;
}

function asDemanded({ kind, target, reason, details }: SafetyDemand): Wish {
  return { target, origin: 'SAFETY', reason, holdUntil: null, details: { demand: kind, ...details } };
}
