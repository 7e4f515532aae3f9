import { notificationLists, notificationQueries } from '#adapters/sql/queries/alarms/notifications.ts';
import { aeratorQueries } from '#adapters/sql/queries/control/aerators.ts';
import { commandQueries } from '#adapters/sql/queries/control/commands.ts';
import { addressQueries } from '#adapters/sql/queries/farm/addresses.ts';
import { farmQueries } from '#adapters/sql/queries/farm/farms.ts';
import { logQueries } from '#adapters/sql/queries/farm/logs.ts';
import { pondQueries } from '#adapters/sql/queries/farm/ponds.ts';
import type { PresenceItem } from '#contract/events/stream.ts';
import type { Route } from '#core/route.ts';
import { notificationRoutes } from '#features/alarms/notifications/routes.ts';
import { aeratorRoutes } from '#features/control/aerators/routes.ts';
import { commandRoutes } from '#features/control/commands/routes.ts';
import { orderByPerson } from '#features/control/control-points/order-routes.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';
import { keepWhatHoldsOnFarm } from '#features/control/schedules/keep-what-holds.ts';
import { addressRoutes } from '#features/farm/addresses/routes.ts';
import { farmRoutes } from '#features/farm/farms/routes.ts';
import { logRoutes } from '#features/farm/logs/routes.ts';
import { pondRoutes } from '#features/farm/ponds/routes.ts';
import type { Config } from '#runtime/config.ts';
import type { Control } from '../control/control.ts';
import type { Founded } from '../kernel.ts';
import type { Subscriptions } from '../people/subscriptions.ts';
import type { Production } from '../production/production.ts';

export type RegistersDeps = Pick<Founded, 'kernel' | 'database'> & {
  config: Config;
  control: Control;
  production: Production;
  subscriptions: Subscriptions;
  gateways: FarmGateways;
  presenceOf: (controlPointId: string) => PresenceItem | null;
};

/** What a farm consists of and what became of it: addresses, members, ponds, aerators, and the logs people read. */
export function wireRegisters(deps: RegistersDeps): Route[] {
  const { config, kernel, database, control, production, subscriptions, presenceOf } = deps;
  return [
    ...addressRoutes({ ...kernel, queries: addressQueries(database.read) }),
    ...farmRoutes({
      ...kernel,
      queries: farmQueries(database.read),
      defaultZone: config.timezone,
      onZoneChange: (farm) => keepWhatHoldsOnFarm(kernel, control.ownViews.all(), farm),
      onCreate: subscriptions.limits.farm,
    }),
    ...pondRoutes({
      ...kernel,
      queries: pondQueries(database.read),
      contents: production.pondContents,
      scienceOf: production.scienceOf,
      isOnline: (id) => presenceOf(id)?.is_online ?? null,
      activeBatchesIn: async (pondId) =>
        (await production.batches.activeTiedTo(pondId)).map(({ batch }) => batch.batch_code),
      onCreate: (created, { farm }) => subscriptions.limits.pond(created, farm.ownerId),
    }),
    ...aeratorRoutes({
      ...kernel,
      queries: aeratorQueries(database.read, config.role),
      gateways: deps.gateways,
      orderControlPoint: ({ controlPointId, target, caller, reason, aeratorId, requestId }) =>
        orderByPerson(control.orderDeps, controlPointId, {
          target,
          issuedBy: caller.userId,
          reason,
          holdS: null,
          aeratorId,
          requestId,
        }),
    }),
    ...commandRoutes({ ...kernel, queries: commandQueries(database.readLong) }),
    ...logRoutes({ queries: logQueries(database.readLong) }),
    ...notificationRoutes({
      ...kernel,
      queries: { ...notificationQueries(database.read), ...notificationLists(database.readLong) },
    }),
  ];
}
