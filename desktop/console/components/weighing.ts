import type { BatchOnCard } from '#contract/resources/pond-cards.ts';
import { soon } from '../data/clock.ts';
import { type Freshness, freshnessOf } from '../state/freshness.ts';

const DAY_MS = 86_400_000;

/** How old the weighing is that weight and biomass rest on; before the first one that is the stocking. */
export function weighingOf({ weighed_at, days_active }: BatchOnCard): Freshness {
  return freshnessOf(
    'biometry',
    weighed_at === null ? days_active * DAY_MS : soon.value - Date.parse(weighed_at),
  );
}
