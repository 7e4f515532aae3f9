import type { RowOf, Stored } from '#contract/resource.ts';
import type { address } from '#contract/resources/addresses.ts';
import type { farm } from '#contract/resources/farms.ts';

export type Farm = Stored<RowOf<typeof farm>>;
export type Address = Stored<RowOf<typeof address>>;

export type DeletedFarm = { farm: Farm; deletedAt: number };

/** Facts the farm use cases ask for; only visible (not deleted) rows are answered, but for the trash. */
export type FarmQueries = {
  farmById: (id: string) => Promise<Farm | null>;
  /** Farms the user owns or is a member of, oldest first, as a stream in pages. */
  farmsOf: (userId: string, page: { skip: number; limit: number | undefined }) => AsyncIterable<Farm>;
  pondsOfFarm: (
    farmId: string,
  ) => Promise<{ id: string; cod: string; pond_type: 'NURSERY' | 'FATTENING' | null }[]>;
  /** Also by a deleted farm. */
  idTaken: (id: string) => Promise<boolean>;
  /** Farms of that owner which were deleted, whenever; at most 200. */
  deletedFarmsOf: (ownerId: string) => Promise<DeletedFarm[]>;
  /** What would come back with the deleted farm under a name that something else has meanwhile; null: nothing. */
  takenWhile: (farmId: string) => Promise<string | null>;
  primaryAddressesOf: (userId: string) => Promise<Address[]>;
  addressById: (id: string) => Promise<Address | null>;
  userExists: (id: string) => Promise<boolean>;
};
