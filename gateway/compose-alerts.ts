import type { Database } from '#adapters/sql/database.ts';
import { alertQueries } from '#adapters/sql/queries/alerts.ts';
import { peopleQuery } from '#adapters/sql/queries/notifications.ts';
import type { ControlViews } from '#core/control-view.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { createAlerting } from '#features/alerts/create-alerting.ts';
import { dampedAlerting } from '#features/alerts/damp-alerts.ts';
import { deviceFacts } from '#features/alerts/device-facts.ts';
import { createEscalation } from '#features/alerts/escalate-alerts.ts';
import { createEpisodeFinisher } from '#features/alerts/finish-episodes.ts';
import { alertRoutes } from '#features/alerts/routes.ts';
import { createDeviceWatch } from '#features/alerts/watch-devices.ts';
import { createInstanceWatch, type InstanceConditions } from '#features/alerts/watch-instance.ts';
import type { Config } from './config.ts';

/** The alert store and its interface: for every feature that raises alerts. */
export function wireAlerts(kernel: Kernel, database: Database, notify: Notify) {
  const queries = alertQueries(database.read);
  const deps = { ...kernel, queries, notify };
  const { alertsOf, countAlerts } = alertQueries(database.readLong);
  const routes = alertRoutes({ ...deps, queries: { ...queries, alertsOf, countAlerts } });
  const episodes = createEpisodeFinisher(deps);
  database.onCommit(episodes.follow);
  return { queries, alerting: createAlerting(deps), routes, episodes };
}

export type WatchDeps = {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  alerts: ReturnType<typeof wireAlerts>;
  notify: Notify;
  /** Control points this instance runs itself. */
  views: ControlViews;
  /** Until when an earlier run is known to have listened, ms; null: not known. */
  previousUntil: number | null;
  conditions: () => InstanceConditions;
  /** Whether the simulator plays this control point now. */
  isSimulating: (controlPointId: string) => boolean;
};

/**
 * What looks for trouble every few seconds. Controllers are watched where they are heard: on a gateway, and for farms
 * without one in the one process of the hosted instance that runs them.
 */
export function wireWatches(deps: WatchDeps) {
  const { config, kernel, monotonic, database, alerts, notify } = deps;
  const watching = { own: config.role === 'gateway' ? startWatches(deps, deps.previousUntil) : null };
  const escalation = createEscalation({
    ...kernel,
    monotonic,
    queries: alerts.queries,
    notify,
    peopleOf: peopleQuery(database.read),
    isShared: database.dialect === 'postgres',
  });
  database.onCommit(escalation.follow);
  return {
    async tick() {
      await watching.own?.tick();
    },
    /** Hosted instance: this process looks from now on; `previousUntil`: until when another one did. */
    begin(previousUntil: number | null) {
      watching.own ??= startWatches(deps, previousUntil);
    },
    end() {
      watching.own?.stop();
      watching.own = null;
    },
    escalation,
  };
}

function startWatches(deps: WatchDeps, previousUntil: number | null) {
  const { config, kernel, monotonic, database, alerts, views } = deps;
  const alerting = dampedAlerting(alerts.alerting, { monotonic });
  const watchDeps = { ...kernel, monotonic, alerting, queries: alerts.queries };
  const listening = {
    sinceMonotonic: monotonic(),
    previousUntil,
    heartbeatIntervalMs: config.pollIntervalS * 1000,
  };
  const devices = createDeviceWatch({
    ...watchDeps,
    devices: () =>
      deviceFacts(views.all(), {
        monotonic: monotonic(),
        onlineAfterMs: config.onlineAfterS * 1000,
        isSimulating: deps.isSimulating,
      }),
    listening: () => listening,
  });
  const instance = createInstanceWatch({
    ...watchDeps,
    farmIds: () => new Set([...views.all()].map(({ row }) => row.farm_id)),
    conditions: deps.conditions,
  });
  const stops = [database.onCommit(devices.follow), database.onCommit(instance.follow)];
  return {
    async tick() {
      await devices.tick();
      await instance.tick();
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

export type Alerts = ReturnType<typeof wireAlerts>;
