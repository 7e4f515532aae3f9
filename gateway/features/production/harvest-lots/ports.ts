import type { RowOf, Stored } from '#contract/resource.ts';
import type { harvest } from '#contract/resources/batches.ts';
import type { harvestLot } from '#contract/resources/harvest-lots.ts';
import type { Kernel } from '#core/kernel.ts';
import type { BatchStates } from '../batch-state.ts';
import type { Withdrawals } from '../withdrawal.ts';

export type LotRow = RowOf<typeof harvestLot>;
export type HarvestLot = Stored<LotRow>;
export type LotHarvest = Stored<RowOf<typeof harvest>>;

/** Facts that harvest lots ask for; only what is seen is answered. */
export type LotQueries = {
  /** UUID of a batch by UUID or number; null: there is none. */
  batchIdOf: (ref: string) => Promise<string | null>;
  lotById: (id: string) => Promise<HarvestLot | null>;
  /** True for every id ever used, deleted lots included. */
  lotIdTaken: (id: string) => Promise<boolean>;
  /** Oldest first: a harvest fills some trucks. */
  lotsOf: (batchIds: readonly string[]) => Promise<HarvestLot[]>;
  /** Oldest first. */
  lotsOfFarm: (farmId: string) => Promise<(HarvestLot & { batch_code: string; pond: string | null })[]>;
  harvestById: (id: string) => Promise<LotHarvest | null>;
  /** The pond by UUID or number, if it lies on that farm. */
  pondOnFarm: (farmId: string, ref: string) => Promise<{ id: string; cod: string } | null>;
  /** Codes of lots of the farm that begin so. */
  codesLike: (farmId: string, start: string) => Promise<string[]>;
  isCodeUsed: (farmId: string, code: string) => Promise<boolean>;
};

export type LotDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: LotQueries;
  batches: BatchStates;
  withdrawals: Withdrawals;
};
