import { farm } from '#contract/resources/farms.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { type Committed, rowsOf } from '#core/changes.ts';

export type BindingQueries = {
  all: () => Promise<{ id: string; stream_id: number }[]>;
  streamOf: (farmId: string) => Promise<number | null>;
};

/** Which gateway runs which farm, in memory in front of the database. Hosted instance. */
export type FarmBindings = {
  /** Reads everything; at start, and now and then for what was not heard of. */
  load: () => Promise<void>;
  /** Asks the database, and remembers. */
  refresh: (farmId: string) => Promise<number | null>;
  streamOf: (farmId: string) => number | null;
  follow: (committed: Committed) => void;
};

export function createFarmBindings(
  queries: BindingQueries,
  changed: (farmId: string, streamId: number | null) => void = () => undefined,
  failed: (error: unknown) => void = () => undefined,
): FarmBindings {
  const streamsByFarm = new Map<string, number>();

  function keep(farmId: string, streamId: number | null): void {
    if ((streamsByFarm.get(farmId) ?? null) === streamId) return;
    if (streamId === null) streamsByFarm.delete(farmId);
    else streamsByFarm.set(farmId, streamId);
    changed(farmId, streamId);
  }

  async function refresh(farmId: string): Promise<number | null> {
    const streamId = await queries.streamOf(farmId);
    keep(farmId, streamId);
    return streamId;
  }

  return {
    async load() {
      const stored = new Map((await queries.all()).map(({ id, stream_id }) => [id, stream_id]));
      for (const farmId of streamsByFarm.keys()) if (!stored.has(farmId)) keep(farmId, null);
      for (const [farmId, streamId] of stored) keep(farmId, streamId);
    },
    refresh,
    streamOf: (farmId) => streamsByFarm.get(farmId) ?? null,
    follow(committed) {
      for (const { id, after, hidden } of rowsOf(committed, syncFarm))
        keep(id, hidden ? null : after.stream_id);
      // a farm that a gateway brings is bound by the merge itself, which tells of the farm alone
      for (const { id } of rowsOf(committed, farm)) if (!streamsByFarm.has(id)) refresh(id).catch(failed);
    },
  };
}
