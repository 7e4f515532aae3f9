import type { Cell } from '#contract/csv-cells.ts';

// Tables that leave as a workbook or as an archive of files. What is packed is handed over piece by piece, so that a year of
// a probe never stands in memory.

/** `day`: `2026-03-01`, `time`: `06:30:00`, `moment`: `2026-03-01 06:30:00`, all by the farm's clock; other text stays text. */
export type CellKind = 'text' | 'number' | 'day' | 'time' | 'moment';
export type TableColumn = { name: string; is: CellKind };
export type TableRows = readonly (readonly Cell[])[];

/** A register as a table: its lines come in chunks of some hundred. */
export type Table = {
  columns: readonly TableColumn[];
  chunks: AsyncIterable<TableRows> | Iterable<TableRows>;
};

/** Begins a sheet or a file, or goes on with the one begun last. */
export type PackPart =
  | { sheet: string; columns: readonly { heading: string; is: CellKind }[] }
  | { rows: TableRows }
  | { file: string }
  | { text: string };

/** Makes one compressed file of the parts: a workbook of sheets, or an archive of files. */
export type Pack = (parts: AsyncIterable<PackPart>) => AsyncIterable<Uint8Array>;
