import type { RowOf } from '#contract/resource.ts';
import type { batch } from '#contract/resources/batches.ts';
import type { ImportKind } from '#contract/resources/imports.ts';
import type { Change } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import type { NumericIdDeps } from '#core/numeric-id.ts';
import type { Decision } from '#core/use-case.ts';
import type { ZoneClock } from '#core/zone-clock.ts';
import type { ScienceConstants } from '#science/constants.ts';

export type PondOfFarm = { id: string; numeric_id: number; cod: string; size_m2: number | null };
export type BatchOfFarm = { id: string; numeric_id: number; batch_code: string; start_date: string };

/** The farm a file is imported to, with everything its rows may name. */
export type FarmFacts = {
  id: string;
  timezone: string;
  ponds: readonly PondOfFarm[];
  batches: readonly BatchOfFarm[];
};

export type ImportQueries = NumericIdDeps & {
  /** null: there is no such farm. */
  farmFacts: (farmId: string) => Promise<FarmFacts | null>;
  /** Codes that batches of the owner bear, with the id of the bearer. */
  batchCodesOf: (ownerId: string) => Promise<Map<string, string>>;
  /** Which of these ids were ever used, deleted rows included. */
  idsTaken: (kind: ImportKind, ids: readonly string[]) => Promise<Set<string>>;
  /** Which of these ponds or batches still stand. */
  standing: (entity: 'pond' | 'batch', ids: readonly string[]) => Promise<Set<string>>;
};

export type ImportDeps = Pick<
  Kernel,
  'now' | 'newId' | 'idOf' | 'guard' | 'clockQuality' | 'commit' | 'pause' | 'random'
> & {
  queries: ImportQueries;
  scienceOf: (farmId: string) => Promise<ScienceConstants>;
  /**
   * Rows that go into the same commit as ACTIVE batches of one owner: plan limits. Throws when there is no room for all
   * of them.
   */
  onCreateBatches: (
    created: readonly RowOf<typeof batch>[],
  ) => Promise<Pick<Decision<never>, 'changes' | 'guards'>>;
};

export type Cells = Readonly<Record<string, string | number | null>>;

/** What the rows of a file are read against. */
export type RowFacts = {
  farm: FarmFacts;
  ownerId: string;
  clock: ZoneClock;
  /** ISO 8601 UTC; null: the clock cannot tell what lies in the future. */
  latest: string | null;
  /** Finds a pond or batch of the farm by code, number or UUID. */
  pondBy: (ref: string) => PondOfFarm | 'several' | null;
  batchBy: (ref: string) => BatchOfFarm | null;
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
  parent: { entity: 'pond' | 'batch'; id: string };
} & (
  | { is: 'batch'; rowOf: (stamp: Stamp & { numeric_id: number }) => RowOf<typeof batch> }
  | { is: 'record'; changeOf: (stamp: Stamp) => Change }
);
