import { sharedResources } from '#contract/resources/all.ts';
import { notification } from '#contract/resources/notifications.ts';
import { SCOPES } from '#contract/sync/scopes.ts';
import { LANES, type SyncLane } from '#contract/sync/wire.ts';
import type { Committed } from '#core/changes.ts';

const laneByTable: ReadonlyMap<string, SyncLane> = new Map(
  LANES.flatMap((lane) =>
    Object.entries(sharedResources)
      // typed by the very same names
      .filter(
        ([name, resource]) => resource.lane === lane && SCOPES[name as keyof typeof SCOPES].by !== 'nobody',
      )
      .map(([, { name }]) => [name, lane] as const),
  ),
);

/** Rows of a unit by the lane that carries them, and news for people among them; what came from the other instance is counted, too, and does no harm. */
export function countLogged({ rows }: Committed): { core: number; history: number; news: number } {
  const counts = { core: 0, history: 0, news: 0 };
  for (const { table, before } of rows) {
    const lane = laneByTable.get(table);
    if (lane !== undefined) counts[lane] += 1;
    if (table === notification.name && before === null) counts.news += 1;
  }
  return counts;
}
