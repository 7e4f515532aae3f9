import { controlPoint } from '#contract/resources/control-points.ts';
import { deviceKey, presence } from '#contract/resources/local-tables.ts';
import { pond } from '#contract/resources/ponds.ts';
import { audit } from '#core/audit.ts';
import { purge, remove, update } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ControlView } from '../control-view.ts';
import { type ControlPointDeps, named } from './create-control-point.ts';

/** Decides the end of a control point: its ponds are without one, its schedules stop, its device gets 404. */
export async function deleteControlPoint(
  deps: ControlPointDeps,
  caller: Caller,
  load: () => Promise<ControlView>,
): Promise<Decision<void>> {
  const view = await load();
  const guards = [await deps.guard('farm', view.row.farm_id), await deps.guard('control_point', view.row.id)];
  const ponds = await deps.queries.pondsOf(view.row.id);
  const at = isoOf(deps.now());
  return {
    answer: undefined,
    changes: [
      remove(controlPoint, view.row),
      ...ponds.map(({ id }) => update(pond, id, { control_point_id: null, updated_at: at })),
      ...view.keys.map(({ id }) => purge(deviceKey, id)),
      purge(presence, view.row.id),
      audit(deps, { ...named(view.row), action: 'delete', user_id: caller.userId }),
    ],
    guards,
  };
}
