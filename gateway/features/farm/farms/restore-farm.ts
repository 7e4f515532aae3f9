import { FARM_TRASH_DAYS, farm } from '#contract/resources/farms.ts';
import { audit } from '#core/audit.ts';
import { restore } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { CreateFarmDeps } from './create-farm.ts';
import type { DeletedFarm, Farm, FarmQueries } from './ports.ts';

export type RestoreFarmDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> &
  Pick<CreateFarmDeps, 'onCreate'> & { queries: FarmQueries };

const DAY_MS = 86_400_000;

export const restorableUntil = ({ deletedAt }: DeletedFarm): number => deletedAt + FARM_TRASH_DAYS * DAY_MS;

/** Farms of the caller that were deleted and can still come back, last deleted first. */
export async function deletedFarms(
  { now, queries }: Pick<RestoreFarmDeps, 'now' | 'queries'>,
  ownerId: string,
): Promise<DeletedFarm[]> {
  const found = await queries.deletedFarmsOf(ownerId);
  return found.filter((one) => now() < restorableUntil(one)).sort((a, b) => b.deletedAt - a.deletedAt);
}

/**
 * Decides that a farm is there again, with all that was deleted with it; what was deleted for itself stays so. It counts
 * in the plan like a new one. Throws 404 for another's or one that is gone for too long, 409 when a controller, a code
 * or a batch of it bears a name that something else has now.
 */
export async function restoreFarm(
  deps: RestoreFarmDeps,
  caller: Caller,
  farmId: string,
): Promise<Decision<Farm>> {
  // an account that is being deleted gets no farm: as when one is made
  const guards = [await deps.guard('account', caller.userId), await deps.guard('farm', farmId)];
  if (!(await deps.queries.userExists(caller.userId))) throw notFound('User');
  const found = (await deletedFarms(deps, caller.userId)).find((one) => one.farm.id === farmId);
  if (found === undefined) throw notFound('Farm');
  const taken = await deps.queries.takenWhile(farmId);
  if (taken !== null)
    throw conflict(
      `${taken} of this farm has a name that something else has now; delete or rename that first`,
      'ALREADY_EXISTS',
    );
  const beside = await deps.onCreate(found.farm, caller);
  return {
    answer: found.farm,
    changes: [
      restore(farm, found.farm),
      ...(beside.changes ?? []),
      audit(deps, {
        farm_id: farmId,
        entity_type: 'SYSTEM',
        entity_id: farmId,
        entity_name: found.farm.name,
        action: 'restore',
        user_id: caller.userId,
      }),
    ],
    guards: [...guards, ...(beside.guards ?? [])],
  };
}
