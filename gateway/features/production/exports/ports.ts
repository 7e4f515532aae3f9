import type { RowOf } from '#contract/resource.ts';
import type { LossCause } from '#contract/resources/batches.ts';
import type { farmRecord, RecordKind } from '#contract/resources/farm-records.ts';
import type { StockEntryAnswer } from '#contract/resources/feed-stock.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import type { CsvLayout } from '#core/csv-text.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Pack } from '#core/packed-file.ts';
import type { FarmAccess } from '#core/route.ts';
import type { MissingFact } from '#science/advice/missing-words.ts';
import type { ScienceConstants } from '#science/constants.ts';
import type { BatchesThere } from '../batch-in-pond.ts';
import type { BatchState, BatchStates, ExpectedWeights } from '../batch-state.ts';

/** From an instant (included) to another (left out), ISO 8601 UTC; null: open. */
export type Span = { from: string | null; before: string | null };

export type FeedingLine = {
  id: string;
  feed_type: string;
  quantity_kg: number;
  feed_date: string;
  notes: string | null;
};

export type WaterLine = {
  id: string;
  measurement_date: string;
  temperature: number | null;
  dissolved_oxygen: number | null;
  ph: number | null;
  salinity: number | null;
  alkalinity: number | null;
  ammonia: number | null;
  nitrite: number | null;
  nitrate: number | null;
  transparency: number | null;
};

export type RecordLine = Pick<
  RowOf<typeof farmRecord>,
  | 'id'
  | 'kind'
  | 'pond_id'
  | 'happened_at'
  | 'text'
  | 'product'
  | 'product_kind'
  | 'product_lot'
  | 'amount'
  | 'unit'
  | 'responsible'
  | 'withdrawal_days'
  | 'source'
  | 'signs'
  | 'affected_percent'
  | 'severity'
  | 'disease'
  | 'disease_name'
  | 'sample'
  | 'method'
  | 'result'
  | 'result_on'
  | 'report_number'
  | 'trays'
  | 'step'
  | 'ended_on'
  | 'meter'
  | 'meter_factor'
  | 'meter_change'
> & {
  /** The farm's words for the pond, batch or control point. */
  place: string;
};

export type LossLine = {
  lost_at: string;
  pond_id: string | null;
  cause: LossCause | null;
  dead_count: number;
  dead_weight_kg: number | null;
  severity: number | null;
  event_description: string | null;
};

export type StockLine = Pick<
  StockEntryAnswer,
  | 'happened_at'
  | 'kind'
  | 'product'
  | 'lot'
  | 'quantity_kg'
  | 'bags'
  | 'bag_kg'
  | 'protein_percent'
  | 'pellet_mm'
  | 'price_per_kg'
  | 'supplier'
  | 'expires_on'
  | 'expected_kg'
  | 'difference_kg'
  | 'left_kg'
  | 'notes'
>;

export type WaterTotals = {
  count: number;
  of: ReadonlyMap<WaterField, { least: number; mean: number; most: number }>;
};

/** The farm's own words for a pond. */
export type ExportPond = {
  id: string;
  numeric_id: number;
  cod: string;
  timezone: string;
  farmId: string;
  farmName: string;
};

/** Journals come oldest first, in chunks of some hundred rows. */
export type ExportQueries = {
  /** UUID of a batch named by UUID or number; null: there is none. */
  batchIdOf: (ref: string) => Promise<string | null>;
  pondOf: (ref: string) => Promise<ExportPond | null>;
  /** The farm's words for these ponds. */
  pondCods: (pondIds: readonly string[]) => Promise<Map<string, string>>;
  feedings: (batchId: string, span: Span) => AsyncIterable<readonly FeedingLine[]>;
  measurements: (pondId: string, span: Span) => AsyncIterable<readonly WaterLine[]>;
  /** Those that hold ammonia, or the salinity that it is worked out by. */
  ammoniaLines: (pondId: string, span: Span) => AsyncIterable<readonly WaterLine[]>;
  /** The same as lines of a file; they are written beside control where the rows are read. */
  measurementLines: (pondId: string, span: Span, layout: CsvLayout) => AsyncIterable<string>;
  /** Zone and name of a farm. */
  farmOf: (farmId: string) => Promise<{ name: string; timezone: string } | null>;
  /** What a farm wrote down of its places: see farm-records. */
  records: (
    farm: { id: string; kind: RecordKind | null },
    span: Span,
  ) => AsyncIterable<readonly RecordLine[]>;
  waterTotals: (pondId: string, span: Span) => Promise<WaterTotals>;
  /** What registers of a farm hang on, with the farm's words for it, oldest first. */
  placesOf: (farmId: string) => Promise<FarmPlaces>;
  /** Rows of a table as they are stored, by what they hang on and in order of time. */
  storedRows: (
    table: string,
    below: { column: string; parent: string; order: string; span: Span },
  ) => AsyncIterable<readonly Readonly<Record<string, unknown>>[]>;
};

type Place = { id: string; name: string };
export type FarmPlaces = Readonly<Record<'ponds' | 'batches' | 'control_points', readonly Place[]>>;

/** What a batch has cost so far, null: none was recorded; nothing is rounded. */
export type BatchCosts = {
  totalFeedCost: number | null;
  totalOperationalCost: number | null;
  totalEnergyCost: number | null;
  totalCost: number | null;
  /** null: no biomass; 0 while nothing was recorded. */
  costPerKg: number | null;
  missing: MissingFact[];
};

export type ExportDeps = Pick<Kernel, 'now' | 'newId' | 'idOf' | 'clockQuality'> & {
  queries: ExportQueries;
  batches: BatchStates;
  /** What batches have cost; brought by finance. */
  costsOf: (state: BatchState) => Promise<BatchCosts>;
  batchesThere: () => BatchesThere;
  /** Deliveries and counts of feed, oldest first, with the prices that the role sees; brought by the feed stock. */
  feedStockOf: (farmId: string, role: FarmAccess['role']) => Promise<StockLine[]>;
  /** What died of a batch, newest first, by the codes of the ponds; brought by batches. */
  lossesOf: (batchId: string) => Promise<LossLine[]>;
  expectedWeights: ExpectedWeights;
  scienceOf: (farmId: string) => Promise<Pick<ScienceConstants, 'water'>>;
  /** Currency of the owner's subscription. */
  currencyOf: (ownerId: string) => Promise<'BRL' | 'USD'>;
  /** Makes workbooks beside control; `requireRoom` throws 503 while as many are made as may be at once. */
  packer: { pack: Pack; requireRoom: () => void };
  /** Whether the plan of the farm's owner includes exports. */
  mayExport: (farm: FarmAccess) => Promise<boolean>;
};
