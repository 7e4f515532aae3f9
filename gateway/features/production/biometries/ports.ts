import type { RowOf, Stored } from '#contract/resource.ts';
import type { biometry } from '#contract/resources/biometries.ts';
import type { BatchStatus } from '#contract/words.ts';
import type { GrowthFacts } from '#science/advice/growth-advice.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { GrowthTrend } from '#science/growth-trend.ts';
import type { BatchHistory } from '../batch-state.ts';

export type Biometry = Stored<RowOf<typeof biometry>>;

/** What must be known of a batch to record a weighing under it. */
export type BatchToWeigh = {
  id: string;
  batch_code: string;
  status: BatchStatus;
  /** Day on the farm. */
  start_date: string;
  initial_avg_weight: number;
  actual_harvest_date: string | null;
  farm_id: string;
  timezone: string;
};

/** Facts the biometry use cases ask for; only visible (not deleted) rows are answered. */
export type BiometryQueries = {
  /** By UUID or number. */
  batchToWeigh: (ref: string) => Promise<BatchToWeigh | null>;
  /** UUID of a pond named by UUID or number; null: there is no such pond. */
  pondId: (ref: string) => Promise<string | null>;
  biometryById: (id: string) => Promise<Biometry | null>;
  /** True for every id ever used, deleted biometries included. */
  biometryIdTaken: (id: string) => Promise<boolean>;
  /** The last weighing of the batch before that instant; null: the first. */
  weighedBefore: (
    batchId: string,
    /** `pondId` null: whatever pond it was in; else of that pond or of the whole batch. */
    than: { at: string; id: string; pondId: string | null },
  ) => Promise<Pick<Biometry, 'sample_size' | 'total_weight_g' | 'measurement_date'> | null>;
  /** Of one batch, newest first. */
  biometriesOf: (batchId: string, page: { skip: number; limit: number }) => AsyncIterable<Biometry>;
};

/** How a batch grows; the feature of batches works it out. null: there is no such batch. */
export type GrowthOf = (batchId: string) => Promise<{
  history: BatchHistory;
  science: ScienceConstants;
  adgG: number | null;
  expectedAdgG: number;
  performancePercent: number | null;
  trend: GrowthTrend;
  facts: GrowthFacts | null;
} | null>;
