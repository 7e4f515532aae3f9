import { controlPoint } from '#contract/resources/control-points.ts';
import { relay, relayMeter } from '#contract/resources/relays.ts';
import { type Change, type Committed, put, rowsOf } from '#core/changes.ts';
import type { Relay, RelayMeter, RelayQueries } from './ports.ts';

export type RelayBook = ReturnType<typeof createRelayBook>;

/** Which control points are relays, and what their meters counted: in memory, in front of the database. */
export function createRelayBook(deps: { queries: RelayQueries }) {
  const relaysById = new Map<string, Relay>();
  const channelsByCarrier = new Map<string, Map<number, Relay>>();
  const metersById = new Map<string, RelayMeter>();
  const unsavedMeters = new Set<string>();

  function keep(row: Relay): void {
    drop(row.id);
    relaysById.set(row.id, row);
    const channels = channelsByCarrier.get(row.carrier_id) ?? new Map<number, Relay>();
    channels.set(row.channel, row);
    channelsByCarrier.set(row.carrier_id, channels);
  }

  function drop(id: string): void {
    const row = relaysById.get(id);
    if (row === undefined) return;
    relaysById.delete(id);
    const channels = channelsByCarrier.get(row.carrier_id);
    if (channels?.get(row.channel)?.id === id) channels.delete(row.channel);
    if (channels?.size === 0) channelsByCarrier.delete(row.carrier_id);
  }

  return {
    async load(): Promise<void> {
      for (const row of await deps.queries.allRelays()) keep(row);
      for (const row of await deps.queries.allMeters()) metersById.set(row.id, row);
    },
    /** Answers the carriers whose channels changed, and the control points that are gone and left a relay behind. */
    /** The tables that `follow` looks at. */
    tables: [relay, relayMeter, controlPoint],
    follow(committed: Committed): { carriers: Set<string>; orphans: string[] } {
      const carriers = new Set<string>();
      for (const { before, after, hidden } of rowsOf(committed, relay)) {
        if (before !== null) carriers.add(before.carrier_id);
        carriers.add(after.carrier_id);
        if (hidden) drop(after.id);
        else keep(after);
      }
      for (const { after, hidden } of rowsOf(committed, relayMeter)) {
        if (hidden) metersById.delete(after.id);
      }
      const gone = rowsOf(committed, controlPoint).filter(({ hidden }) => hidden);
      const orphans = gone.flatMap(({ id }) => [
        ...(relaysById.has(id) ? [id] : []),
        ...[...(channelsByCarrier.get(id)?.values() ?? [])].map((row) => row.id),
      ]);
      return { carriers, orphans: [...new Set(orphans)] };
    },
    byId: (id: string): Relay | null => relaysById.get(id) ?? null,
    all: (): Iterable<Relay> => relaysById.values(),
    /** Channels of one device, by number. */
    channelsOf: (carrierId: string): ReadonlyMap<number, Relay> =>
      channelsByCarrier.get(carrierId) ?? new Map(),
    meterOf: (id: string): RelayMeter | null => metersById.get(id) ?? null,
    setMeter(row: RelayMeter): void {
      if (metersById.get(row.id) === row) return;
      metersById.set(row.id, row);
      unsavedMeters.add(row.id);
    },
    /** What the meters counted since the last call; `failed` puts it back when the disk did not take it. */
    takeUnsaved(): { changes: Change[]; failed: () => void } {
      const ids = [...unsavedMeters].filter((id) => relaysById.has(id));
      unsavedMeters.clear();
      const changes = ids.flatMap((id) => {
        const row = metersById.get(id);
        return row === undefined ? [] : [put(relayMeter, row)];
      });
      return { changes, failed: () => ids.forEach((id) => void unsavedMeters.add(id)) };
    },
  };
}
