import type { ImportKind, ImportReport, RowNote } from '#contract/resources/imports.ts';
import { AppError } from '#core/errors.ts';
import { nextTurn } from '#core/one-a-turn.ts';
import type { Language } from '#science/advice/language.ts';
import { isOfTemplate, wordOf } from './columns.ts';
import { doubtsOfFile } from './doubtful-columns.ts';
import { noteOf } from './import-words.ts';
import { ROWS_A_TURN, readRows } from './open-file.ts';
import type { ImportDeps, PlannedRow, RowFacts } from './ports.ts';
import type { ColumnRead } from './read-header.ts';
import type { FileToRead } from './read-layout.ts';
import type { Identified, ImportBy, Told } from './read-rows.ts';
import { createRecordBook } from './record-book.ts';
import { createJudging } from './unlikely-rows.ts';

const NOTES_SHOWN = 200;

type Count = Pick<
  ImportReport,
  | 'rows'
  | 'to_import'
  | 'imported'
  | 'already_there'
  | 'skipped'
  | 'left_out'
  | 'errors_total'
  | 'errors'
  | 'warnings_total'
  | 'warnings'
  | 'notes_total'
  | 'notes'
>;
type Looked = {
  file: FileToRead;
  facts: RowFacts;
  /** Rows that an undo took away: they may come again. */
  undone: ReadonlySet<string>;
  /** Called again and again with the rows looked at; throws when the look is called off. */
  step: (rows: number) => Promise<void>;
};
/** What a look at a file found, and the ids of the rows that it would bring. */
export type Checked = {
  count: Count;
  fresh: ReadonlySet<string>;
  /** Of every row that can be read, in the order of the file: each is reckoned once. */
  ids: readonly string[];
};

/**
 * Looks at every row; answers what an import would do, and which rows are wrong. Rows have ids that follow from their
 * content, so that the same file sent twice changes nothing.
 */
export async function checkFile(
  deps: ImportDeps,
  by: ImportBy,
  { file, facts, undone, step }: Looked,
): Promise<Checked> {
  const { count, note } = newCount();
  const fresh = new Set<string>();
  const judging = await createJudging(deps, by, file.kind);
  const book = createRecordBook(deps, file.kind, facts);
  const name = namer(deps, file.kind, by.farm.farmId);
  // before all else: what the whole file brings, and how its columns run
  const looked = { rows: 0 };
  const inOrder: string[] = [];
  for await (const chunk of readRows(deps, file, facts)) {
    await step((looked.rows += chunk.length));
    for (const [at, { row, planned, values }] of chunk.filter((read) => read.is === 'row').entries()) {
      if (at % ROWS_A_TURN === 0) await nextTurn();
      const id = name(planned);
      inOrder.push(id);
      book.expect(id);
      judging.see(values, { row, planned });
    }
  }
  await judging.settle();
  noteColumns(file, by.language, note);
  note('warnings', doubtsOfFile(file, facts));
  const nextId = inTurn(inOrder);
  const codes = codeBook(
    file.kind === 'batches' ? await deps.queries.batchCodesOf(by.farm.ownerId) : new Map(),
    facts,
  );
  const rowsSeen = new Set<number>();
  for await (const chunk of readRows(deps, file, facts)) {
    const good: Identified[] = [];
    await step((looked.rows += chunk.length));
    for (const read of chunk) {
      rowsSeen.add(read.row);
      if (read.is === 'wrong') note('errors', read.errors);
      else if (read.is === 'left out') {
        count[read.because === 'skip' ? 'skipped' : 'left_out'] += 1;
        note('notes', read.told.map(plain));
      } else good.push({ ...read, id: nextId() });
    }
    const { taken } = await standingOf(deps, file.kind, { ids: ids(good), undone });
    await nextTurn();
    const known = await book.look(good.filter(({ id }) => !taken.has(id)));
    for (const [at, each] of good.entries()) {
      if (at % ROWS_A_TURN === 0) await nextTurn();
      const { row, planned } = each;
      const clash = codes.clashOf(each, taken);
      const there = known.get(each.id);
      if (codes.isOnRecord(each, taken)) {
        count.already_there += 1;
        note('notes', [{ row, ...noteOf(by.language, 'SAME_BATCH', { column: 'batch_code' }) }]);
      } else if (clash !== null) note('errors', [clash]);
      else if (taken.has(each.id) || there?.is === 'same') {
        count.already_there += 1;
        if (there !== undefined) note('notes', [{ row, ...noteOf(by.language, there.sentence) }]);
      } else if (planned.lacks !== undefined)
        note('errors', [{ row, ...noteOf(by.language, planned.lacks, { column: 'cost_per_kg' }) }]);
      else {
        count.to_import += 1;
        fresh.add(each.id);
        note('notes', each.told.filter(({ kind }) => kind === 'note').map(plain));
        note('warnings', each.told.filter(({ kind }) => kind === 'warning').map(plain));
        if (there !== undefined)
          note('warnings', [{ row, ...noteOf(by.language, there.sentence, saidOf(there)) }]);
        note('warnings', await judging.unlikelyIn(each));
      }
    }
  }
  count.rows = rowsSeen.size;
  for (const notes of [count.errors, count.warnings, count.notes])
    notes.sort((one, other) => one.row - other.row);
  return { count, fresh, ids: inOrder };
}

const saidOf = ({ other }: { other?: string }) => (other === undefined ? {} : { other });
const plain = ({ kind: _kind, ...note }: Told): RowNote => note;

function newCount() {
  const count: Count = {
    rows: 0,
    to_import: 0,
    imported: 0,
    already_there: 0,
    skipped: 0,
    left_out: 0,
    errors_total: 0,
    errors: [],
    warnings_total: 0,
    warnings: [],
    notes_total: 0,
    notes: [],
  };
  const note = (kind: 'errors' | 'warnings' | 'notes', notes: readonly RowNote[]): void => {
    count[`${kind}_total`] += notes.length;
    count[kind].push(...notes.slice(0, Math.max(0, NOTES_SHOWN - count[kind].length)));
  };
  return { count, note };
}

/** Whole columns that are converted, or cannot be read as they stand. */
function noteColumns(
  file: FileToRead,
  language: Language,
  note: (kind: 'errors' | 'warnings' | 'notes', notes: readonly RowNote[]) => void,
): void {
  const row = file.headerRow;
  const said = (sentence: string, of: Parameters<typeof noteOf>[2], at = row) => ({
    row: at,
    ...noteOf(language, sentence, of),
  });
  if (file.areDatesSwapped) note('errors', [said('DATES_SWAPPED', { column: 'date' })]);
  if (file.areYearsFirst) note('errors', [said('YEARS_FIRST', { column: 'date' })]);
  if (file.areDatesMonthly) note('warnings', [said('DATES_MONTHLY', { column: 'date' })]);
  if (file.headerAgain !== null) note('errors', [said('HEADER_CHANGES', {}, file.headerAgain)]);
  if (file.zoneNamed !== null) note('warnings', [said('ZONE_NAMED', { column: 'date', of: file.zoneNamed })]);
  for (const name of file.otherSheets) note('warnings', [said('OTHER_SHEET', { of: name })]);
  for (const { position, row: first } of file.unheaded)
    note('warnings', [said('NO_HEADING', { value: position + 1 }, first)]);
  for (const { heading, column, unit, why } of file.refused)
    note('errors', [{ row, ...noteOf(language, why, { column, of: heading, other: unit }) }]);
  for (const column of file.columns) {
    const { name, heading, unit, conversion } = column;
    const plain = plainBasis(file, column);
    if (plain !== null)
      note(column.isAmmoniumByName ? 'warnings' : 'notes', [
        said('READ_AS_BASIS', { column: name, of: heading.slice(0, 80), other: plain }),
      ]);
    if (column.remark !== null)
      note('warnings', [
        said('REMARK_NOT_KNOWN', { column: name, of: heading.slice(0, 80), other: column.remark }),
      ]);
    // what a feeding cost is often headed so, and not what a kilogram of it did
    if (name === 'cost_per_kg' && COST.test(wordOf(heading)))
      note('notes', [said('PRICE_OF_KG', { column: name, of: heading.slice(0, 80) })]);
    if (conversion === 1) continue;
    const words = { column: name, of: heading.slice(0, 80), other: unit ?? '' };
    note('notes', [said('CONVERTED', words)]);
  }
}

/** What figures of ammonia, nitrite and nitrate are taken for that do not say it; null: they do, or our own template asked. */
function plainBasis({ kind, ammoniaBasis }: FileToRead, { name, heading, isPlain }: ColumnRead) {
  if (!isPlain || isOfTemplate(kind, name, heading)) return null;
  const bases: Record<string, string> = {
    ammonia: { TAN: 'TAN', NH3: 'NH₃-N' }[ammoniaBasis],
    nitrite: 'N-NO₂',
    nitrate: 'N-NO₃',
  };
  return bases[name] ?? null;
}

const COST = /^(?:custo|costo|cost|valor)(?:_(?:r|us|brl|usd|reais|total))*$/;

/** The ids of the rows of a file, as it is read again. */
export function inTurn(ids: readonly string[]): () => string {
  let at = -1;
  return () => {
    at += 1;
    const id = ids[at];
    if (id === undefined) throw new Error('a file was read in another way than before');
    return id;
  };
}

/** Ids that follow from farm and content; equal rows of one file are as many things, told apart by their count. */
function namer(deps: ImportDeps, kind: ImportKind, farmId: string): (planned: PlannedRow) => string {
  const seen = new Map<string, number>();
  return ({ content }) => {
    const id = deps.idOf(`import:${kind}:${farmId}:${JSON.stringify(content)}`);
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    const own = count === 1 ? id : deps.idOf(`import:${id}:${count}`);
    const at = content['measurement_date'] ?? content['feed_date'] ?? content['happened_at'];
    return typeof at === 'string' ? timeLed(own, Date.parse(at)) : own;
  };
}

/**
 * UUID v8 that begins with the time of its record: a hundred thousand ids without order touch as many pages of every
 * index, and each page is written to the card more than once.
 */
function timeLed(id: string, ms: number): string {
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-8${id.slice(15)}`;
}

/** Codes of batches are unique per owner: against those there are, and within the file. */
function codeBook(idsByCode: ReadonlyMap<string, string>, { farm, language }: RowFacts) {
  const rowsByCode = new Map<string, number>();
  const startById = new Map(farm.batches.map(({ id, start_date }) => [id, start_date]));
  return {
    /** Of this farm, stocked under that code on that day, however it came there. */
    isOnRecord({ id, planned }: Identified, taken: ReadonlySet<string>): boolean {
      const { batch_code: code, start_date: day } = planned.content;
      const bearer = typeof code === 'string' ? idsByCode.get(code) : undefined;
      if (bearer === undefined || bearer === id || taken.has(id)) return false;
      return startById.get(bearer) === day;
    },
    clashOf({ row, id, planned }: Identified, taken: ReadonlySet<string>): RowNote | null {
      const code = planned.content['batch_code'];
      if (typeof code !== 'string') return null;
      const column = 'batch_code';
      const other = rowsByCode.get(code);
      if (other !== undefined)
        return { row, ...noteOf(language, 'DUPLICATE', { column, cell: code, other: String(other) }) };
      rowsByCode.set(code, row);
      const bearer = idsByCode.get(code);
      if (bearer === undefined || bearer === id || taken.has(id)) return null;
      return { row, ...noteOf(language, 'ALREADY_EXISTS', { column, cell: code }) };
    },
  };
}

/** What a caller is told who wanted to import a file with wrong rows: nothing was imported. */
export function notValid({ errors, errors_total }: Pick<Count, 'errors' | 'errors_total'>): AppError {
  const [first] = errors;
  const where =
    first === undefined ? '' : `; the first: row ${first.row}, ${first.column ?? 'row'}: ${first.message}`;
  const count = errors_total === 1 ? '1 error' : `${errors_total} errors`;
  return new AppError(422, `${count} in the file, nothing was imported${where}`, {
    code: 'IMPORT_NOT_VALID',
    errors: errors.map(({ row, column, code, message }) => ({
      path: `row ${row}${column === null ? '' : `, ${column}`}`,
      code,
      message,
      row,
      column,
    })),
  });
}

/** What a caller is told who wanted to import a file that may be read in two ways: nothing was imported. */
export function notAnswered(questions: ImportReport['questions']): AppError {
  const [first] = questions;
  return new AppError(422, `Nothing was imported: ${first?.message ?? ''}`, {
    code: 'IMPORT_QUESTION',
    errors: questions.map(({ code, column, message }) => ({ path: column, code, message })),
  });
}

/** Ids that were ever used; what an undo took away is not among them, but in `back`: it comes again by being restored. */
export async function standingOf(
  deps: Pick<ImportDeps, 'queries'>,
  kind: ImportKind,
  { ids: asked, undone }: { ids: readonly string[]; undone: ReadonlySet<string> },
): Promise<{ taken: ReadonlySet<string>; back: ReadonlySet<string> }> {
  const used = await deps.queries.idsTaken(kind, asked);
  const gone = [...used].filter((id) => undone.has(id));
  if (gone.length === 0) return { taken: used, back: new Set() };
  const rows = await deps.queries.rowsNow(kind, gone);
  const back = new Set(rows.filter(({ hidden }) => hidden).map(({ id }) => id));
  return { taken: new Set([...used].filter((id) => !back.has(id))), back };
}

export const ids = (rows: readonly Identified[]): string[] => rows.map(({ id }) => id);
