import type { RowOf } from '#contract/resource.ts';
import { type AeratorCreate, type AeratorUpdate, aerator } from '#contract/resources/aerators.ts';
import { type AuditFacts, audit } from '#core/audit.ts';
import { asParent, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { conflict, invalidField, notFound, taken } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { type FarmGateways, requireOwnDevices } from '../remote-order.ts';
import type { Aerator, AeratorQueries } from './ports.ts';

/** kW from either spelling of the power; undefined when neither was given. */
function powerKwOf(input: {
  power_kw?: number | undefined;
  power_watts?: number | undefined;
}): number | undefined {
  if (input.power_kw !== undefined || input.power_watts === undefined) return input.power_kw;
  // 1.1 W is 0.0011 kW, not 0.0011000000000000001
  return Number((input.power_watts / 1000).toPrecision(15));
}

/**
 * A serial number names one device of a gateway, or of an owner's farms without one; throws 400 when another aerator bears it, or a siren. Answers the
 * guard under which no siren gets it meanwhile.
 */
async function requireFreeDevice(
  {
    guard,
    queries,
  }: Pick<Kernel, 'guard'> & { queries: Pick<AeratorQueries, 'aeratorIdOfDevice' | 'isSirenDevice'> },
  { deviceId, pondId }: { deviceId: string; pondId: string },
  ownId: string | null,
): Promise<GuardSeen> {
  const seen = await guard('device', deviceId);
  const bearer = await queries.aeratorIdOfDevice(deviceId, pondId);
  if (bearer !== null && bearer !== ownId)
    throw taken('device_id', `device_id: another aerator already has the serial number ${deviceId}`);
  if (await queries.isSirenDevice(deviceId, pondId))
    throw invalidField(400, 'device_id', 'is a siren, which airs no pond');
  return seen;
}

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
