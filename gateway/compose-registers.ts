import { addressQueries } from '#adapters/sql/queries/addresses.ts';
import { aeratorQueries } from '#adapters/sql/queries/aerators.ts';
import { commandQueries } from '#adapters/sql/queries/commands.ts';
import { farmQueries } from '#adapters/sql/queries/farms.ts';
import { logQueries } from '#adapters/sql/queries/logs.ts';
import { notificationLists, notificationQueries } from '#adapters/sql/queries/notifications.ts';
import { pondQueries } from '#adapters/sql/queries/ponds.ts';
import type { PresenceItem } from '#contract/events/stream.ts';
import type { FarmGateways } from '#core/remote-order.ts';
import type { Route } from '#core/route.ts';
import { addressRoutes } from '#features/addresses/routes.ts';
import { aeratorRoutes } from '#features/aerators/routes.ts';
import { commandRoutes } from '#features/commands/routes.ts';
import { orderByPerson } from '#features/control-points/order-routes.ts';
import { farmRoutes } from '#features/farms/routes.ts';
import { logRoutes } from '#features/logs/routes.ts';
import { notificationRoutes } from '#features/notifications/routes.ts';
import { pondRoutes } from '#features/ponds/routes.ts';
import { keepWhatHoldsOnFarm } from '#features/schedules/keep-what-holds.ts';
import type { Control } from './compose-control.ts';
import type { Founded } from './compose-kernel.ts';
import type { Production } from './compose-production.ts';
import type { Subscriptions } from './compose-subscriptions.ts';
import type { Config } from './config.ts';

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
