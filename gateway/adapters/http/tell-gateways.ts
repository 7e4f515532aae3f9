import type { GatewayEvent } from '#contract/events/stream.ts';
import { isoOf } from '#core/kernel.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';

export type TellGatewaysDeps = Pick<FarmGateways, 'silentSince'> & {
  tell: (farmId: string, event: GatewayEvent) => void;
};

type Silence = ReturnType<FarmGateways['silentSince']>;

/**
 * Tells viewers of farms with a gateway whether it is there. Each process tells those who listen to it, from what it
 * knows: that a gateway fell silent is no event anywhere, so it is looked at, and told once.
 */
export function tellGateways(deps: TellGatewaysDeps) {
  /** What the viewers of a farm were told last; undefined as value: it has no gateway. */
  const told = new Map<string, Silence>();
  /** Farms of snapshots that were made since the last look: their viewers may not count as such yet. */
  const inSnapshots = new Set<string>();

  function tell(farmId: string, since: Silence): void {
    told.set(farmId, since);
    deps.tell(farmId, eventOf(farmId, since));
  }
  const isNews = (farmId: string, since: Silence) => !told.has(farmId) || told.get(farmId) !== since;

  return {
    /** Every two seconds, with the farms that somebody watches. */
    look(watched: ReadonlySet<string>): void {
      for (const farmId of told.keys())
        if (!watched.has(farmId) && !inSnapshots.has(farmId)) told.delete(farmId);
      inSnapshots.clear();
      for (const farmId of watched) {
        const since = deps.silentSince(farmId);
        if (isNews(farmId, since)) tell(farmId, since);
      }
    },
    /**
     * For a snapshot. What differs in it from what others were told is told to them, too: who saw a silence of a
     * moment in a snapshot would believe in it until the next one.
     */
    of(farmIds: readonly string[]): GatewayEvent[] {
      return farmIds.flatMap((farmId) => {
        const since = deps.silentSince(farmId);
        inSnapshots.add(farmId);
        if (!told.has(farmId)) told.set(farmId, since);
        else if (isNews(farmId, since)) tell(farmId, since);
        return since === undefined ? [] : [eventOf(farmId, since)];
      });
    },
  };
}

const eventOf = (farm_id: string, since: Silence): GatewayEvent => ({
  farm_id,
  has_gateway: since !== undefined,
  silent_since: since === null || since === undefined ? null : isoOf(since),
});
