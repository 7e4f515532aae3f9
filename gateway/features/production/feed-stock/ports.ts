import type { RowOf, Stored } from '#contract/resource.ts';
import type { feedStockEntry, StockKind } from '#contract/resources/feed-stock.ts';
import type { Kernel } from '#core/kernel.ts';
import type { StockMeal } from '../feed-stock.ts';

export type FeedStockEntry = Stored<RowOf<typeof feedStockEntry>>;

export type StockFarm = { id: string; name: string; timezone: string };

export type MealSpan = { recentFrom: string; until: string; alsoAt: string | null };

/** Facts that feed stock asks for; only what is seen is answered. */
export type FeedStockQueries = {
  farmOf: (farmId: string) => Promise<StockFarm | null>;
  /** Farms with entries, by id. */
  farmsWithStock: () => Promise<StockFarm[]>;
  entryById: (id: string) => Promise<FeedStockEntry | null>;
  /** True for every id ever used, deleted entries included. */
  entryIdTaken: (id: string) => Promise<boolean>;
  /** All of a farm. */
  entriesOf: (farmId: string) => Promise<FeedStockEntry[]>;
  /** Newest first. */
  entriesPage: (
    farm: { id: string; kind: StockKind | null },
    page: { skip: number; limit: number },
  ) => AsyncIterable<FeedStockEntry>;
  countEntries: (farm: { id: string; kind: StockKind | null }) => Promise<number>;
  countBetween: (farmId: string, span: { from: string; before: string }) => Promise<number>;
  /**
   * What was fed on a farm from one entry to the next, by feed. `recentFrom`: the rate of use is reckoned from then on;
   * `alsoAt`: when an entry happened that is not stored yet.
   */
  mealsBetweenEntries: (farmId: string, span: MealSpan) => Promise<StockMeal<null>[]>;
};

export type FeedStockDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality'> & {
  queries: FeedStockQueries;
  warnDays: (farmId: string) => Promise<number>;
  /** What its active batches eat in a day, kg. */
  rationKg: (farmId: string) => Promise<number>;
};
