import { aeratorQueries } from '#adapters/sql/queries/control/aerators.ts';
import { commandQueries } from '#adapters/sql/queries/control/commands.ts';
import { addressQueries, farmConsoleQueries, farmQueries } from '#adapters/sql/queries/farm/farms.ts';
import { logQueries } from '#adapters/sql/queries/farm/logs.ts';
import { pondQueries } from '#adapters/sql/queries/farm/ponds.ts';
import { farmConsole } from '#contract/resources/farm-console.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { aeratorRoutes } from '#features/control/aerators/routes.ts';
import { commandRoutes } from '#features/control/commands/routes.ts';
import { orderByPerson } from '#features/control/control-points/order-routes.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import { keepWhatHoldsOnFarm } from '#features/control/schedules/keep-what-holds.ts';
import { addressRoutes } from '#features/farm/addresses/routes.ts';
import { farmConsoleRoutes } from '#features/farm/farm-console/routes.ts';
import { farmRoutes } from '#features/farm/farms/routes.ts';
import { logRoutes } from '#features/farm/logs/routes.ts';
import { pondRoutes } from '#features/farm/ponds/routes.ts';
import type { ControlArea } from '../control/control.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';
import type { Production } from '../production/production.ts';

/** What a farm consists of and what became of it: addresses, ponds, aerators, its screens, and the logs people read. */
export function wireFarm(
  { config, kernel, database, tellChanged }: Platform,
  areas: { control: ControlArea; production: Production; people: Pick<People, 'subscriptions'> },
) {
  const { control, remote } = areas.control;
  const { production } = areas;
  const { subscriptions } = areas.people;
  // whoever changes what a farm arranged for its screens: the other screens, walls that stand for weeks too, follow
  database.onRows(
    onTables([farmConsole], (committed) => {
      for (const { after } of rowsOf(committed, farmConsole))
        tellChanged('farm_console', { farmId: after.farm_id, who: 'viewers' });
    }),
  );
  const routes = [
    ...addressRoutes({ ...kernel, queries: addressQueries(database.read) }),
    ...farmRoutes({
      ...kernel,
      queries: farmQueries(database.read, config.role),
      defaultZone: config.timezone,
      onZoneChange: (farm) => keepWhatHoldsOnFarm(kernel, control.ownViews.ofFarm(farm.id), farm.zone),
      onCreate: subscriptions.limits.farm,
    }),
    ...pondRoutes({
      ...kernel,
      queries: pondQueries(database.read),
      contents: production.pondContents,
      scienceOf: production.scienceOf,
      isOnline: (id) => control.presenceOf(id)?.is_online ?? null,
      activeBatchesIn: async (pondId) =>
        (await production.batches.activeTiedTo(pondId)).map(({ batch }) => batch.batch_code),
      onCreate: (created, { farm }) => subscriptions.limits.pond(created, farm.ownerId),
    }),
    ...aeratorRoutes({
      ...kernel,
      queries: aeratorQueries(database.read, config.role),
      gateways: remote?.gateways ?? NO_GATEWAYS,
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
    ...farmConsoleRoutes({ ...kernel, queries: farmConsoleQueries(database.read) }),
  ];
  return { routes };
}
