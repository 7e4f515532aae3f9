import type { RowOf, Stored } from '#contract/resource.ts';
import type { address } from '#contract/resources/addresses.ts';
import type { farm } from '#contract/resources/farms.ts';

export type Address = Stored<RowOf<typeof address>>;

/** Facts the address use cases ask for; only visible rows, and of this user, unless it says otherwise. */
export type AddressQueries = {
  addressOf: (userId: string, id: string) => Promise<Address | null>;
  /** Oldest first, as a stream. */
  addressesOf: (userId: string, page: { skip: number; limit: number | undefined }) => AsyncIterable<Address>;
  primaryAddressesOf: (userId: string) => Promise<Address[]>;
  /** Any row of that id, of anyone, deleted or not. */
  isIdTaken: (id: string) => Promise<boolean>;
  farmsAt: (addressId: string) => Promise<Stored<RowOf<typeof farm>>[]>;
};
