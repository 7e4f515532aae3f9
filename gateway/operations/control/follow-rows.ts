import type { Database } from '#adapters/sql/database.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { type Committed, onTables } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { OxygenLoop } from '#features/control/aeration/oxygen-loop.ts';
import type { traceOrders } from '#features/control/control-points/trace-orders.ts';
import { lookAgain } from '#features/control/devices/follow-other-processes.ts';
import type { KeyUses } from '#features/control/devices/key-uses.ts';
import type { createLevelPublisher } from '#features/control/devices/publish-levels.ts';
import { createReadBack } from '#features/control/devices/read-back.ts';
import type { Registry } from '#features/control/devices/registry.ts';
import { cameBack } from '#features/control/devices/registry.ts';
import type { FollowMerged } from '#features/control/schedules/follow-merged.ts';
import type { Processes } from '#runtime/processes.ts';

/** The rows control knows are followed: new levels go out, and controllers of what is gone are let go of. */
export async function followRows(deps: {
  kernel: Pick<Kernel, 'log'>;
  database: Pick<Database, 'onRows'>;
  /** What other processes of this instance commit. */
  processes: Pick<Processes, 'others'>;
  registry: Registry;
  keyUses: KeyUses;
  merged: Pick<FollowMerged, 'begin'>;
  oxygen: Pick<OxygenLoop, 'follow'>;
  publisher: Pick<ReturnType<typeof createLevelPublisher>, 'follow'>;
  trace: Pick<ReturnType<typeof traceOrders>, 'committed'>;
}): Promise<void> {
  const { kernel, database, registry, keyUses, merged, oxygen, publisher, trace } = deps;
  const { others } = deps.processes;
  const readBack = createReadBack({
    log: kernel.log,
    refresh: registry.refresh,
    later: (ms, run) => void setTimeout(run, ms).unref(),
    isBack: (view) => publisher.follow(null, view),
  });
  const follow = (committed: Committed) => {
    const touched = registry.follow(committed);
    // said before the level goes out, so that the lines of an order stand in their order
    trace.committed(committed);
    for (const { before, after } of touched) publisher.follow(before, after);
    for (const id of cameBack(committed)) readBack(id);
  };
  database.onRows(onTables(registry.tables, follow, { alsoReads: [logEntry] }));
  database.onRows(keyUses.follow);
  // after the registry, which knows who airs a pond by then
  database.onRows(oxygen.follow);
  others.onRows(oxygen.follow);
  // what an earlier run took over from the other instance and did not finish comes before any look at the rules
  await merged.begin();
  /** Levels that are new go out, and controllers of what is gone are let go of. */
  async function readAgain(): Promise<void> {
    const before = new Map([...registry.all()].map((view) => [view.row.id, view]));
    await lookAgain(registry);
    const ids = new Set([...before.keys(), ...[...registry.all()].map(({ row }) => row.id)]);
    for (const id of ids) publisher.follow(before.get(id) ?? null, registry.byId(id));
  }
  others.onGap(() => {
    Promise.all([readAgain(), keyUses.load()]).catch((error: unknown) =>
      kernel.log.error({ err: error }, 'control points as other processes changed them could not be read'),
    );
  });
}
