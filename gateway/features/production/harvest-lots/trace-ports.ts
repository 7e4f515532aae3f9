import type { RowOf } from '#contract/resource.ts';
import type { LossCause } from '#contract/resources/batches.ts';
import type { farmRecord } from '#contract/resources/farm-records.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import type { StockEntry } from '../feed-stock.ts';
import type { LotDeps } from './ports.ts';

export type TracedRecord = RowOf<typeof farmRecord>;
export type TracedEntry = StockEntry & { supplier: string | null };
export type TracedMove = {
  source_pond_id: string;
  destination_pond_id: string;
  quantity: number;
  average_weight: number | null;
  transfer_date: string;
};
/** Meals of one feed of a batch, of a day at most where they are asked for the stock. */
export type TracedMeals = { batch_id: string; feed: string; kg: number; first: string; last: string };
export type TracedLoss = {
  lost_at: string;
  pond_id: string | null;
  cause: LossCause | null;
  dead_count: number;
  event_description: string | null;
};

/** Facts that a trace asks for, read beside the main thread: years of meals and measurements. */
export type TraceQueries = {
  farmOf: (farmId: string) => Promise<{ id: string; name: string; timezone: string } | null>;
  /** What was done and seen in these ponds, notes aside, from an instant (included) to another, oldest first. */
  recordsIn: (pondIds: readonly string[], span: { from: string; before: string }) => Promise<TracedRecord[]>;
  /** Signs of disease and laboratory results of a batch, of no pond, oldest first. */
  findingsOf: (batchId: string, before: string) => Promise<TracedRecord[]>;
  treatmentsOfFarm: (farmId: string) => Promise<TracedRecord[]>;
  /** Oldest first. */
  movesOf: (batchId: string, before: string) => Promise<TracedMove[]>;
  /** All that a batch ate, by feed. */
  fedTo: (batchId: string, before: string) => Promise<TracedMeals[]>;
  /** What the batches of a farm ate, by feed. */
  fedOnFarm: (farmId: string, before: string) => Promise<TracedMeals[]>;
  entriesOf: (farmId: string) => Promise<TracedEntry[]>;
  /** Meals of a farm since an instant by batch, feed and day, parted where an entry of the stock lies between. */
  mealsSince: (farmId: string, span: { from: string; until: string }) => Promise<TracedMeals[]>;
  pondCods: (pondIds: readonly string[]) => Promise<Map<string, string>>;
  waterTotals: (
    pondId: string,
    span: { from: string | null; before: string | null },
  ) => Promise<{
    count: number;
    of: ReadonlyMap<WaterField, { least: number; mean: number; most: number }>;
  }>;
  batchesEverIn: (pondIds: readonly string[]) => Promise<string[]>;
};

export type TraceDeps = Pick<LotDeps, 'now' | 'clockQuality' | 'queries' | 'batches' | 'withdrawals'> & {
  traces: TraceQueries;
  /** What died of a batch, as it was told; brought by batches. */
  lossesOf: (batchId: string) => Promise<TracedLoss[]>;
};
