import type { RowOf, Stored } from '#contract/resource.ts';
import type { TrayReading } from '#contract/resources/feed-trays.ts';
import type { feedingRecord } from '#contract/resources/feeding.ts';
import type { BatchStatus } from '#contract/words.ts';

export type FeedingRecord = Stored<RowOf<typeof feedingRecord>>;

/** What must be known of a batch to record something under it. */
export type BatchToFeed = {
  id: string;
  batch_code: string;
  status: BatchStatus;
  /** Day on the farm. */
  start_date: string;
  farm_id: string;
  timezone: string;
};

export type Meal = Pick<FeedingRecord, 'id' | 'pond_id' | 'feed_date' | 'tray_leftover_percent'>;
/** One look at the trays of a pond. */
export type TrayLook = {
  pond_id: string;
  happened_at: string;
  trays: readonly TrayReading[];
  /** The meal that lay on them; null: not said. */
  feeding_id: string | null;
};

/** A value and when it was measured. */
export type Reading = { value: number; at: string };

/** What is known of a pond's water; null: not measured since the instant that was asked for. */
export type LatestWater = {
  temperature: Reading | null;
  ph: Reading | null;
  salinity: Reading | null;
  /** On the farm's basis. */
  ammonia: Reading | null;
  /** The newest, then the lowest of each ten minutes of the last hours, newest first. */
  oxygen: readonly Reading[];
};

/** Facts the feeding use cases ask for; only visible (not deleted) rows are answered. */
export type FeedingQueries = {
  /** By UUID or number. */
  batchToFeed: (ref: string) => Promise<BatchToFeed | null>;
  feedingById: (id: string) => Promise<FeedingRecord | null>;
  /** True for every id ever used, deleted records included. */
  feedingIdTaken: (id: string) => Promise<boolean>;
  /** Of one batch, newest first. */
  feedingsOf: (batchId: string, page: { skip: number; limit: number }) => AsyncIterable<FeedingRecord>;
  countFeedings: (batchId: string) => Promise<number>;
  /** The newest one up to an instant. */
  lastFeeding: (batchId: string, countsUntil: string) => Promise<FeedingRecord | null>;
  /** Of one batch in a span, newest first. */
  mealsBetween: (batchId: string, span: { from: string; until: string }) => Promise<Meal[]>;
  /** Of these ponds in a span, newest first; a meal that was deleted is not named. */
  trayLooksBetween: (
    pondIds: readonly string[],
    span: { from: string; until: string },
  ) => Promise<TrayLook[]>;
  /** By UUID or number. */
  pond: (ref: string) => Promise<{ id: string; cod: string; farm_id: string } | null>;
  pondCods: (pondIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;
};

/** A pond never measured since then may be left out. */
export type LatestWaterOf = (
  pondIds: readonly string[],
  since: { any: string; oxygen: string },
) => Promise<ReadonlyMap<string, LatestWater>>;
