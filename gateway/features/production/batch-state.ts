import type { RowOf, Stored } from '#contract/resource.ts';
import type { batch, survivalChange } from '#contract/resources/batches.ts';
import type { biometry } from '#contract/resources/biometries.ts';
import type { BatchAnimals } from '#science/population.ts';
import type { Received } from './lots-of-harvest.ts';

// What the features that look at a batch tell each other; the feature of batches works it out.

export type Batch = Stored<RowOf<typeof batch>>;

export type Weighing = {
  id: string;
  /** Where the sample was taken; null: it stands for the whole batch. */
  pondId: string | null;
  measurement_date: string;
  sample_size: number;
  total_weight_g: number;
  average_weight_g: number;
  /**
   * Mean weight of the whole batch after it, g: that of the sample, or, of one pond, each pond by its own last weighing and
   * by its animals.
   */
  batchWeightG: number;
  /** Percent; null: the weights of single animals are not known. */
  coefficient_variation: number | null;
  /** Age of the batch when it was weighed: whole days in the farm's zone. */
  measurementDay: number;
};

/** How many animals there are and what they weigh together, at some instant. Nothing is rounded. */
export type Stock = {
  /** Percent, following all survival changes until then. */
  survivalRate: number;
  /** Partial harvests until then. */
  harvestedCount: number;
  harvestedKg: number;
  /** Animals alive: stocked × survival − harvested, whole, never below 0. */
  population: number;
  /** Last weighing, else the stocking weight, g. */
  weightG: number;
  biomassKg: number;
};

/** A batch as it stands now (or stood at its harvest). Nothing is rounded. */
export type BatchState = {
  batch: Batch;
  /** Zone of the farm (IANA). */
  timezone: string;
  pondCod: string;
  pondSizeM2: number | null;
  /** Its first pond raises postlarvae for others. */
  isNursery: boolean;
  /** Whole days from start to today, or to the actual harvest date, in the farm's zone; 0 before the start. */
  daysActive: number;
  /** Percent, following all survival changes. */
  survivalRate: number;
  /** Whether somebody told a loss or a count since the stocking; without it the estimate of that day stands. */
  isSurvivalTold: boolean;
  harvestedCount: number;
  harvestedKg: number;
  /** Where and on which day of the farm its partial harvests were taken; null: in the ponds it was in then. */
  harvestedIn: readonly { pondId: string | null; day: string }[];
  /** What was sold at a price that was told: kg, and the money received for it. */
  sold: Received;
  /** Animals alive now: stocked × survival − harvested, never below 0; a batch that has ended has none. */
  population: number;
  /** Animals of the final harvest, as counted or weighed, else as estimated; null: there was none (yet). */
  finalCount: number | null;
  /** Animals alive per pond, ponds without any left out; most animals first. */
  populationByPond: ReadonlyMap<string, number>;
  /** Ponds that hold or held animals of it: the day of the farm on which the first came and, since it has none, the last left. */
  stays: ReadonlyMap<string, { from: string; to: string | null }>;
  /** Moves, harvests and losses that took more animals than there were, as after a merge of two instances. */
  overdrawn: ReadonlySet<string>;
  /** Animals alive per pond, unrounded: what the whole ones were rounded from. */
  aliveByPond: ReadonlyMap<string, number>;
  /** The weighing that counts in a pond: its own, or of the whole batch if that is newer. */
  weighingByPond: ReadonlyMap<string, Weighing>;
  latestBiometry: Weighing | null;
  /** The one before it; where ponds are weighed apart, of a day before. */
  previousBiometry: Weighing | null;
  biometryCount: number;
  /** After the last weighing, else the stocking weight, g; of ponds weighed apart the mean by their animals. */
  currentWeightG: number;
  /** Of the animals alive; of a finished batch what was harvested at the end, where that was weighed. */
  biomassKg: number;
  initialBiomassKg: number;
  /** Biomass now + partial harvests − stocked, kg; may be negative. */
  biomassGainedKg: number;
  totalFeedKg: number;
  totalFeedCost: number;
  feedingCount: number;
  /** null: no feed recorded, or no gain; never 0. */
  fca: number | null;
};

/** The course of one batch, for curves, trends and exports. */
export type BatchHistory = {
  state: BatchState;
  /** The weighings since stocking that are facts of now, oldest first. */
  weighings: readonly Weighing[];
  /** Those of them that growth may be measured between, oldest first. */
  comparable: readonly Weighing[];
  /** All that were recorded, oldest first, also those dated before the stocking or after now. */
  recorded: readonly Weighing[];
  /** Days of the farm with a feeding; here and not in the state, whose many readers need not pay for it. */
  feedDays: number;
  /** How the batch stood at an instant (ISO 8601 UTC), what was recorded of that very instant included. */
  stockAt: (instantIso: string) => Stock;
  /** Mean weight, g, at an instant, in a pond or (null) of the batch. */
  weightAt: (when: { pondId: string | null; at: string }) => number;
  /** What decides how many animals live where. */
  animals: BatchAnimals;
  /** The same course, had this been told of the stocking, of its survival besides, and of weighings. */
  asIf: (told: ToldOtherwise) => BatchHistory;
};

export type ToldOtherwise = {
  stocking?: Partial<Batch>;
  survival?: readonly RowOf<typeof survivalChange>[];
  weighings?: readonly Reweighed[];
};

/** A weighing that is new, or was corrected; `as` null: deleted. */
export type Reweighed = {
  id: string;
  as: Pick<RowOf<typeof biometry>, 'pond_id' | 'measurement_date' | 'sample_size' | 'total_weight_g'> | null;
};

export type BatchStates = {
  byIds: (batchIds: readonly string[]) => Promise<Map<string, BatchState>>;
  /**
   * ACTIVE batches with animals in these ponds (transfers followed), per pond, most animals there first. A batch
   * without any animal left lies in its first pond. Ponds without a batch are left out.
   */
  activeInPonds: (pondIds: readonly string[]) => Promise<Map<string, BatchState[]>>;
  /**
   * When the last animals were harvested in these ponds or moved away from them, ISO 8601 UTC; ponds that never held any
   * are left out. To be asked of ponds without a batch.
   */
  lastLeft: (pondIds: readonly string[]) => Promise<Map<string, string>>;
  /** ACTIVE batches that would go with this pond, because they were stocked in it, or lose the animals they have there. */
  activeTiedTo: (pondId: string) => Promise<BatchState[]>;
  /** Batches of these farms in that status, oldest first. */
  ofFarms: (farmIds: readonly string[], status: Batch['status'] | null) => Promise<BatchState[]>;
  /** Some of them, entered last first, and how many there are. */
  pageOfFarms: (
    farmIds: readonly string[],
    page: { status: Batch['status'] | null; skip: number; limit: number },
  ) => Promise<{ total: number; states: BatchState[] }>;
  /** null: there is no such batch. */
  historyOf: (batchId: string) => Promise<BatchHistory | null>;
};

/**
 * Mean weight, g, that a batch should have on each day since stocking: by its species, its stocking weight and, where
 * it was measured often enough, the temperature of its ponds. By batch id.
 */
export type ExpectedWeights = (
  states: readonly BatchState[],
) => Promise<Map<string, (day: number) => number>>;
