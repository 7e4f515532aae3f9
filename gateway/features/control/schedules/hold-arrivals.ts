import { controlPoint } from '#contract/resources/control-points.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import { type Change, purge, put, type Unit } from '#core/changes.ts';
import type { ControlViews } from '../control-view.ts';

/** Without a word that the comparison is over, a farm that came is run after this long. */
export const START_AFTER_MS = 120_000;
export const ARRIVING_PREFIX = 'arriving:';

export type Arrivals = {
  /** Control points that a snapshot brings for the first time, and the rows that note it with them. */
  of: (unit: Unit) => { ids: string[]; changes: Change[] };
  /** From when a unit is decided until its commit failed or the farm is whole. */
  hold: (ids: readonly string[]) => void;
  letGo: (ids: readonly string[]) => void;
  /** The rows after which nothing is noted any more. */
  end: () => Change[];
  isHeld: (controlPointId: string) => boolean;
};

/**
 * A farm that comes to this gateway comes in pages: its control points may be here before their schedules, and without
 * those a look at the rules would stop its motors. So they are left alone until the whole farm is here.
 */
export function createArrivals(deps: {
  monotonic: () => number;
  views: Pick<ControlViews, 'byId'>;
}): Arrivals {
  const heldSince = new Map<string, number>();
  return {
    of(unit) {
      const ids = (unit.snapshot?.rows ?? []).flatMap(({ entity, id }) =>
        entity === controlPoint.entity && deps.views.byId(id) === null ? [id] : [],
      );
      return {
        ids,
        changes: ids.map((id) => put(instanceValue, { id: `${ARRIVING_PREFIX}${id}`, value: '1' })),
      };
    },
    hold(ids) {
      for (const id of ids) heldSince.set(id, deps.monotonic());
    },
    letGo(ids) {
      for (const id of ids) heldSince.delete(id);
    },
    end: () => [...heldSince.keys()].map((id) => purge(instanceValue, `${ARRIVING_PREFIX}${id}`)),
    isHeld(id) {
      const since = heldSince.get(id);
      return since !== undefined && deps.monotonic() - since < START_AFTER_MS;
    },
  };
}
