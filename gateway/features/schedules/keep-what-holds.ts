import { controlPoint, order } from '#contract/resources/control-points.ts';
import { type Change, update } from '#core/changes.ts';
import type { ControlView } from '#core/control-view.ts';
import { isoOf } from '#core/kernel.ts';
import { manualOrdersOf, ruleFactsOf } from './control-facts.ts';
import { endedOrders } from './manual-orders.ts';
import { baseAfterChange, latestEvent } from './rules-state.ts';
import type { ScheduleRule } from './schedule-events.ts';

/**
 * The rows beside every change of what schedules say. A changed schedule loses its past events: the level they left
 * behind becomes the base, and orders they ended stay ended. Without that, moving the end of tonight's aeration by an
 * hour would switch it off on the spot. `applied` is the new schedule when it is to act on an occurrence under way.
 */
export function keepWhatHolds(
  deps: { now: () => number },
  view: ControlView,
  applied: ScheduleRule | null,
): Change[] {
  const now = deps.now();
  const facts = ruleFactsOf(view, now);
  const base = baseAfterChange(facts, applied);
  const stored = new Set(view.manualOrders.map(({ id }) => id));
  const over = endedOrders(manualOrdersOf(view, now), now, latestEvent(facts)).filter(
    // with its end noted an order replaces no other any more: those it replaced are ended with it
    ({ id, until }) => stored.has(id) && (until === null || until > now),
  );
  return [
    update(controlPoint, view.row, {
      base_target: base.target,
      base_at: isoOf(base.at),
      schedule_rev: view.row.schedule_rev + 1,
      updated_at: isoOf(now),
    }),
    ...over.map(({ id }) => update(order, id, { hold_until: isoOf(now) })),
  ];
}

/** The same for every control point of a farm whose clocks are about to be read in another zone. */
export function keepWhatHoldsOnFarm(
  deps: { now: () => number },
  views: Iterable<ControlView>,
  farmId: string,
): Change[] {
  return [...views]
    .filter((view) => view.row.farm_id === farmId && view.schedules.length > 0)
    .flatMap((view) => keepWhatHolds(deps, view, null));
}
