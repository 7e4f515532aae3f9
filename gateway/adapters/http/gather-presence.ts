import type { PresenceItem } from '#contract/events/stream.ts';

const EVERY_MS = 1000;

/**
 * Gathers presence for a second: thousands of heartbeats become one event per farm, in which the newest word of each
 * controller counts.
 */
export function gatherPresence(deps: {
  later: (ms: number, run: () => void) => void;
  tell: (farmId: string, items: PresenceItem[]) => void;
}): { add: (farmId: string, item: PresenceItem) => void; forget: () => void } {
  const itemsByFarm = new Map<string, Map<string, PresenceItem>>();
  function flush(): void {
    const gathered = [...itemsByFarm];
    itemsByFarm.clear();
    for (const [farmId, items] of gathered) deps.tell(farmId, [...items.values()]);
  }
  return {
    add(farmId, item) {
      if (itemsByFarm.size === 0) deps.later(EVERY_MS, flush);
      const items = itemsByFarm.get(farmId) ?? new Map<string, PresenceItem>();
      itemsByFarm.set(farmId, items.set(item.control_point_id, item));
    },
    /** While nobody listens nothing is gathered, and what was gathered before is older than the next snapshot. */
    forget: () => itemsByFarm.clear(),
  };
}
