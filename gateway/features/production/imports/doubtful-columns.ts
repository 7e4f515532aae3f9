import type { RowNote } from '#contract/resources/imports.ts';
import { wordOf } from './columns.ts';
import type { Said } from './doubt-words.ts';
import { noteOf } from './import-words.ts';
import type { RowFacts } from './ports.ts';
import { headingsIn, OF_ELSE, readHeader } from './read-header.ts';
import type { FileToRead } from './read-layout.ts';

/** From this hour on a round may go on past midnight, and up to that one it is over. */
const EVENING = '15:00';
const MORNING = '12:00';
const MOST_TITLES = 60;
/** A code in a title, and no word of it: `1` stands in every date. */
const CODE = /(?=.*\p{L})(?=.*\d)/u;

/** What a whole file may mean otherwise than it was read: columns left out, hidden, of the night, of another pond. */
export function doubtsOfFile(file: FileToRead, facts: RowFacts): RowNote[] {
  const note = (sentence: string, said: Said & { column?: string | null }, row = file.headerRow) => ({
    row,
    ...noteOf(facts.language, sentence, said),
  });
  return [
    ...unread(file).map((of) => note('COLUMN_NOT_READ', { of })),
    ...file.columns
      .filter(({ position }) => file.hiddenColumns.includes(position))
      .map(({ name, heading }) => note('HIDDEN_COLUMN', { column: name, of: heading.slice(0, 80) })),
    ...hiddenRows(file).map(({ row, named }) => note('HIDDEN_ROWS', { other: named }, row)),
    ...pastMidnight(file).map(({ name, heading }) =>
      note('NIGHT_HOURS', { column: name, of: heading.slice(0, 80) }),
    ),
    ...otherPonds(file, facts).map((said) => note('OTHER_POND_NAMED', { column: 'pond', ...said })),
  ];
}

/** Columns whose heading begins as that of a figure does: `OD manhã`. Of a logger's many columns that is no news. */
function unread({ kind, headings, columns, ignored, logger }: FileToRead): string[] {
  if (logger !== null) return [];
  const read = new Set(columns.map(({ position }) => position));
  return headings.flatMap((heading, position) => {
    if (read.has(position) || !ignored.includes(heading.slice(0, 80))) return [];
    if (headingsIn(kind, [heading]) > 0) return [];
    const words = heading.split(/\s+/);
    const isNamed = words.slice(1).some((_word, at) => {
      const begin = words.slice(0, at + 1).join(' ');
      if (wordOf(begin).length < 2 || OF_ELSE.test(wordOf(words.slice(at + 1).join(' ')))) return false;
      const [column] = readHeader(kind, [begin], new Map()).columns;
      return column?.is === 'number' || column?.is === 'integer';
    });
    return isNamed ? [heading.slice(0, 80)] : [];
  });
}

/** The first row that nobody sees, with the numbers of all. */
function hiddenRows({ hiddenRows: { count, rows } }: FileToRead): { row: number; named: string }[] {
  const [row] = rows;
  const more = count > rows.length ? ` … (${count})` : '';
  return row === undefined ? [] : [{ row, named: rows.join(', ') + more }];
}

/** Columns of hours that run on past midnight: `OD 18h, OD 22h, OD 2h`. */
function pastMidnight({ columns }: FileToRead) {
  const timed = columns.toSorted((one, other) => one.position - other.position);
  return timed.filter(({ name, time }, at) => {
    const before = timed.slice(0, at).findLast((each) => each.name === name && each.time !== null);
    return time !== null && time < MORNING && (before?.time ?? '') >= EVENING;
  });
}

/** Where one pond is said for all rows: another whose code stands above them, or names the sheet. */
function otherPonds({ given, above, table }: FileToRead, { farm, pondBy }: RowFacts) {
  const pond = given['pond'] === undefined ? null : pondBy(String(given['pond']));
  if (pond === null || pond === 'several') return [];
  const titles = [...above.slice(0, MOST_TITLES), table.sheet ?? ''].map(codesIn);
  const isNamed = ({ cod }: { cod: string }) =>
    CODE.test(cod) && titles.some((title) => title.includes(codesIn(cod)));
  return farm.ponds
    .filter((each) => each.id !== pond.id && isNamed(each))
    .slice(0, 3)
    .map(({ cod }) => ({ of: pond.cod, other: cod }));
}

/** Between spaces, so that no code is found in the middle of another. */
const codesIn = (text: string): string =>
  ` ${text
    .toLowerCase()
    .split(/[^\p{L}\d-]+/u)
    .filter((word) => word !== '')
    .join(' ')} `;
