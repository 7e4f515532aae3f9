import type { RowOf, Stored } from '#contract/resource.ts';
import type { expense } from '#contract/resources/finance.ts';
import type { MeterChange } from '#contract/resources/meter-readings.ts';
import type { BatchStatus, SwitchState } from '#contract/words.ts';
import type { SpentByCategory } from '../batch-money.ts';

export type Expense = Stored<RowOf<typeof expense>>;

/** What must be known of a batch to spend money on it. */
export type BatchToPayFor = {
  id: string;
  batch_code: string;
  status: BatchStatus;
  /** Day on the farm. */
  start_date: string;
  farm_id: string;
  timezone: string;
};

/** An aerator of a pond and how to know when it ran. */
export type AeratorOfPond = {
  pond_id: string;
  pond_cod: string;
  power_kw: number;
  /** Control point of the pond; null: nothing tells when it ran. */
  control_point_id: string | null;
};

/** What a control point reported of its state. */
export type RunFacts = {
  control_point_id: string;
  /** What it reports now; null: it never reported. */
  current_status: SwitchState | null;
  current_since: string | null;
  /** Its changes since the instant asked for, oldest first; `from` null: it had not reported before. */
  changes: readonly { at: string; from: SwitchState | null; to: SwitchState }[];
};

/** Facts the finance use cases ask for; only visible (not deleted) rows are answered. */
export type FinanceQueries = {
  /** By UUID or number. */
  batchToPayFor: (ref: string) => Promise<BatchToPayFor | null>;
  expenseById: (id: string) => Promise<Expense | null>;
  /** True for every id ever used, deleted expenses included. */
  expenseIdTaken: (id: string) => Promise<boolean>;
  /** Of one batch, newest first, as a stream. */
  expensesOf: (batchId: string, page: { skip: number; limit: number }) => AsyncIterable<Expense>;
  countExpenses: (batchId: string) => Promise<number>;
  /** Fed between two instants. */
  fedBetween: (batchId: string, span: { from: string; to: string }) => Promise<{ kg: number; cost: number }>;
  currencyOf: (ownerId: string) => Promise<'BRL' | 'USD'>;
  spentByCategory: SpentByCategory;
};

/** What a meter showed when somebody read it. */
export type ReadingOfMeter = {
  meter: string;
  happened_at: string;
  amount: number;
  meter_factor: number | null;
  meter_change: MeterChange | null;
};

export type EnergyQueries = {
  /** Oldest first. */
  meterReadings: (farmId: string, span: { from: string; before: string }) => Promise<ReadingOfMeter[]>;
  /** The newest reading of each meter that was ever read, and when it was read first. */
  metersOf: (farmId: string) => Promise<(ReadingOfMeter & { first_at: string })[]>;
  aeratorsIn: (pondIds: readonly string[]) => Promise<AeratorOfPond[]>;
  aeratorsOfFarm: (farmId: string) => Promise<AeratorOfPond[]>;
  runFacts: (controlPointIds: readonly string[], since: string) => Promise<RunFacts[]>;
  /** null: there is no such farm. */
  zoneOfFarm: (farmId: string) => Promise<string | null>;
};
