import { controlPoint } from '#contract/resources/control-points.ts';
import { audit } from '#core/audit.ts';
import { update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import { perform } from '#core/use-case.ts';
import { lettersOf } from '#store/merge/unique-keys.ts';
import type { ControlView, ControlViews } from '../control-view.ts';

export type NamesDeps = Kernel & {
  views: Pick<ControlViews, 'all' | 'byDeviceId'>;
  /** When the name was set, ms by the stamp of that change; null: it was never changed. */
  namedAt: (controlPointId: string) => Promise<number | null>;
};

/** The name as it was before a merge set it apart; null: none did. */
export function plainNameOf({ id, device_id }: { id: string; device_id: string }): string | null {
  const letters = `~${lettersOf(id)}`;
  return device_id.endsWith(letters) && device_id.length > letters.length
    ? device_id.slice(0, -letters.length)
    : null;
}

/**
 * Gives devices their name back that a merge took from them, where nobody of this gateway has it now and no controller
 * reported under the other since: programs of before took it also for somebody else's device of that name, and the
 * controller, which has its name in its flash, was cut off. Answers how many.
 */
export async function giveNamesBack(deps: NamesDeps): Promise<number> {
  let given = 0;
  for (const view of Array.from(deps.views.all())) {
    const plain = plainNameOf(view.row);
    if (plain === null || deps.views.byDeviceId(plain).length > 0 || (await isInUse(deps, view))) continue;
    const { id, farm_id, cod, device_id } = view.row;
    await perform(deps, null, async () => ({
      answer: undefined,
      guards: [await deps.guard('device', plain)],
      changes: [
        update(controlPoint, view.row, { device_id: plain, updated_at: isoOf(deps.now()) }),
        audit(deps, {
          farm_id,
          entity_type: 'CONTROL_POINT',
          entity_id: id,
          entity_name: cod,
          action: 'update',
          user_id: null,
          details: { from: { cod, device_id }, to: { device_id: plain } },
        }),
      ],
    }));
    deps.log.warn({ cod, device_id: plain }, 'a device has its name back, which a merge had taken from it');
    given += 1;
  }
  return given;
}

async function isInUse({ namedAt }: NamesDeps, { row, presence }: ControlView): Promise<boolean> {
  const at = await namedAt(row.id);
  return at === null || (presence.lastReportAt !== null && presence.lastReportAt > at);
}
