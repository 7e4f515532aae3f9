import type { Database } from '#adapters/sql/database.ts';
import { forecastQueries } from '#adapters/sql/queries/production/oxygen.ts';
import type { Alerting } from '#core/alerting.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import { aerationRoutes } from '#features/control/aeration/routes.ts';
import { createDawnWatch, type DawnWatch } from '#features/control/aeration/watch-dawn.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';

/** The oxygen expected at dawn: for who asks, and as an alert in the evening. The loop itself is part of control. */
export function wireForecast(deps: {
  kernel: Kernel;
  monotonic: () => number;
  database: Pick<Database, 'read' | 'onRows'>;
  alerting: Alerting;
  scienceOf: ScienceOf;
}): { routes: Route[]; watch: DawnWatch } {
  const { kernel, monotonic, database, alerting, scienceOf } = deps;
  const queries = forecastQueries(database.read);
  const watch = createDawnWatch({ ...kernel, monotonic, queries, alerting, scienceOf });
  database.onRows(watch.follow);
  return { routes: aerationRoutes({ ...kernel, queries, scienceOf }), watch };
}
