import type { RowOf, Stored } from '#contract/resource.ts';
import type { farmRecord, ProductAnswer, RecordKind } from '#contract/resources/farm-records.ts';

export type FarmRecord = Stored<RowOf<typeof farmRecord>>;

/** Where something is written down. */
export type Place = {
  kind: 'pond' | 'batch' | 'control_point' | 'farm';
  id: string;
  /** What people call it. */
  name: string;
  farm_id: string;
  timezone: string;
  /** Of a pond. */
  size_m2: number | null;
  depth_m: number | null;
};

/** Records of a farm, of a place, or of a batch with all that was done in its ponds meanwhile. */
export type RecordFilter = {
  of:
    | { farmId: string }
    | { place: Pick<Place, 'kind' | 'id'> }
    | {
        batchId: string;
        farmId: string;
        stays: readonly { pondId: string; from: string; before: string | null }[];
      };
  kind: RecordKind | null;
  /** All but this one. */
  except: RecordKind | null;
};

export type ReadingBeside = Pick<FarmRecord, 'amount' | 'meter_change' | 'happened_at'>;

/** Facts the use cases of records ask for; only what is seen is answered: not deleted, and not below what is. */
export type RecordQueries = {
  /** Ponds and batches by UUID or number. */
  place: (kind: Place['kind'], ref: string) => Promise<Place | null>;
  recordById: (id: string) => Promise<FarmRecord | null>;
  /** True for every id ever used, deleted records included. */
  recordIdTaken: (id: string) => Promise<boolean>;
  /** Newest first. */
  recordsOf: (filter: RecordFilter, page: { skip: number; limit: number }) => AsyncIterable<FarmRecord>;
  countRecords: (filter: RecordFilter) => Promise<number>;
  countBetween: (
    place: Pick<Place, 'kind' | 'id'>,
    span: { from: string; before: string },
  ) => Promise<number>;
  /** Products of the farm's treatments as they were last used, newest first. */
  productsOf: (farmId: string, most: number) => Promise<ProductAnswer[]>;
  /** What the same meter showed before a reading of it, and after it. */
  readingsBeside: (
    reading: Pick<FarmRecord, 'id' | 'farm_id' | 'meter' | 'happened_at'>,
  ) => Promise<{ before: ReadingBeside | null; after: ReadingBeside | null }>;
  /** A feeding that is not deleted. */
  mealById: (id: string) => Promise<{ batch_id: string; pond_id: string | null; feed_date: string } | null>;
  /** Batches that were stocked in these ponds or moved to them at some time, whatever became of them. */
  batchesEverIn: (pondIds: readonly string[]) => Promise<string[]>;
};
