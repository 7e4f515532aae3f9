import { csvText } from '#core/csv-text.ts';
import type { PackPart, Table } from '#core/packed-file.ts';
import type { Language } from '#science/advice/language.ts';
import { FARM_REGISTERS } from './farm-registers.ts';
import { columnsFor, type FarmScope, ROWS_AT_ONCE, storedTable } from './farm-tables.ts';
import { HEADINGS, SHEETS } from './sheet-words.ts';

export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

export type Sheet = { register: keyof typeof SHEETS; table: Table };

/** The parts of a workbook: a sheet for each register, its columns headed in the reader's language. */
export async function* workbookOf(registers: readonly Sheet[], language: Language): AsyncIterable<PackPart> {
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

/** Said in the archive; what changes its meaning raises it. */
const ARCHIVE_VERSION = 1;

const README = `Everything a farm has written down, for other programs and for keeping.

One CSV file for each register: UTF-8, RFC 4180, a comma between cells, a point in decimals, lines end with CRLF, the first line
names the columns. An empty cell: not known, or there was none. Instants are ISO 8601 in UTC, days are YYYY-MM-DD.
schema.json says of each file how many rows it has, and of each column its type, unit and meaning; columns that end with _id name
rows of the file that "refers_to" says. Columns may be added at the end; "version" is raised when one changes its meaning.
A text that begins with = + - @ or a tab has an apostrophe before it, so that no spreadsheet runs it: take it away when you read.

No accounts, members, keys or passwords are in here, and nobody who entered a row is named.
`;

/** The parts of an archive of a whole farm: a file for each register, and what says how to read them. */
export async function* archiveOf(
  scope: FarmScope,
  about: { made_at: string; farm: { id: string; name: string; timezone: string }; ammonia_basis: string },
): AsyncIterable<PackPart> {
  yield { file: 'README.txt' };
  yield { text: README };
  const files: unknown[] = [];
  const form = { separator: 'comma' } as const;
  for (const register of FARM_REGISTERS) {
    if (register.isMoney === true && !scope.seesMoney) continue;
    const file = `${register.name}.csv`;
    const table = storedTable(register, scope);
    let rows = 0;
    yield { file };
    yield { text: csvText(form).head(table.columns.map(({ name }) => name)) };
    const { row } = csvText(form);
    for await (const chunk of table.chunks) {
      rows += chunk.length;
      yield { text: chunk.map(row).join('') };
    }
    const columns = columnsFor(register, scope).map(({ name, is, unit, meaning, of }) => ({
      name,
      type: is,
      unit: unit ?? null,
      meaning,
      refers_to: of === undefined ? null : `${of}.csv`,
    }));
    files.push({ file, meaning: register.meaning, rows, key: 'id', columns });
  }
  yield { file: 'schema.json' };
  yield {
    text: `${JSON.stringify({ format: 'farm-archive', version: ARCHIVE_VERSION, ...about, files }, null, 2)}\n`,
  };
}
