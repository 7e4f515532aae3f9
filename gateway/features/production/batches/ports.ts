import type { RowOf, Stored } from '#contract/resource.ts';
import type { harvest, survivalChange } from '#contract/resources/batches.ts';
import type { SizeClass } from '#contract/resources/harvest-lots.ts';
import type { transfer } from '#contract/resources/transfers.ts';
import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { Batch } from '../batch-state.ts';

/** What was recorded of a batch that its standing follows from; only visible (not deleted) rows. */
export type BatchFacts = {
  batch: Batch;
  timezone: string;
  pondCod: string;
  pondSizeM2: number | null;
  isNursery: boolean;
  /** Oldest first. */
  survivalChanges: readonly SurvivalFact[];
  /** Oldest first. */
  harvests: readonly HarvestFact[];
  lots: readonly LotFact[];
  /** Oldest first. */
  transfers: readonly TransferFact[];
  /** The last two of the batch and all of single ponds, or all when asked for; newest first. */
  weighings: readonly WeighingFact[];
  biometryCount: number;
  feed: FeedFact | null;
};

export type SurvivalFact = {
  id: string;
  kind: 'ABSOLUTE' | 'FACTOR';
  value: number;
  pond_id: string | null;
  animals: number | null;
  pond_share: number | null;
  changed_at: string;
  corrects: string | null;
  created_at: string;
};
export type HarvestFact = {
  id: string;
  pond_id: string | null;
  harvest_date: string;
  quantity: number;
  weight_kg: number;
  price_per_kg: number | null;
};
/** What of a harvest was graded: of the partial one that is named, else of the final one. */
export type LotFact = { harvest_id: string | null; classes: readonly SizeClass[] };
export type TransferFact = {
  id: string;
  source_pond_id: string;
  destination_pond_id: string;
  quantity: number;
  transfer_date: string;
};
export type WeighingFact = {
  id: string;
  pond_id: string | null;
  measurement_date: string;
  sample_size: number;
  total_weight_g: number;
  weight_sd_g: number | null;
  individual_weights_g: readonly number[] | null;
};
export type FeedFact = { kg: number; cost: number; records: number };

/** A batch that was in a pond: when it ended, and when animals of it were last moved from that pond to another. */
export type Stay = { pond_id: string; batch_id: string; ended_at: string | null; moved_at: string | null };

export type BatchFactQueries = {
  /**
   * Facts of many batches in a handful of statements; unknown and deleted batches are left out. Feedings count, and the
   * last two weighings are chosen, up to an instant; `all` weighings are also those dated after it.
   */
  factsOf: (
    batchIds: readonly string[],
    weighings: 'last two' | 'all',
    countsUntil: string,
  ) => Promise<BatchFacts[]>;
  /** The minutes (YYYY-MM-DDTHH:MM, UTC) in which a batch was fed up to an instant, each once. */
  fedMinutes: (batchId: string, countsUntil: string) => Promise<string[]>;
  /** ACTIVE batches that began in one of these ponds or were moved to it at some time. */
  activeEverIn: (pondIds: readonly string[]) => Promise<string[]>;
  /** Batches that began in these ponds or were moved to them, whatever became of them, and ponds they were in. */
  staysIn: (pondIds: readonly string[]) => Promise<Stay[]>;
  /** Oldest first. */
  idsOfFarms: (farmIds: readonly string[], status: Batch['status'] | null) => Promise<string[]>;
};

export type Harvest = Stored<RowOf<typeof harvest>>;

/** A lot as its harvest is told. */
export type HarvestLotFact = LotFact & { id: string; harvested_at: string; weight_kg: number };

export type LossRow = RowOf<typeof survivalChange>;

export type Fed = { id: string; feed_date: string };

/** A pond as a batch is stocked in it. */
export type PondToStock = {
  id: string;
  cod: string;
  size_m2: number | null;
  farm_id: string;
  owner_id: string;
  timezone: string;
};

/** A batch with what its line in a list needs. */
export type ListedBatch = Pick<
  BatchFacts,
  'batch' | 'timezone' | 'survivalChanges' | 'harvests' | 'transfers'
>;

export type BatchFilter = {
  /** Farms this user owns or is a member of. */
  userId: string;
  farmId: string | null;
  /** By UUID or number: stocked in it, or moved to it at some time. */
  pondRef: string | null;
  status: Batch['status'] | null;
};

/** Facts the batch use cases ask for; only visible (not deleted) rows are answered. */
export type BatchQueries = NumericIdDeps & {
  /** By UUID or number. */
  batch: (ref: string) => Promise<{ batch: Batch; timezone: string } | null>;
  /** True for every id ever used, deleted batches included. */
  batchIdTaken: (id: string) => Promise<boolean>;
  isCodeUsed: (ownerId: string, code: string) => Promise<boolean>;
  /** By UUID or number. */
  pond: (ref: string) => Promise<PondToStock | null>;
  /** Newest start first. */
  batchesOf: (filter: BatchFilter, page: { skip: number; limit: number }) => AsyncIterable<ListedBatch>;
  countBatches: (filter: BatchFilter) => Promise<number>;
  /** Instant of the newest survival change of a batch, or null. */
  lastSurvivalChange: (batchId: string) => Promise<string | null>;
  survivalIdTaken: (id: string) => Promise<boolean>;
  /** Losses (FACTOR) told of a batch, or survivals set (ABSOLUTE), and what took their places, oldest first. */
  survivalTold: (batchId: string, kind: LossRow['kind']) => Promise<LossRow[]>;
  /** The first feeding of a batch since an instant and before another, by what time it was of. */
  firstFeeding: (batchId: string, span: { from: string; before: string }) => Promise<Fed | null>;
  /** Moves of a batch between ponds. */
  transfersOf: (batchId: string) => Promise<Stored<RowOf<typeof transfer>>[]>;
  harvestById: (id: string) => Promise<Harvest | null>;
  harvestIdTaken: (id: string) => Promise<boolean>;
  /** Newest first. */
  harvestsOf: (batchId: string, page: { skip: number; limit: number }) => AsyncIterable<Harvest>;
  countHarvests: (batchId: string) => Promise<number>;
  /** Lots of the harvests of a batch. */
  lotsOfHarvests: (batchId: string) => Promise<HarvestLotFact[]>;
};

/** The water's temperature on a day in a pond: the sum of its readings and how many there were. */
export type DailyTemperature = { pond_id: string; day: string; sumC: number; readings: number };

/** Days are those of UTC: a growth curve does not feel which side of midnight a reading falls. */
export type DailyTemperatures = (
  spans: readonly { pond_id: string; from_day: string }[],
) => Promise<DailyTemperature[]>;
