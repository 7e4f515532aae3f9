import { instanceValue } from '#contract/resources/local-tables.ts';
import type { MovedFarm } from '#contract/sync/wire.ts';
import { type Change, onTables, purge, put, type RowListener, rowsOf } from '#core/changes.ts';
import { type AppError, conflict } from '#core/errors.ts';
import { movedPrefix } from '#store/merge/tenancy.ts';
import type { FarmGateways } from '../control/remote-order.ts';

// A farm that was taken off its gateway in the cloud. The hosted instance notes of which, and tells that gateway with
// every answer until it has the farm again; the gateway notes it, runs the farm no longer and takes no change of it.

export const noteMoved = (of: number | 'here', { farm_id, at }: MovedFarm): Change =>
  put(instanceValue, { id: `${movedPrefix(of)}${farm_id}`, value: at });

export const noteBack = (of: number | 'here', farmId: string): Change =>
  purge(instanceValue, `${movedPrefix(of)}${farmId}`);

export const movedOf = ({ id, value }: { id: string; value: string }): MovedFarm => ({
  farm_id: id.slice(id.lastIndexOf(':') + 1),
  at: value,
});

/** What changes in the notes of a gateway by what it is told now; `told` is all of it. */
export function movesHeard(known: readonly MovedFarm[], told: readonly MovedFarm[]): Change[] {
  const ids = new Set(told.map(({ farm_id }) => farm_id));
  return [
    ...told
      .filter(({ farm_id, at }) => !known.some((one) => one.farm_id === farm_id && one.at === at))
      .map((farm) => noteMoved('here', farm)),
    ...known.filter(({ farm_id }) => !ids.has(farm_id)).map(({ farm_id }) => noteBack('here', farm_id)),
  ];
}

/** A gateway's farms that another one runs now, as asked all the time. */
export type MovedFarms = {
  has: (farmId: string) => boolean;
  all: () => MovedFarm[];
  follow: RowListener;
};

export function createMovedFarms(stored: readonly MovedFarm[]): MovedFarms {
  const farms = new Map(stored.map((farm) => [farm.farm_id, farm]));
  return {
    has: (farmId) => farms.has(farmId),
    all: () => [...farms.values()],
    follow: onTables([instanceValue], (committed) => {
      for (const { id, after, hidden } of rowsOf(committed, instanceValue)) {
        if (!id.startsWith(movedPrefix('here'))) continue;
        const farm = movedOf({ id, value: after.value });
        if (hidden) farms.delete(farm.farm_id);
        else farms.set(farm.farm_id, farm);
      }
    }),
  };
}

export const movedAway = (): AppError =>
  conflict(
    'This farm was taken off this box in the cloud, and another gateway or the cloud runs it now: change it there. What this box kept can still be read and exported here',
    'FARM_MOVED',
  );

/** A gateway runs all of its farms but those. */
export const gatewaysOfOwn = (none: FarmGateways, moved: Pick<MovedFarms, 'has'>): FarmGateways => ({
  ...none,
  hasGateway: async (farmId) => moved.has(farmId),
  isRunByGateway: moved.has,
  async sendOrder({ row }) {
    if (moved.has(row.farm_id)) throw movedAway();
    return null;
  },
});
