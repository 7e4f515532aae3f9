import { batch } from '#contract/resources/batches.ts';
import { controlPoint } from '#contract/resources/control-points.ts';
import { update } from '#core/changes.ts';
import { UniqueViolation } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Stray } from './ports.ts';

export type FollowOwnerDeps = Pick<Kernel, 'now' | 'commit' | 'log'> & {
  /** Control points and batches whose owner is not the owner of their farm, at most `limit`. */
  strays: (limit: number) => Promise<Stray[]>;
};

const SLICE = 200;

/**
 * Gives what stands on a farm to the owner of the farm: something that was made while it changed hands, here or on the
 * other instance, was made for the former one.
 */
export async function followOwner(deps: FollowOwnerDeps): Promise<void> {
  for (const { of, id, owner_id } of await deps.strays(SLICE)) {
    const set = { owner_id, updated_at: isoOf(deps.now()) };
    const change = of === 'control_point' ? update(controlPoint, id, set) : update(batch, id, set);
    try {
      await deps.commit({ changes: [change], actor: null });
    } catch (error) {
      // the new owner uses the same code on another farm: it stays until one of them has another
      if (!(error instanceof UniqueViolation)) throw error;
      deps.log.warn(
        { of, id, ownerId: owner_id },
        'a code that its new owner has already keeps its former owner',
      );
    }
  }
}
