import { farm } from '#contract/resources/farms.ts';
import { syncFarm } from '#contract/resources/sync-tables.ts';
import { onTables, type RowListener, rowsOf } from '#core/changes.ts';

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
  follow: RowListener;
};

/** Bindings that follow one another faster than they are read end some time; what they left is followed. */
const READ_AGAIN = 5;

export function createFarmBindings(
  queries: BindingQueries,
  changed: (farmId: string, streamId: number | null) => void = () => undefined,
  failed: (error: unknown) => void = () => undefined,
): FarmBindings {
  const streamsByFarm = new Map<string, number>();
  /** How many bindings commits have told of. */
  let told = 0;

  /** What a commit says while the database is asked may not be in its answer: then it is asked again. */
  async function read<Answer>(ask: () => Promise<Answer>, take: (answer: Answer) => void): Promise<void> {
    for (let reading = 1; ; reading += 1) {
      const before = told;
      const answer = await ask();
      if (told !== before && reading < READ_AGAIN) continue;
      return take(answer);
    }
  }

  function keep(farmId: string, streamId: number | null): void {
    if ((streamsByFarm.get(farmId) ?? null) === streamId) return;
    if (streamId === null) streamsByFarm.delete(farmId);
    else streamsByFarm.set(farmId, streamId);
    changed(farmId, streamId);
  }

  async function refresh(farmId: string): Promise<number | null> {
    await read(
      () => queries.streamOf(farmId),
      (streamId) => keep(farmId, streamId),
    );
    return streamsByFarm.get(farmId) ?? null;
  }

  return {
    load: () =>
      read(queries.all, (rows) => {
        const stored = new Map(rows.map(({ id, stream_id }) => [id, stream_id]));
        for (const farmId of streamsByFarm.keys()) if (!stored.has(farmId)) keep(farmId, null);
        for (const [farmId, streamId] of stored) keep(farmId, streamId);
      }),
    refresh,
    streamOf: (farmId) => streamsByFarm.get(farmId) ?? null,
    follow: onTables([syncFarm, farm], (committed) => {
      for (const { id, after, hidden } of rowsOf(committed, syncFarm)) {
        told += 1;
        keep(id, hidden ? null : after.stream_id);
      }
      // a farm that a gateway brings is bound by the merge itself, which tells of the farm alone
      for (const { id } of rowsOf(committed, farm)) if (!streamsByFarm.has(id)) refresh(id).catch(failed);
    }),
  };
}
