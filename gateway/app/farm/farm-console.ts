import type { Database } from '#adapters/sql/database.ts';
import { farmConsoleQueries } from '#adapters/sql/queries/farm/farm-console.ts';
import { farmConsole } from '#contract/resources/farm-console.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { farmConsoleRoutes } from '#features/farm/farm-console/routes.ts';

/** What a farm arranged for its screens, whoever changes it: the other screens, walls that stand for weeks too, follow. */
export function wireFarmConsole(
  kernel: Kernel,
  database: Pick<Database, 'read' | 'onRows'>,
  tellChanged: TellChanged,
): Route[] {
  database.onRows(
    onTables([farmConsole], (committed) => {
      for (const { after } of rowsOf(committed, farmConsole))
        tellChanged('farm_console', { farmId: after.farm_id, who: 'viewers' });
    }),
  );
  return farmConsoleRoutes({ ...kernel, queries: farmConsoleQueries(database.read) });
}
