import { type ControlView, currentOf, targetOf } from '#features/control/control-view.ts';
import type { Sirens } from './sound-sirens.ts';

export type TellSirensDeps = {
  sirens: Pick<Sirens, 'look'>;
  /** Every control point that is a siren. */
  all: () => readonly ControlView[];
  isOnline: (view: ControlView) => boolean;
  changed: (farmId: string) => void;
};

/** Looked at every second: time alone makes a siren pause and sound, and a silent controller tells nobody. */
export function createSirenTeller({ sirens, all, isOnline, changed }: TellSirensDeps): { look: () => void } {
  const toldByFarm = new Map<string, string>();
  return {
    look() {
      const viewsByFarm = Map.groupBy(all(), ({ row }) => row.farm_id);
      for (const farmId of toldByFarm.keys()) if (!viewsByFarm.has(farmId)) viewsByFarm.set(farmId, []);
      for (const [farmId, views] of viewsByFarm) {
        const stands = views.length === 0 ? '' : standing(sirens.look(farmId), views, isOnline);
        if (toldByFarm.get(farmId) === stands) continue;
        if (views.length === 0) toldByFarm.delete(farmId);
        else toldByFarm.set(farmId, stands);
        changed(farmId);
      }
    },
  };
}

function standing(
  { state, until, alerts }: ReturnType<Sirens['look']>,
  views: readonly ControlView[],
  isOnline: (view: ControlView) => boolean,
): string {
  return JSON.stringify([
    state,
    // a hush that was prolonged; the rest of a second is no news
    until === null ? null : Math.round(until / 1000),
    alerts.map(({ id }) => id),
    views.map((view) => {
      const { id, cod, locked_out } = view.row;
      const { current_status } = currentOf(view);
      return [id, cod, isOnline(view), locked_out, current_status, targetOf(view).target_status];
    }),
  ]);
}
