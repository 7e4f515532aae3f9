import type * as z from 'zod';
import { farm, type farmUpdate } from '#contract/resources/farms.ts';
import { audit } from '#core/audit.ts';
import { type Change, remove, update } from '#core/changes.ts';
import { changesOf } from '#core/correct-record.ts';
import { invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Farm, FarmQueries } from './ports.ts';

export type ChangeFarmDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality' | 'guard'> & {
  queries: FarmQueries;
  /** Rows beside a change of the time zone: what holds now goes on, schedules are read anew. */
  onZoneChange: (farm: { id: string; zone: string }) => Change[];
};

/** Decides new values of a farm; fields left out stay. An empty body changes nothing. */
export async function changeFarm(
  deps: ChangeFarmDeps,
  userId: string,
  current: Farm,
  input: z.infer<typeof farmUpdate>,
): Promise<Decision<Farm>> {
  if (input.address_id) {
    const known = await deps.queries.addressById(input.address_id);
    if (known?.user_id !== current.owner_id)
      throw invalidField(422, 'address_id', 'no such address of the owner');
  }
  const set = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  if (Object.keys(set).length === 0) return { answer: current };
  const changed = changesOf(current, input);
  const stamped: Partial<Farm> = { ...set, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...stamped, rev: current.rev + 1 },
    changes: [
      update(farm, current, stamped),
      ...(stamped.timezone !== undefined && stamped.timezone !== current.timezone
        ? deps.onZoneChange({ id: current.id, zone: stamped.timezone })
        : []),
      ...(changed === null
        ? []
        : [
            audit(deps, {
              farm_id: current.id,
              entity_type: 'SYSTEM',
              entity_id: current.id,
              entity_name: current.name,
              action: 'update',
              user_id: userId,
              details: { record: 'farm', ...changed },
            }),
          ]),
    ],
  };
}

/** As a person wants it, with its entry in the log. */
export async function deleteFarmBy(
  deps: Omit<ChangeFarmDeps, 'onZoneChange'>,
  userId: string,
  farmId: string,
): Promise<Decision<Farm>> {
  const decided = await deleteFarm(deps, farmId);
  const entry = audit(deps, {
    farm_id: farmId,
    entity_type: 'SYSTEM',
    entity_id: farmId,
    entity_name: decided.answer.name,
    action: 'delete',
    user_id: userId,
  });
  return { ...decided, changes: [...(decided.changes ?? []), entry] };
}

/**
 * Decides the end of a farm: it and everything on it is hidden in the same commit. The guard makes a create under
 * this farm that runs at the same moment read again, and find it gone.
 */
export async function deleteFarm(
  deps: Pick<ChangeFarmDeps, 'guard' | 'queries'>,
  farmId: string,
): Promise<Decision<Farm>> {
  const guard = await deps.guard('farm', farmId);
  const current = await deps.queries.farmById(farmId);
  if (current === null) throw notFound('Farm');
  return { answer: current, changes: [remove(farm, current)], guards: [guard] };
}
