import type { RowOf } from '#contract/resource.ts';
import { batch } from '#contract/resources/batches.ts';
import type { ImportKind, ImportReport, RowNote } from '#contract/resources/imports.ts';
import { audit } from '#core/audit.ts';
import { asParent, type Change, type GuardSeen, insertIfAbsent } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import { type Decision, perform } from '#core/use-case.ts';
import type { Language } from '#science/advice/language.ts';
import { noteOf } from './import-words.ts';
import { readRows } from './open-file.ts';
import type { ImportDeps, PlannedRow, RowFacts, Stamp } from './ports.ts';
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
/** What a look at a file found, and the ids of the rows that it would bring. */
export type Checked = { count: Count; fresh: ReadonlySet<string> };

/**
 * Looks at every row; answers what an import would do, and which rows are wrong. Rows have ids that follow from their
 * content, so that the same file sent twice changes nothing.
 */
export async function checkFile(
  deps: ImportDeps,
  by: ImportBy,
  file: FileToRead,
  facts: RowFacts,
): Promise<Checked> {
  const { count, note } = newCount();
  const fresh = new Set<string>();
  const judging = await createJudging(deps, by, file.kind);
  const book = createRecordBook(deps, file.kind, facts);
  const firstName = namer(deps, file.kind, by.farm.farmId);
  // before all else: what the whole file brings, and how its columns run
  for await (const chunk of readRows(deps, file, facts)) {
    for (const { row, planned, values } of chunk.filter((read) => read.is === 'row')) {
      book.expect(firstName(planned));
      judging.see(values, { row, planned });
    }
  }
  await judging.settle();
  noteColumns(file, by.language, note);
  const name = namer(deps, file.kind, by.farm.farmId);
  const codes = codeBook(
    file.kind === 'batches' ? await deps.queries.batchCodesOf(by.farm.ownerId) : new Map(),
    by.language,
  );
  const rowsSeen = new Set<number>();
  for await (const chunk of readRows(deps, file, facts)) {
    const good: Identified[] = [];
    for (const read of chunk) {
      rowsSeen.add(read.row);
      if (read.is === 'wrong') note('errors', read.errors);
      else if (read.is === 'left out') {
        count[read.because === 'skip' ? 'skipped' : 'left_out'] += 1;
        note('notes', read.told.map(plain));
      } else good.push({ ...read, id: name(read.planned) });
    }
    const taken = await deps.queries.idsTaken(file.kind, ids(good));
    const known = await book.look(good.filter(({ id }) => !taken.has(id)));
    for (const each of good) {
      const { row, planned } = each;
      const clash = codes.clashOf(each, taken);
      const there = known.get(each.id);
      if (clash !== null) note('errors', [clash]);
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
  return { count, fresh };
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
  note: (kind: 'errors' | 'notes', notes: readonly RowNote[]) => void,
): void {
  const row = file.headerRow;
  for (const { heading, column, unit } of file.refused)
    note('errors', [{ row, ...noteOf(language, 'UNIT_NOT_KNOWN', { column, of: heading, other: unit }) }]);
  for (const { name, heading, unit, conversion } of file.columns) {
    if (conversion === 1) continue;
    const said = { column: name, of: heading.slice(0, 80), other: unit ?? '' };
    note('notes', [{ row, ...noteOf(language, 'CONVERTED', said) }]);
  }
}

/**
 * Imports a file in which `checkFile` found nothing wrong and these rows `fresh`: some rows per commit, so that control never
 * waits. The first of them carries the log entry of all, so that a power cut leaves no row that no entry names; sending the
 * same file again brings the rest. Answers how many rows came in.
 */
export async function importRows(
  deps: ImportDeps,
  by: ImportBy,
  { file, facts, fresh }: { file: FileToRead; facts: RowFacts; fresh: ReadonlySet<string> },
): Promise<number> {
  const name = namer(deps, file.kind, by.farm.farmId);
  let imported = 0;
  for await (const chunk of readRows(deps, file, facts)) {
    const rows = chunk
      .flatMap((read) => (read.is === 'row' ? [{ ...read, id: name(read.planned) }] : []))
      .filter(({ id }) => fresh.has(id));
    if (rows.length === 0) continue;
    // the log names the import with its first rows, in their commit
    const toName = imported === 0 ? fresh.size : null;
    const done = await perform(deps, by.caller.userId, () =>
      decideRows(deps, by, { kind: file.kind, rows, toName }),
    );
    imported += done.answer;
  }
  return imported;
}

async function decideRows(
  deps: ImportDeps,
  by: ImportBy,
  { kind, rows, toName }: { kind: ImportKind; rows: readonly Identified[]; toName: number | null },
): Promise<Decision<number>> {
  const guards = await guardParents(deps, kind, rows);
  const taken = await deps.queries.idsTaken(kind, ids(rows));
  const missing = rows.filter(({ id }) => !taken.has(id));
  const changes: Change[] = [];
  const stocked: RowOf<typeof batch>[] = [];
  for (const { id, planned } of missing) {
    const stamp: Stamp = {
      id,
      created_by: by.caller.userId,
      clock_quality: deps.clockQuality(),
      created_at: isoOf(deps.now()),
      updated_at: null,
    };
    if (planned.is === 'record') {
      changes.push(planned.changeOf(stamp));
      continue;
    }
    const numericId = await claimNumericId(deps.queries, 'batch', id);
    const row = planned.rowOf({ ...stamp, numeric_id: numericId.number });
    if (row.status === 'ACTIVE') stocked.push(row);
    changes.push(insertIfAbsent(batch, row), numericId.change);
  }
  const beside = stocked.length === 0 ? {} : await deps.onCreateBatches(stocked);
  const entry = missing.length === 0 || toName === null ? [] : [entryOf(deps, by, kind, toName)];
  return {
    answer: missing.length,
    changes: [...changes, ...(beside.changes ?? []), ...entry],
    guards: [...guards, ...(beside.guards ?? [])],
  };
}

const ids = (rows: readonly Identified[]): string[] => rows.map(({ id }) => id);

/** The ponds and batches of these rows must not be deleted under them. */
async function guardParents(
  deps: ImportDeps,
  kind: ImportKind,
  rows: readonly Identified[],
): Promise<GuardSeen[]> {
  const guards: GuardSeen[] = [];
  for (const entity of ['pond', 'batch'] as const) {
    const parents = [
      ...new Set(rows.flatMap(({ planned: { parent } }) => (parent.entity === entity ? parent.id : []))),
    ];
    for (const id of parents) {
      const guard = await deps.guard(entity, id);
      // a deletion of the pond that saw no batch in it yet must look again
      guards.push(kind === 'batches' ? guard : asParent(guard));
    }
    const standing = await deps.queries.standing(entity, parents);
    if (parents.some((id) => !standing.has(id))) {
      throw conflict(
        `A ${entity} of this file was deleted meanwhile; rows imported so far stay, look at the file again`,
        'PARENT_GONE',
      );
    }
  }
  return guards;
}

/** Ids that follow from farm and content; equal rows of one file are as many things, told apart by their count. */
function namer(deps: ImportDeps, kind: ImportKind, farmId: string): (planned: PlannedRow) => string {
  const seen = new Map<string, number>();
  return ({ content }) => {
    const id = deps.idOf(`import:${kind}:${farmId}:${JSON.stringify(content)}`);
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    return count === 1 ? id : deps.idOf(`import:${id}:${count}`);
  };
}

/** Codes of batches are unique per owner: against those there are, and within the file. */
function codeBook(idsByCode: ReadonlyMap<string, string>, language: Language) {
  const rowsByCode = new Map<string, number>();
  return {
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

function entryOf(deps: ImportDeps, { caller, farm }: ImportBy, kind: ImportKind, imported: number): Change {
  return audit(deps, {
    farm_id: farm.farmId,
    entity_type: 'SYSTEM',
    entity_id: farm.farmId,
    entity_name: `Import of ${kind}`,
    action: 'import',
    user_id: caller.userId,
    details: { kind, imported },
  });
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
