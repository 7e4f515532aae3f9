import { readFileSync } from 'node:fs';
import { readWorkbook, type SheetRow } from '#adapters/sheets/read-workbook.ts';
import { SheetTrouble } from '#adapters/sheets/sheet-trouble.ts';
import { standBack } from '#adapters/system/process-pauses.ts';
import type { RowSent, SheetAnswer } from './sheet-process.ts';

// Reads one workbook for sheet-process.ts and ends.

/** Rows in one message: the gateway takes each between two other things. */
const ROWS_AT_ONCE = 500;

standBack();
process.once('disconnect', () => process.exit(1));
process.once('message', (path: string) => {
  const tell = (answer: SheetAnswer) => void process.send?.(answer);
  const last = (answer: SheetAnswer) => void process.send?.(answer, () => process.exit(0));
  readWorkbook(readFileSync(path), (sheet, rows) => {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      tell({ sheet, rows: sentAs(rows.slice(at, at + ROWS_AT_ONCE)) });
  }).then(last, (error: unknown) => {
    const isTold = error instanceof SheetTrouble;
    last(isTold ? { trouble: error.message } : { failure: String(error) });
  });
});

function sentAs(rows: readonly SheetRow[]): Uint8Array {
  const plain = rows.map(
    ({ carried, ...row }): RowSent => (carried === undefined ? row : { ...row, carried: [...carried] }),
  );
  return Buffer.from(JSON.stringify(plain));
}
