import type { Database } from '#adapters/sql/database.ts';
import type { alertQueries } from '#adapters/sql/queries/alarms/alerts.ts';
import { peopleQuery } from '#adapters/sql/queries/alarms/notifications.ts';
import { silentHeartbeats } from '#adapters/sql/queries/cloud/merged-marks.ts';
import { oxygenQueries } from '#adapters/sql/queries/production/oxygen.ts';
import type { Alerting } from '#core/alerting.ts';
import type { ProcessPauses } from '#core/clock-trust.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { dampedAlerting } from '#features/alarms/alerts/damp-alerts.ts';
import { createEscalation } from '#features/alarms/alerts/escalate-alerts.ts';
import { createRecurringNotifier } from '#features/alarms/alerts/notify-recurring.ts';
import type { Listening, MotorLimits } from '#features/alarms/alerts/ports.ts';
import { createDeviceWatch, deviceFacts } from '#features/alarms/alerts/watch-devices.ts';
import { createEmptyPondWatch } from '#features/alarms/alerts/watch-empty-ponds.ts';
import {
  createHeldOffWatch,
  createStockedPonds,
  type HoldablePoint,
} from '#features/alarms/alerts/watch-held-off.ts';
import { createInstanceWatch, type InstanceConditions } from '#features/alarms/alerts/watch-instance.ts';
import { nightAt, placeOf } from '#features/control/aeration/aired-ponds.ts';
import { type ControlView, type ControlViews, targetOf } from '#features/control/control-view.ts';
import { personHold } from '#features/control/schedules/person-hold.ts';
import { troubleIn } from '#features/equipment/relays/relay-troubles.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import type { Config } from '#runtime/config.ts';

export type WatchDeps = {
  config: Config;
  kernel: Kernel;
  monotonic: () => number;
  database: Database;
  alerts: { queries: ReturnType<typeof alertQueries>; alerting: Alerting };
  notify: Notify;
  /** Control points this instance runs itself. */
  views: ControlViews;
  /** Until when an earlier run is known to have listened, ms; null: not known. */
  previousUntil: number | null;
  conditions: () => InstanceConditions;
  /** Whether the simulator plays this control point now. */
  isSimulating: (controlPointId: string) => boolean;
  pauses: ProcessPauses;
  /** Whether this instance runs a farm, or another one does. */
  isRunHere: (farmId: string) => boolean;
  /** How long its own settings let a controller wait with a start or a stop. */
  limitsOf: (view: ControlView) => MotorLimits;
  /** Batches by pond, and the constants of a farm; asked after the program is wired. */
  batches: Pick<BatchStates, 'activeInPonds' | 'lastLeft'>;
  scienceOf: ScienceOf;
};

/**
 * What looks for trouble every few seconds. Controllers are watched where they are heard: on a gateway, and for farms
 * without one in the one process of the hosted instance that runs them.
 */
export function createWatches(deps: WatchDeps) {
  const { config, kernel, monotonic, database, alerts, notify } = deps;
  const watching = { own: config.role === 'gateway' ? startWatches(deps, deps.previousUntil) : null };
  const escalation = createEscalation({
    ...kernel,
    monotonic,
    queries: alerts.queries,
    notify,
    troubleIn,
    peopleOf: peopleQuery(database.read),
    isShared: database.dialect === 'postgres',
  });
  database.onRows(escalation.follow);
  const recurring = createRecurringNotifier({
    ...kernel,
    monotonic,
    queries: alerts.queries,
    notify,
    troubleIn,
    isOurs: ({ farm_id, type }) => (type === 'GATEWAY_OFFLINE') !== deps.isRunHere(farm_id),
    isShared: database.dialect === 'postgres',
  });
  database.onRows(recurring.follow);
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
    escalation: {
      async tick() {
        await escalation.tick();
        await recurring.tick();
      },
    },
  };
}

function startWatches(deps: WatchDeps, previousUntil: number | null) {
  const { config, kernel, monotonic, database, alerts, views } = deps;
  const alerting = dampedAlerting(alerts.alerting, { monotonic });
  const watchDeps = { ...kernel, monotonic, alerting, queries: alerts.queries };
  const stocked = createStockedPonds({
    log: kernel.log,
    monotonic,
    activeInPonds: deps.batches.activeInPonds,
  });
  const startedMonotonic = monotonic();
  /** After a time in which this process stood still it begins anew. */
  const listening = (): Listening => {
    const pauses = deps.pauses.all().filter(({ to }) => to > startedMonotonic);
    return {
      startedMonotonic,
      sinceMonotonic: pauses.at(-1)?.to ?? startedMonotonic,
      pauses,
      previousUntil,
      heartbeatIntervalMs: config.pollIntervalS * 1000,
    };
  };
  const devices = createDeviceWatch({
    ...watchDeps,
    devices: () =>
      deviceFacts(views.all(), {
        monotonic: monotonic(),
        onlineAfterMs: config.onlineAfterS * 1000,
        isSimulating: deps.isSimulating,
        limitsOf: deps.limitsOf,
        isStocked: stocked.has,
      }),
    listening,
    silences: () => silentHeartbeats(database.read),
  });
  const heldOff = createHeldOffWatch({
    ...watchDeps,
    stocked,
    points: () => holdablePoints(deps),
    nightOf: nightsOf(deps),
  });
  const emptyPonds = createEmptyPondWatch({ ...watchDeps, batches: deps.batches, isRunHere: deps.isRunHere });
  const instance = createInstanceWatch({
    ...watchDeps,
    farmIds: () => new Set([...views.all()].map(({ row }) => row.farm_id)),
    conditions: deps.conditions,
    heldOn: (farmId) =>
      views.ofFarm(farmId).flatMap((view) =>
        view.row.is_siren
          ? []
          : [
              {
                cod: view.row.cod,
                target: targetOf(view).target_status,
                failSafe: view.row.fail_safe,
              },
            ],
      ),
  });
  const stops = [devices, heldOff, emptyPonds, instance].map(({ follow }) => database.onRows(follow));
  return {
    async tick() {
      await stocked.refresh(neverSeenAndWanted(views));
      await devices.tick();
      await heldOff.tick();
      await emptyPonds.tick();
      await instance.tick();
    },
    stop() {
      for (const stop of stops) stop();
    },
  };
}

/** Ponds whose controller never reported and is wanted ON: there it counts whether animals live in them. */
function neverSeenAndWanted(views: ControlViews): string[] {
  return [...views.all()]
    .filter((view) => view.presence.current === null && targetOf(view).target_status === 'ON')
    .flatMap(({ ponds }) => ponds.map(({ id }) => id));
}

function* holdablePoints({ kernel, views }: Pick<WatchDeps, 'kernel' | 'views'>): Iterable<HoldablePoint> {
  for (const view of views.all()) {
    const { row, presence, ponds, zone } = view;
    if (row.is_siren) continue;
    const { target_status, target_origin } = targetOf(view);
    // who holds it is worked out for those few only that a person switched off
    const mayBeHeld = target_status === 'OFF' && (target_origin === 'LOCAL' || target_origin === 'REMOTE');
    yield {
      controlPointId: row.id,
      farmId: row.farm_id,
      cod: row.cod,
      zone,
      ponds,
      isSimulated: row.is_simulated,
      current: presence.current,
      hold: mayBeHeld ? personHold(kernel, view) : null,
    };
  }
}

/** By the sun at the farm, or by the fixed hours of its constants where its place is not known. */
function nightsOf({ kernel, database, scienceOf }: Pick<WatchDeps, 'kernel' | 'database' | 'scienceOf'>) {
  const { farmPlaces } = oxygenQueries(database.read);
  return async (farmId: string, atMs: number) => {
    if (kernel.clockQuality() !== 'trusted') return null;
    const place = (await farmPlaces()).find(({ id }) => id === farmId);
    return place === undefined ? null : nightAt((await scienceOf(farmId)).aeration, placeOf(place), atMs);
  };
}
