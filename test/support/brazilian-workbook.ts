import { type CellObject, utils, type WorkSheet, write } from '@e965/xlsx';

export const number = (v: number, z?: string): CellObject => ({
  t: 'n',
  v,
  ...(z === undefined ? {} : { z }),
});
export type Line = readonly (string | CellObject | null)[];

export const sheetOf = (rows: readonly Line[]): WorkSheet => utils.aoa_to_sheet(rows.map((row) => [...row]));

export function workbookOf(
  sheets: Record<string, WorkSheet>,
  bookType: 'xlsx' | 'biff8' | 'ods' = 'xlsx',
): Uint8Array {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  return new Uint8Array(write(book, { type: 'array', bookType, compression: true }) as ArrayBuffer);
}

/** 1 March 2025 as spreadsheets count days. */
const FIRST_DAY = 45_717;
const day = (after: number) => number(FIRST_DAY + after, 'dd/mm/yyyy');

const WEIGHTS = ['1,2', '2,6', '4,1', '5,5', '7,2', '8,8', '10,3', '11,9', '13,2'];

/**
 * A cycle of last year as a farm in the north east of Brazil keeps it: a title above each table, cells that hold for the
 * rows below, commas in figures that are text, a line of means at the end.
 */
export function lastYearsCycle(pond = 'V-02', batch = 'L-2025-01'): Uint8Array {
  const stocking = sheetOf([
    ['Fazenda Norte — Povoamentos 2025'],
    [null],
    [
      'Lote',
      'Viveiro',
      'Espécie',
      'Data de povoamento',
      'Quantidade inicial',
      'Peso inicial (g)',
      'Despesca',
      'Biomassa final (kg)',
    ],
    [batch, pond, 'Litopenaeus vannamei', day(0), '60.000', '0,01', day(75), '610,5'],
    ['Total', null, null, null, '60.000', null, null, '610,5'],
  ]);
  const weighings = sheetOf([
    [`Biometrias do lote ${batch}`],
    ['Lote', 'Data', 'Amostra', 'Peso médio (g)', 'Obs.'],
    ...WEIGHTS.map(
      (weight, week): Line => [week === 0 ? batch : null, day(7 * (week + 1)), '100', weight, null],
    ),
    ['Média', null, null, '7,2', null],
  ]);
  weighings['!merges'] = [{ s: { r: 2, c: 0 }, e: { r: 1 + WEIGHTS.length, c: 0 } }];
  return workbookOf({ Povoamento: stocking, Biometria: weighings });
}
