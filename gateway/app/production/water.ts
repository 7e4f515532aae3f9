import type { Database } from '#adapters/sql/database.ts';
import { measurementQueries } from '#adapters/sql/queries/production/measurements.ts';
import { waterReadQueries } from '#adapters/sql/queries/production/water-readings.ts';
import type { Alerting } from '#core/alerting.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Route } from '#core/route.ts';
import type { ScienceOf } from '#features/production/water-quality/ports.ts';
import { type WaterQualityDeps, waterQualityRoutes } from '#features/production/water-quality/routes.ts';

/** Measurements of the water, the alerts they raise, and how it stands. */
export function wireWater(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'readLong'>;
  alerting: Alerting;
  scienceOf: ScienceOf;
  heardUnsaved: WaterQualityDeps['heardUnsaved'];
}): { routes: Route[]; deps: WaterQualityDeps } {
  const { kernel, database, alerting, scienceOf, heardUnsaved } = deps;
  const queries = {
    ...measurementQueries(database.read),
    ...waterReadQueries(database.read, database.readLong),
  };
  const water = { ...kernel, queries, alerting, scienceOf, heardUnsaved };
  return { routes: waterQualityRoutes(water), deps: water };
}
