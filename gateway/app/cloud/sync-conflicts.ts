import type { Database } from '#adapters/sql/database.ts';
import type { accessQuery } from '#adapters/sql/queries/access.ts';
import { conflictQueries, tellConflictQueries } from '#adapters/sql/queries/cloud/sync-conflicts.ts';
import { sweepConflicts } from '#adapters/sql/sweep-conflicts.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { syncConflictRoutes } from '#features/cloud/sync-conflicts/routes.ts';
import { createTellConflicts, toldId } from '#features/cloud/sync-conflicts/tell-conflicts.ts';
import type { Config } from '#runtime/config.ts';

/** Changes that lost in a merge: shown, told of, restored. The same on both sides. */
export function wireSyncConflicts(wiring: {
  config: Pick<Config, 'role'>;
  kernel: Kernel;
  database: Database;
  accessTo: ReturnType<typeof accessQuery>;
  notify: Notify;
}) {
  const { config, kernel, database, accessTo, notify } = wiring;
  const telling = createTellConflicts({
    ...kernel,
    notify,
    queries: tellConflictQueries(database, (id) => toldId(kernel, id), accessTo),
  });
  database.onRows(telling.hear);
  return {
    routes: syncConflictRoutes({
      ...kernel,
      role: config.role,
      queries: conflictQueries(database, accessTo),
    }),
    told: telling.settled,
    /** Once an hour, in one process for all. */
    async sweep(): Promise<void> {
      await telling.look();
      await sweepConflicts(database, kernel);
    },
  };
}
