import { address } from '#contract/resources/addresses.ts';
import { farm } from '#contract/resources/farms.ts';
import { remove, update } from '#core/changes.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Decision } from '#core/use-case.ts';
import type { Address, AddressQueries } from './ports.ts';

export type DeleteAddressDeps = Pick<Kernel, 'now' | 'guard'> & { queries: Pick<AddressQueries, 'farmsAt'> };

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
