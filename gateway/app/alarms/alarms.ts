import { alertQueries } from '#adapters/sql/queries/alarms/alerts.ts';
import { notificationLists, notificationQueries } from '#adapters/sql/queries/alarms/notifications.ts';
import { scienceSettingQueries } from '#adapters/sql/queries/farm/science-settings.ts';
import { accountQueries } from '#adapters/sql/queries/people/accounts.ts';
import { actionTokens } from '#adapters/tokens/action-tokens.ts';
import { acknowledgeAlert } from '#features/alarms/alerts/change-alert.ts';
import { createAlerting } from '#features/alarms/alerts/create-alerting.ts';
import { createEpisodeFinisher } from '#features/alarms/alerts/finish-episodes.ts';
import { followClockStep } from '#features/alarms/alerts/follow-clock-step.ts';
import { alertRoutes } from '#features/alarms/alerts/routes.ts';
import { notificationRoutes } from '#features/alarms/notifications/routes.ts';
import { createOffer } from '#features/alarms/push-actions/offer-actions.ts';
import { scienceOfFarms } from '#features/farm/science-settings/ports.ts';
import { createDeliveries } from '#operations/delivery/deliveries.ts';
import type { ControlMemory } from '../control/memory.ts';
import type { Platform } from '../kernel.ts';

export type Alarms = Awaited<ReturnType<typeof wireAlarms>>;

/** The alerts, for every feature that raises some, and what brings news to people. */
export async function wireAlarms(
  platform: Platform,
  { memory }: { memory: Pick<ControlMemory, 'registry'> },
) {
  const { config, kernel, database, notify, signals } = platform;
  const { read, readLong } = database;
  const queries = alertQueries(read);
  const deps = { ...kernel, queries, notify };
  const { alertsOf, countAlerts } = alertQueries(readLong);
  const episodes = createEpisodeFinisher(deps);
  database.onRows(episodes.follow);
  // on a hosted instance several processes would, each by its own clock
  if (config.role === 'gateway') signals.on('clockStepped', (step) => void followClockStep(deps, step));
  const offer = createOffer({
    ...kernel,
    tokens: actionTokens,
    views: memory.registry,
    alertById: queries.alertById,
    accountOf: accountQueries(read).standingOf,
    accessTo: platform.accessTo,
  });
  const delivery = await createDeliveries({ ...platform, offer });
  signals.on('clockStepped', ({ steppedBy }) => delivery.followClockStep(steppedBy));
  const { modem } = delivery;
  return {
    alerts: { queries, alerting: createAlerting(deps), episodes },
    acknowledge: (alertId: string, userId: string) => acknowledgeAlert(deps, alertId, { userId }),
    delivery,
    routes: [
      ...delivery.routes,
      ...alertRoutes({
        ...deps,
        queries: { ...queries, alertsOf, countAlerts },
        scienceOf: scienceOfFarms(scienceSettingQueries(read)),
      }),
      ...notificationRoutes({
        ...kernel,
        queries: { ...notificationQueries(read), ...notificationLists(readLong) },
      }),
    ],
    ticks: [
      { name: 'episodes', everyS: 1, run: episodes.look },
      { name: 'deliveries', everyS: 5, run: delivery.look },
      ...(modem === null ? [] : [{ name: 'modem', everyS: 60, run: modem.look }]),
    ],
    start: delivery.start,
    stop: { withPorts: (grace: () => Promise<unknown>) => delivery.stop(grace()) },
  };
}
