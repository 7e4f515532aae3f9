import type { PackPart, Table } from '#core/packed-file.ts';
import type { Language } from '#science/advice/language.ts';
import { HEADINGS, SHEETS } from './sheet-words.ts';

/** Rows in one piece: the gateway hands each over between two other things. */
const ROWS_AT_ONCE = 500;

/** The parts of a workbook: a sheet for each register, its columns headed in the reader's language. */
export async function* workbookOf(
  registers: readonly { register: keyof typeof SHEETS; table: Table }[],
  language: Language,
): AsyncIterable<PackPart> {
  for (const { register, table } of registers) {
    yield {
      sheet: SHEETS[register][language],
      columns: table.columns.map(({ name, is }) => ({ heading: HEADINGS[name]?.[language] ?? name, is })),
    };
    for await (const rows of table.chunks) {
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
        yield { rows: rows.slice(at, at + ROWS_AT_ONCE) };
    }
  }
}
