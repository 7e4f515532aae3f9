import type * as z from 'zod';
import { type AddressCreate, address, type addressUpdate } from '#contract/resources/addresses.ts';
import { farm } from '#contract/resources/farms.ts';
import { type Change, type GuardSeen, insert, remove, update } from '#core/changes.ts';
import { conflict } from '#core/errors.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Address, AddressQueries } from './ports.ts';

export type SaveAddressDeps = Pick<Kernel, 'now' | 'newId' | 'guard'> & { queries: AddressQueries };

/** Decides a new address of the user. Throws 409 for an id that is taken. */
export async function createAddress(
  deps: SaveAddressDeps,
  userId: string,
  input: AddressCreate,
): Promise<Decision<Address>> {
  const { id = deps.newId(), complement, lat, lng, ...fields } = input;
  if (input.id !== undefined && (await deps.queries.isIdTaken(id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const others = await otherPrimaries(deps, { id, user_id: userId, is_primary: input.is_primary });
  const row = {
    ...fields,
    id,
    user_id: userId,
    complement: complement ?? null,
    lat: lat ?? null,
    lng: lng ?? null,
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: { ...row, rev: 1 },
    changes: [insert(address, row), ...others.changes],
    guards: others.guards,
  };
}

/** Decides new values of an address; fields left out stay, an empty body changes nothing. */
export async function changeAddress(
  deps: SaveAddressDeps,
  current: Address,
  input: z.infer<typeof addressUpdate>,
): Promise<Decision<Address>> {
  const set = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  if (Object.keys(set).length === 0) return { answer: current };
  const others = await otherPrimaries(deps, { ...current, is_primary: input.is_primary ?? false });
  const stamped = { ...set, updated_at: isoOf(deps.now()) };
  return {
    answer: { ...current, ...stamped, rev: current.rev + 1 },
    changes: [update(address, current, stamped), ...others.changes],
    guards: others.guards,
  };
}

/**
 * A user has one primary address at most: the one that becomes it takes the place of the others, in the same commit.
 * The guard makes two that become it at the same moment come one after the other.
 */
async function otherPrimaries(
  deps: SaveAddressDeps,
  next: Pick<Address, 'id' | 'user_id' | 'is_primary'>,
): Promise<{ changes: Change[]; guards: GuardSeen[] }> {
  if (!next.is_primary) return { changes: [], guards: [] };
  const guard = await deps.guard('primary_address', next.user_id);
  const primaries = await deps.queries.primaryAddressesOf(next.user_id);
  const updated_at = isoOf(deps.now());
  return {
    changes: primaries
      .filter(({ id }) => id !== next.id)
      .map((other) => update(address, other, { is_primary: false, updated_at })),
    guards: [guard],
  };
}

type DeleteAddressDeps = Pick<Kernel, 'now' | 'guard'> & { queries: Pick<AddressQueries, 'farmsAt'> };

/** Decides the end of an address; farms that lie there keep everything but the link to it. */
export async function deleteAddress(deps: DeleteAddressDeps, current: Address): Promise<Decision<void>> {
  const guard = await deps.guard('address', current.id);
  const farms = await deps.queries.farmsAt(current.id);
  const updated_at = isoOf(deps.now());
  return {
    answer: undefined,
    changes: [
      remove(address, current),
      ...farms.map((found) => update(farm, found, { address_id: null, updated_at })),
    ],
    guards: [guard],
  };
}
