import type { Resource, RowOf, Stored } from '#contract/resource.ts';
import type { localResources, sharedResources } from '#contract/resources/all.ts';
import type { WaterField } from '#contract/resources/water-quality.ts';
import { codecOf } from '#store/row-codec.ts';

// Types of the tables as the engines hold them: booleans as 0 and 1, lists and objects as JSON text.

type Column<Value> = Value extends boolean ? number : Value extends string | number | null ? Value : string;
type Columns<Row> = { [Name in keyof Row]: Column<Row[Name]> };

type Kernel = {
  /** Counts the row's changes on this instance. */
  rev: number;
  /** 1: deleted, or below something deleted. */
  hidden: number;
};

type SharedTables = {
  [Name in keyof typeof sharedResources]: Columns<RowOf<(typeof sharedResources)[Name]>> & Kernel;
};
type LocalTables = { [Name in keyof typeof localResources]: Columns<RowOf<(typeof localResources)[Name]>> };

/** Of an hour or a month of a pond: values as whole millionths, their squares in two parts. */
type MeasurementSums = {
  pond_id: string;
  letters: number;
  stretch: string;
  count: number;
} & Record<`${WaterField}_${'n' | 'sum' | 'sq_high' | 'sq_low'}`, number> &
  Record<`${WaterField}_${'min' | 'max'}`, number | null>;

export type Tables = SharedTables &
  LocalTables & {
    guards: { entity: string; id: string; n: number };
    measurement_sums: MeasurementSums;
    measurement_gaps: { pond_id: string };
    sync_stream: {
      stream_id: number;
      gateway_id: string;
      epoch: number;
      hlc: string | null;
      tx: number;
      core_seq: number;
      core_chain: string;
      history_seq: number;
      history_chain: string;
      in_core_seq: number;
      in_core_chain: string;
      in_history_seq: number;
      in_history_chain: string;
      acked_core_seq: number;
      acked_core_chain: string;
      acked_history_seq: number;
      acked_history_chain: string;
      floor_seq: number;
      timeline: string;
      resync: string | null;
    };
    sync_seen: { entity: number; id: string; cl: number; hlc: string; over_json: string };
    sync_restamps: {
      stream_id: number;
      epoch: number;
      lane: string;
      seq: number;
      chain: string;
      from_hlc: string;
      to_hlc: string;
      restamped_at: string;
    };
    sync_bases: {
      entity: number;
      id: string;
      field_group: string;
      hlc: string;
      base_hlc: string;
      farm_id: string;
    };
    sync_time_returns: { id: string; limit_ms: number; newest_ms: number; returned_ms: number };
    sync_marks: { stream_id: number; lane: string; seq: number; chain: string; marked_at: string };
    sync_change: {
      stream_id: number;
      lane: string;
      seq: number;
      tx: number;
      entity: number;
      id: string;
      op: number;
      cl: number;
      hlc: string;
      base_json: string | null;
      body_json: string | null;
      boot_id: string;
      monotonic_ms: number;
      actor: string | null;
      schema_version: number;
      chain: string;
      over_json: string | null;
    };
    sync_register: { entity: number; id: string; cl: number; hlc: string; over_json: string };
  };

/** A stored row as the rest of the program knows it. */
export function decodeRow<Row extends { id: string }>(
  resource: Resource<Row>,
  stored: Record<string, unknown>,
): Stored<Row> {
  const row = codecOf(resource as unknown as Resource).decode(stored);
  // the codec of this resource makes its rows; the drift test keeps schema and tables equal
  return { ...row, rev: Number(stored['rev'] ?? 0) } as unknown as Stored<Row>;
}
