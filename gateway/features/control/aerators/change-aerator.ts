import { type AeratorUpdate, aerator } from '#contract/resources/aerators.ts';
import { type AuditFacts, audit } from '#core/audit.ts';
import { remove, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type FarmGateways, requireOwnDevices } from '../remote-order.ts';
import { powerKwOf, requireFreeDevice } from './aerator-rules.ts';
import type { Aerator, AeratorQueries } from './ports.ts';

export type ChangeAeratorDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: AeratorQueries;
  gateways: Pick<FarmGateways, 'hasGateway'>;
};
type By = { caller: Caller; farm: FarmAccess };

/** Decides new values of an aerator; fields left out stay. What changes nothing leaves the row alone, unaudited. */
export async function changeAerator(
  deps: ChangeAeratorDeps,
  by: By,
  current: Aerator,
  input: AeratorUpdate,
): Promise<Decision<Aerator>> {
  const { name, device_id, status } = input;
  const wanted = Object.entries({ name, device_id, status, power_kw: powerKwOf(input) });
  const changed = wanted.filter(
    ([field, value]) => value !== undefined && value !== current[field as keyof Aerator],
  );
  if (changed.length === 0) return { answer: current };
  if (changed.some(([field]) => field === 'device_id'))
    await requireOwnDevices(deps.gateways, by.farm.farmId, current.name);
  const guards =
    device_id === undefined
      ? []
      : [await requireFreeDevice(deps, { deviceId: device_id, pondId: current.pond_id }, current.id)];
  const set = { ...Object.fromEntries(changed), updated_at: isoOf(deps.now()) };
  const after: Aerator = { ...current, ...set, rev: current.rev + 1 };
  const before = Object.fromEntries(
    changed.map(([field]) => [field, current[field as keyof Aerator]] as const),
  );
  const entry = entryOf(deps, by, after, {
    action: 'update',
    details: { before, after: Object.fromEntries(changed) },
  });
  return { answer: after, changes: [update(aerator, current, set), entry], guards };
}

/** Decides the end of an aerator; its serial number is free again. */
export function deleteAerator(deps: ChangeAeratorDeps, by: By, current: Aerator): Decision<void> {
  const { device_id, pond_id } = current;
  const entry = entryOf(deps, by, current, { action: 'delete', details: { device_id, pond_id } });
  return { answer: undefined, changes: [remove(aerator, current), entry] };
}

function entryOf(
  deps: ChangeAeratorDeps,
  by: By,
  row: Aerator,
  what: Required<Pick<AuditFacts, 'action' | 'details'>>,
) {
  return audit(deps, {
    farm_id: by.farm.farmId,
    entity_type: 'AERATOR',
    entity_id: row.id,
    entity_name: row.name,
    user_id: by.caller.userId,
    ...what,
  });
}
