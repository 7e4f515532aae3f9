import type { RowNote } from '#contract/resources/imports.ts';
import { wordOf } from './columns.ts';
import type { Said } from './doubt-words.ts';
import { noteOf } from './import-words.ts';
import type { RowFacts } from './ports.ts';
import { headingsIn, OF_ELSE, readHeader } from './read-header.ts';
import type { FileToRead } from './read-layout.ts';
import { conversionOf, type Unit, unitOf } from './units.ts';

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
    ...beforeNoon(file).map(({ name, heading }) =>
      note('HALF_NOT_SAID', { column: name, cell: heading.slice(0, 80) }),
    ),
    ...file.shares.map(({ position, row, value }) => {
      const column = file.columns.find((each) => each.position === position)?.name ?? null;
      return note('SHARE_NOT_PERCENT', { column, value }, row);
    }),
    ...(file.halfless === null ? [] : [note('HALF_NOT_SAID', { column: 'date' }, file.halfless)]),
    ...unitsAbove(file).map(({ name, heading, title }) =>
      note('UNIT_ABOVE', { column: name, of: title, other: heading.slice(0, 80) }),
    ),
    ...clockAbove(file).map((of) => note('CLOCK_ABOVE', { column: 'date', of })),
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
    const words = heading.split(/\s+|\.(?=\d)/);
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

/** Columns of hours that run back though none is behind noon: `OD 5h, OD 12h, OD 4h`. */
function beforeNoon({ columns }: FileToRead) {
  const timed = columns
    .filter(({ time }) => time !== null)
    .toSorted((one, other) => one.position - other.position);
  if (timed.some(({ time }) => (time ?? '') < '01:00' || (time ?? '') >= '13:00')) return [];
  return timed.filter(({ name, time }, at) => {
    const before = timed.slice(0, at).findLast((each) => each.name === name);
    return before !== undefined && (time ?? '') < (before.time ?? '');
  });
}

const LONGEST_TITLE = 200;
/** What may be a unit in a title: behind `em` or a bracket, or with a sign that no word has. */
const UNIT_WORDS =
  /(?<=\b(?:em|en|in)\s+|[([:=]\s*)\p{L}{2,}(?![\p{L}/])|[^\s(),;:=[\]]*[%°µμ‰$/][^\s(),;:=[\]]*/giu;
const CLOCK =
  /\b(?:UTC|GMT|fuso|huso)\b|hor[áa]rio (?:mundial|universal|de greenwich)|time ?zone|zona horaria/iu;

/** A line above the header that says a unit, where the heading of its column says none. */
function unitsAbove({ kind, columns, above, logger }: FileToRead) {
  if (logger !== null) return [];
  const open = columns.filter(({ is, unit }) => (is === 'number' || is === 'integer') && unit === null);
  return above.slice(0, MOST_TITLES).flatMap((title) => {
    if (title.length > LONGEST_TITLE) return [];
    const names = readHeader(kind, title.split(/[\s,;:()]+/), new Map()).columns.map(({ name }) => name);
    const named = open.filter(({ name }) => names.includes(name));
    const units = [...title.matchAll(UNIT_WORDS)].flatMap(([word]) => unitOf(word) ?? []);
    return (named.length > 0 ? named : open)
      .filter(({ name }) => units.some((unit) => isOther(name, unit)))
      .map(({ name, heading }) => ({ name, heading, title: title.slice(0, 80) }));
  });
}

/** Than the one in which the column is read; of what is fed also one that nobody knows, such as sacks. */
function isOther(name: string, unit: Unit): boolean {
  if (unit === 'none' || unit === 'other') return unit === 'other' && name === 'quantity_kg';
  const conversion = conversionOf(name, unit);
  return conversion !== null && conversion !== 1;
}

/** A line above the header that speaks of another clock than the farm's, by which times are read where no column says one. */
const clockAbove = ({ above, dates, zoneNamed }: FileToRead): string[] =>
  dates.offsetMs !== null || zoneNamed !== null
    ? []
    : above.slice(0, MOST_TITLES).flatMap((title) => (CLOCK.test(title) ? [title.slice(0, 80)] : []));

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
