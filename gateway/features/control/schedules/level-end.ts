import type { SwitchState } from '#contract/words.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf, storedManualOrders } from './control-facts.ts';
import { untrustedOrderEnd, untrustedWish } from './untrusted-clock.ts';
import { orderEnd, type SafetyDemand, type WantedFacts, wantedState } from './wanted-state.ts';

export type LevelEndFacts = {
  now: number;
  /** What the water asks for; asked only where something ends. */
  safety: () => readonly SafetyDemand[];
  /** null: the clock is trusted; else the last instant at which it was, ms since 1970. */
  untrustedSince: number | null;
};

/** The level ends by itself in so many milliseconds, and `then` holds. */
export type LevelEnd = { leftMs: number; then: SwitchState };

/**
 * When the level that a controller has ends by itself, and what holds from then on, as far as is known now. null: only
 * new facts or a schedule end it. A level whose order is over, and for which none has taken its place yet, has nothing
 * left: a controller that asks in that moment must not fall back to it.
 */
export function levelEnd(view: ControlView, facts: LevelEndFacts): LevelEnd | null {
  // nearly always: nothing to reckon
  if (view.row.is_siren || !hasTimedOrder(view)) return null;
  const { now, untrustedSince } = facts;
  const safety = facts.safety();
  const level = targetOf(view);
  const untrusted = untrustedSince === null ? null : { now, safety, trustedUntil: untrustedSince };
  const trusted = (): WantedFacts => ({
    ...ruleFactsOf(view, now),
    lockedOut: view.row.locked_out,
    safety,
    orders: manualOrdersOf(view, now),
  });
  const wanted = untrusted === null ? wantedState(trusted()).target : untrustedWish(view, untrusted).target;
  if (wanted !== level.target_status) {
    return isOver(view, level.version, now) ? { leftMs: 0, then: wanted } : null;
  }
  const end = untrusted === null ? orderEnd(trusted()) : untrustedOrderEnd(view, untrusted);
  return end === null ? null : { leftMs: Math.max(0, end.at - now), then: end.then };
}

/** The temporary orders that are over once the level of this version is: it may have been given for an earlier one. */
export function ordersEndedWith(view: ControlView, version: number): string[] {
  const orders = storedManualOrders(view).flatMap((order) => {
    const until = view.endOf?.(order) ?? null;
    return until === null ? [] : [{ ...order, until }];
  });
  const made = orders.find((order) => order.version === version);
  if (made === undefined) return [];
  return orders
    .filter(({ target_status, until }) => target_status === made.target_status && until <= made.until + 1_000)
    .map(({ id }) => id);
}

function hasTimedOrder({ manualOrders, unsaved }: ControlView): boolean {
  return (
    (unsaved?.order.hold_until ?? null) !== null || manualOrders.some((order) => order.hold_until !== null)
  );
}

function isOver(view: ControlView, version: number, now: number): boolean {
  const made = storedManualOrders(view).find((order) => order.version === version);
  if (made === undefined || made.hold_until === null) return false;
  const [order] = manualOrdersOf(view, now).filter(({ id }) => id === made.id);
  return order?.until != null && order.until <= now;
}
