import { order } from '#contract/resources/control-points.ts';
import type { SwitchState } from '#contract/words.ts';
import { type Change, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { ControlView } from '../control-view.ts';
import { manualOrdersOf, ruleFactsOf } from './control-facts.ts';
import { holdingOrder, standingOrders } from './manual-orders.ts';
import { latestEvent } from './rules-state.ts';

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
