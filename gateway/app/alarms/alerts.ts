import type { Database } from '#adapters/sql/database.ts';
import { alertQueries } from '#adapters/sql/queries/alarms/alerts.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import type { ClockStep } from '#core/clock-step.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { createAlerting } from '#features/alarms/alerts/create-alerting.ts';
import { createEpisodeFinisher } from '#features/alarms/alerts/finish-episodes.ts';
import { followClockStep } from '#features/alarms/alerts/follow-clock-step.ts';
import { alertRoutes } from '#features/alarms/alerts/routes.ts';
import { scienceOfFarms } from '#features/farm/science-settings/ports.ts';

/** The alert store and its interface: for every feature that raises alerts. */
export function wireAlerts(kernel: Kernel, database: Database, notify: Notify) {
  const queries = alertQueries(database.read);
  const deps = { ...kernel, queries, notify };
  const { alertsOf, countAlerts } = alertQueries(database.readLong);
  const routes = alertRoutes({
    ...deps,
    queries: { ...queries, alertsOf, countAlerts },
    scienceOf: scienceOfFarms(scienceSettingQueries(database.read)),
  });
  const episodes = createEpisodeFinisher(deps);
  database.onRows(episodes.follow);
  return {
    queries,
    alerting: createAlerting(deps),
    routes,
    episodes,
    followClockStep: (step: ClockStep) => void followClockStep(deps, step),
  };
}

export type Alerts = ReturnType<typeof wireAlerts>;
