import type { RowOf } from '#contract/resource.ts';
import { type AeratorCreate, aerator } from '#contract/resources/aerators.ts';
import { audit } from '#core/audit.ts';
import { asParent, insert } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { powerKwOf, requireFreeDevice } from './aerator-rules.ts';
import type { AeratorQueries } from './ports.ts';

export type CreateAeratorDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: AeratorQueries;
};

/**
 * Decides a new aerator in a pond, with its audit entry. Throws 404 for a pond that was deleted meanwhile, 400 for a
 * device id that another aerator bears, 409 for an id that is taken.
 */
export async function createAerator(
  deps: CreateAeratorDeps,
  by: { caller: Caller; farm: FarmAccess },
  input: AeratorCreate,
): Promise<Decision<RowOf<typeof aerator>>> {
  const { queries } = deps;
  const pondGuard = asParent(await deps.guard('pond', input.pond_id));
  if (!(await queries.pondExists(input.pond_id))) throw notFound('Pond');
  if (input.id !== undefined && (await queries.aeratorIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const deviceGuard = await requireFreeDevice(
    deps,
    { deviceId: input.device_id, pondId: input.pond_id },
    null,
  );
  const row: RowOf<typeof aerator> = {
    id: input.id ?? deps.newId(),
    pond_id: input.pond_id,
    name: input.name,
    device_id: input.device_id,
    // the contract lets no create pass without one of the two
    power_kw: powerKwOf(input) ?? 0,
    status: input.status ?? 'OFF',
    last_command_at: null,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  const { device_id, power_kw, status, pond_id } = row;
  const entry = audit(deps, {
    farm_id: by.farm.farmId,
    entity_type: 'AERATOR',
    entity_id: row.id,
    entity_name: row.name,
    action: 'create',
    user_id: by.caller.userId,
    details: { pond_id, device_id, power_kw, status },
  });
  return { answer: row, changes: [insert(aerator, row), entry], guards: [pondGuard, deviceGuard] };
}
