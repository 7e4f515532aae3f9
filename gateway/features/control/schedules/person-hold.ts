import { order } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { type ControlView, targetOf } from '../control-view.ts';
import { manualOrderOf, manualOrdersOf, ruleFactsOf } from './control-facts.ts';
import { holdingOrder, standingOrders } from './manual-orders.ts';
import { latestEvent, wantedState } from './wanted-state.ts';

/** The order of a person that decides what a control point does now. */
type PersonHold = {
  orderId: string;
  target: SwitchState;
  /** ms since 1970; of the order. */
  since: number;
  /** When it ends by itself; null: with an event of the schedules. */
  until: number | null;
  /** What the schedules alone say; null: none has said anything yet. */
  scheduled: SwitchState | null;
};

/**
 * Which person's order holds a control point; null: none does. While the clock is not to be trusted no schedule can be
 * read, and the order is the one that the target was given by.
 */
export function personHold(
  deps: { now: () => number; clockQuality: () => 'trusted' | 'estimated' },
  view: ControlView,
): PersonHold | null {
  const now = deps.now();
  if (deps.clockQuality() !== 'trusted') return lastHold(view);
  const facts = {
    ...ruleFactsOf(view, now),
    lockedOut: view.row.locked_out,
    safety: [],
    orders: manualOrdersOf(view, now),
  };
  const wanted = wantedState(facts);
  if (wanted.cause.kind !== 'order') return overdueHold(view, wanted.target, now);
  const rules = wantedState({ ...facts, orders: [] });
  const { id, target, at, until } = wanted.cause.order;
  const scheduled = rules.cause.kind === 'schedule' ? rules.target : null;
  return { orderId: id, target, since: at, until, scheduled };
}

/** One that is over, and whose target stands all the same against what the rules want. */
function overdueHold(view: ControlView, wanted: SwitchState, now: number): PersonHold | null {
  const hold = lastHold(view);
  const isOverdue = hold !== null && hold.until !== null && now >= hold.until && hold.target !== wanted;
  return isOverdue ? { ...hold, scheduled: wanted } : null;
}

function lastHold(view: ControlView): PersonHold | null {
  const { version, target_status } = targetOf(view);
  const row = view.manualOrders.find((order) => order.version === version);
  if (row === undefined || view.row.locked_out || row.target_status !== target_status) return null;
  const { id, target, at, until } = manualOrderOf(row);
  return { orderId: id, target, since: at, until, scheduled: null };
}

/**
 * The order of somebody on the farm that holds now: it goes before orders from afar. `end` are the rows after which no
 * order of the farm holds any more, for one that was confirmed to go before it.
 */
export function localHold(
  deps: { now: () => number },
  view: ControlView,
): { target: SwitchState; end: Change[] } | null {
  const now = deps.now();
  const local = manualOrdersOf(view, now).filter(({ origin }) => origin === 'LOCAL');
  const latest = latestEvent(ruleFactsOf(view, now));
  const holding = holdingOrder(standingOrders(local), now, latest);
  if (holding === null) return null;
  const stored = new Set(view.manualOrders.map(({ id }) => id));
  const lasting = local.filter(({ id, until }) => stored.has(id) && (until === null || until > now));
  return {
    target: holding.target,
    end: lasting.map(({ id }) => update(order, id, { hold_until: isoOf(now) })),
  };
}
