import type { RowOf } from '#contract/resource.ts';
import type { batch } from '#contract/resources/batches.ts';
import type { importChunk, importLayout, importRecord } from '#contract/resources/import-records.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import type { MeterChange } from '#contract/resources/meter-readings.ts';
import type { Change } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { UploadedFile } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import type { ZoneClock } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { Reweighed } from '../batch-state.ts';
import type { TableRow } from './read-table.ts';

export type PondOfFarm = { id: string; numeric_id: number; cod: string; size_m2: number | null };
export type BatchOfFarm = { id: string; numeric_id: number; batch_code: string; start_date: string };

/** The farm a file is imported to, with everything its rows may name. */
export type FarmFacts = {
  id: string;
  timezone: string;
  ponds: readonly PondOfFarm[];
  batches: readonly BatchOfFarm[];
};

/** A record that a row of a file may be already. */
export type OnRecord = {
  id: string;
  parentId: string;
  at: string;
  values: Readonly<Record<string, unknown>>;
};

/** Where to look for one: the parent, and the instants from which to before which it may lie. */
export type Place = { parentId: string; from: string; before: string };

/** What a meter showed when it was read. */
export type ReadingOfMeter = {
  meter: string;
  amount: number;
  happened_at: string;
  meter_factor: number | null;
  meter_change: MeterChange | null;
};

export type ImportQueries = NumericIdDeps & {
  /** null: there is no such farm. */
  farmFacts: (farmId: string) => Promise<FarmFacts | null>;
  /** Codes that batches of the owner bear, with the id of the bearer. */
  batchCodesOf: (ownerId: string) => Promise<Map<string, string>>;
  /** Which of these ids were ever used, deleted rows included. */
  idsTaken: (kind: ImportKind, ids: readonly string[]) => Promise<Set<string>>;
  /** Visible records at these places, of any kind but batches. */
  onRecordAt: (kind: Exclude<ImportKind, 'batches'>, places: readonly Place[]) => Promise<OnRecord[]>;
  /** The last weighing of each batch before that day's records of the file. */
  weighingsOf: (batchIds: readonly string[]) => Promise<Weighing[]>;
  /** Readings of all meters of a farm, oldest first. */
  readingsOf: (farmId: string) => Promise<ReadingOfMeter[]>;
  /** How rows of these ids stand now, deleted ones included. */
  rowsNow: (kind: ImportKind, ids: readonly string[]) => Promise<RowNow[]>;
  /** The batches of these weighings. */
  weighedIn: (ids: readonly string[]) => Promise<{ id: string; batchId: string }[]>;
  /** Which of these batches have records that are not deleted. */
  batchesWithRecords: (ids: readonly string[]) => Promise<Set<string>>;
  importById: (id: string) => Promise<RowOf<typeof importRecord> | null>;
  /** Newest first. */
  importsOf: (farmId: string, most: number) => Promise<RowOf<typeof importRecord>[]>;
  /** Ids of those that are older than the newest `kept` of a farm. */
  importsBeyond: (farmId: string, kept: number) => Promise<string[]>;
  /** Some commits of an import whose rows are to be taken away. */
  chunksToUndo: (importId: string) => Promise<RowOf<typeof importChunk>[]>;
  /** Rows of a kind that undone imports of the farm took away. */
  undoneRows: (farmId: string, kind: ImportKind) => Promise<Set<string>>;
  layoutById: (id: string) => Promise<RowOf<typeof importLayout> | null>;
  /** Ids of those that were used before the `kept` of a farm that were used last. */
  layoutsBeyond: (farmId: string, kept: number) => Promise<string[]>;
  /** Which of these farms, ponds or batches still stand. */
  standing: (entity: 'farm' | 'pond' | 'batch', ids: readonly string[]) => Promise<Set<string>>;
};

export type RowNow = { id: string; rev: number; hidden: boolean; isChanged: boolean };

export type Weighing = {
  batch_id: string;
  pond_id: string | null;
  measurement_date: string;
  sample_size: number;
  total_weight_g: number;
};

/** What a technician is warned of who enters such a row by hand; the features of these records know. */
export type RowJudge = {
  feeding: (
    row: {
      batch_id: string;
      pond_id: string | null;
      quantity_kg: number;
      cost_per_kg: number;
      feed_date: string;
    },
    language: Language,
  ) => Promise<{ code: string; message: string }[]>;
  /** `before`: the weighing before it; null: the weight at stocking. */
  biometry: (
    row: Weighing,
    before: Weighing | null,
    language: Language,
  ) => Promise<{ code: string; message: string }[]>;
};

export type ImportDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality' | 'commit' | 'pause' | 'random' | 'log'
> & {
  queries: ImportQueries;
  /** Throws 403 for who manages that farm no longer, or whose account was switched off. */
  requireManager: (farmId: string, userId: string) => Promise<void>;
  /** Made anew for each file: what it learnt of a batch holds for all its rows. */
  judgeRows: () => RowJudge;
  /** A file of text as its bytes, or the sheets of a workbook. Throws 413 and 422 for what cannot be read. */
  readSheets: (file: UploadedFile) => Promise<Uint8Array | Workbook>;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  /** What is reckoned from weighings that come in or are taken away, for the same commit. */
  following: (
    by: { userId: string },
    batchId: string,
    weighings: readonly Reweighed[],
  ) => Promise<{ changes: Change[] }>;
  /**
   * Rows that go into the same commit as ACTIVE batches of one owner: plan limits. Throws when there is no room for all
   * of them.
   */
  onCreateBatches: (
    created: readonly RowOf<typeof batch>[],
  ) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};

/** Sheets as they are read in a process of their own. */
export type Workbook = {
  file: 'xlsx' | 'xls' | 'ods';
  /** Those that have rows, which are read anew each time. */
  sheets: readonly { name: string; rows: () => Iterable<TableRow> }[];
};

export type Cells = Readonly<Record<string, string | number | null>>;

/** What the rows of a file are read against. */
export type RowFacts = {
  farm: FarmFacts;
  ownerId: string;
  language: Language;
  clock: ZoneClock;
  /** ISO 8601 UTC; null: the clock cannot tell what lies in the future. */
  latest: string | null;
  /** Finds a pond or batch of the farm by code, number or UUID. */
  pondBy: (ref: string) => PondOfFarm | 'several' | null;
  batchBy: (ref: string) => BatchOfFarm | null;
  /** What a unit of its counter was at the last reading of a meter, kWh; null: 1, or the meter is not known. */
  factorOf: (meter: string) => number | null;
};

export type CellNote = { column: string | null; code: string; message: string };

/** What every imported row gets beside its content. */
export type Stamp = {
  id: string;
  created_by: string;
  clock_quality: 'trusted' | 'estimated';
  created_at: string;
  updated_at: null;
};

/** What a row becomes. `content` is what its id follows from; the id and the stamp make it a row of its table. */
export type PlannedRow = {
  content: Readonly<Record<string, unknown>>;
  /** What is unlikely in what it says itself. */
  doubts?: readonly CellNote[];
  /** The sentence that says what a row lacks that is not on record yet. */
  lacks?: string;
  parent: { entity: 'farm' | 'pond' | 'batch'; id: string };
} & (
  | { is: 'batch'; rowOf: (stamp: Stamp & { numeric_id: number }) => RowOf<typeof batch> }
  | { is: 'record'; changeOf: (stamp: Stamp) => Change }
);
