import type * as z from 'zod';
import type { RowOf } from '#contract/resource.ts';
import { type AddressCreate, address } from '#contract/resources/addresses.ts';
import {
  FARM_TRASH_DAYS,
  farm,
  type farmCreate,
  type farmCreateWithAddress,
  type farmUpdate,
} from '#contract/resources/farms.ts';
import type { BrazilianState } from '#contract/words.ts';
import { audit } from '#core/audit.ts';
import { type Change, type GuardSeen, insert, remove, restore, update } from '#core/changes.ts';
import { changesOf } from '#core/correct-record.ts';
import { conflict, forbidden, invalidField, notFound } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { DeletedFarm, Farm, FarmQueries } from './ports.ts';

const ZONE_BY_STATE: Readonly<Record<BrazilianState, string>> = {
  AC: 'America/Rio_Branco',
  AL: 'America/Maceio',
  AM: 'America/Manaus',
  AP: 'America/Belem',
  BA: 'America/Bahia',
  CE: 'America/Fortaleza',
  DF: 'America/Sao_Paulo',
  ES: 'America/Sao_Paulo',
  GO: 'America/Sao_Paulo',
  MA: 'America/Fortaleza',
  MG: 'America/Sao_Paulo',
  MS: 'America/Campo_Grande',
  MT: 'America/Cuiaba',
  PA: 'America/Belem',
  PB: 'America/Fortaleza',
  PE: 'America/Recife',
  PI: 'America/Fortaleza',
  PR: 'America/Sao_Paulo',
  RJ: 'America/Sao_Paulo',
  RN: 'America/Fortaleza',
  RO: 'America/Porto_Velho',
  RR: 'America/Boa_Vista',
  RS: 'America/Sao_Paulo',
  SC: 'America/Sao_Paulo',
  SE: 'America/Maceio',
  SP: 'America/Sao_Paulo',
  TO: 'America/Araguaina',
};

export type CreateFarmDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & {
  queries: FarmQueries;
  /** Zone of a farm that has no address. */
  defaultZone: string;
  /** Rows that go into the same commit: plan limits and the audit entry. Throws when the plan allows no further farm. */
  onCreate: (
    created: RowOf<typeof farm>,
    caller: Caller,
  ) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};

type Input = z.infer<typeof farmCreate> & Pick<z.infer<typeof farmCreateWithAddress>, 'address'>;

/**
 * Decides a new farm of `ownerId`. Only the owner or an ADMIN may; the account role must be one that owns farms.
 * Throws 403 for others, 422 for an address that is not the owner's, 409 for an id that is taken.
 */
export async function createFarm(
  deps: CreateFarmDeps,
  caller: Caller,
  ownerId: string,
  input: Input,
): Promise<Decision<RowOf<typeof farm>>> {
  if (ownerId !== caller.userId && caller.role !== 'ADMIN')
    throw forbidden('You cannot create a farm for another user');
  if (caller.role !== 'OWNER' && caller.role !== 'ADMIN')
    throw forbidden('Only an OWNER account may create farms');
  // an account that is being deleted gets no farm, and one that gets a farm is not deleted: both bump the guard
  const accountGuard = await deps.guard('account', ownerId);
  if (!(await deps.queries.userExists(ownerId))) throw notFound('User');
  if (input.id !== undefined && (await deps.queries.idTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const at = isoOf(deps.now());
  const place = await placeOf(deps, ownerId, input, at);
  const row: RowOf<typeof farm> = {
    id: input.id ?? deps.newId(),
    name: input.name,
    description: input.description ?? null,
    owner_id: ownerId,
    address_id: place.addressId,
    lat: input.lat ?? input.address?.lat ?? null,
    lng: input.lng ?? input.address?.lng ?? null,
    timezone: input.timezone ?? zoneOfState(place.state, deps.defaultZone),
    created_at: at,
    updated_at: null,
  };
  const beside = await deps.onCreate(row, caller);
  return {
    answer: row,
    changes: [...place.changes, insert(farm, row), ...(beside.changes ?? [])],
    guards: [accountGuard, ...place.guards, ...(beside.guards ?? [])],
  };
}

type Place = {
  addressId: string | null;
  state: AddressCreate['state'] | null;
  changes: Change[];
  guards: GuardSeen[];
};

async function placeOf(deps: CreateFarmDeps, ownerId: string, input: Input, at: string): Promise<Place> {
  if (input.address) return newPlace(deps, ownerId, input.address, at);
  if (!input.address_id) return { addressId: null, state: null, changes: [], guards: [] };
  // an address that is deleted at this moment must not be linked
  const guard = await deps.guard('address', input.address_id);
  const known = await deps.queries.addressById(input.address_id);
  if (known === null || known.user_id !== ownerId) {
    throw invalidField(422, 'address_id', 'no such address of this user');
  }
  return { addressId: known.id, state: known.state, changes: [], guards: [guard] };
}

async function newPlace(
  deps: CreateFarmDeps,
  ownerId: string,
  input: AddressCreate,
  at: string,
): Promise<Place> {
  const { id = deps.newId(), complement, lat, lng, ...fields } = input;
  const row = {
    ...fields,
    id,
    user_id: ownerId,
    complement: complement ?? null,
    lat: lat ?? null,
    lng: lng ?? null,
    created_at: at,
    updated_at: null,
  };
  const guards = input.is_primary ? [await deps.guard('primary_address', ownerId)] : [];
  const primaryBefore = input.is_primary ? await deps.queries.primaryAddressesOf(ownerId) : [];
  return {
    addressId: id,
    state: fields.state,
    changes: [
      ...primaryBefore.map((known) => update(address, known, { is_primary: false, updated_at: at })),
      insert(address, row),
    ],
    guards,
  };
}

/** IANA zone of a farm in that state; without a state the instance's setting. */
function zoneOfState(state: BrazilianState | null, fallback: string): string {
  return state === null ? fallback : ZONE_BY_STATE[state];
}

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
