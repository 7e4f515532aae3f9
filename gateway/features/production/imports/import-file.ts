import type { RowOf } from '#contract/resource.ts';
import { batch } from '#contract/resources/batches.ts';
import type { ImportKind, ImportReport, RowNote } from '#contract/resources/imports.ts';
import { audit } from '#core/audit.ts';
import { asParent, type Change, type GuardSeen, insertIfAbsent } from '#core/changes.ts';
import { AppError, conflict } from '#core/errors.ts';
import { isoOf } from '#core/kernel.ts';
import { claimNumericId } from '#core/numeric-id.ts';
import type { Caller, FarmAccess } from '#core/route.ts';
import { type Decision, perform } from '#core/use-case.ts';
import { grams, type Language } from '#science/advice/language.ts';
import { plausibilityText } from '#science/advice/plausibility-text.ts';
import type { ScienceConstants } from '#science/constants.ts';
import { implausibilitiesOf } from '#science/plausibility.ts';
import type { WaterSample } from '#science/water-limits.ts';
import type { CellNote, ImportDeps, PlannedRow, RowFacts, Stamp } from './ports.ts';
import { type FileToRead, readRows } from './read-rows.ts';

type Judging = { science: Pick<ScienceConstants, 'growth' | 'water'>; language: Language };

const TOO_HEAVY: Readonly<Record<Language, (weight: string) => string>> = {
  'pt-BR': (weight) =>
    `${weight} por camarão é mais do que se alcança em viveiro: confira a amostra e se o peso está em gramas.`,
  en: (weight) =>
    `${weight} per shrimp is more than ponds bring forth: check the sample, and whether the weight is in grams.`,
};

const NOTES_SHOWN = 200;

export type ImportBy = { caller: Caller; farm: FarmAccess; language: Language };
type Identified = { row: number; id: string; planned: PlannedRow };
type Count = Pick<
  ImportReport,
  | 'rows'
  | 'to_import'
  | 'imported'
  | 'already_there'
  | 'errors_total'
  | 'errors'
  | 'warnings_total'
  | 'warnings'
>;

/**
 * Looks at every row; answers what an import would do, and which rows are wrong. Rows have ids that follow from their
 * content, so that the same file sent twice changes nothing.
 */
export async function checkFile(
  deps: ImportDeps,
  by: ImportBy,
  file: FileToRead,
  facts: RowFacts,
): Promise<Count> {
  const count: Count = {
    rows: 0,
    to_import: 0,
    imported: 0,
    already_there: 0,
    errors_total: 0,
    errors: [],
    warnings_total: 0,
    warnings: [],
  };
  const note = (kind: 'errors' | 'warnings', notes: readonly RowNote[]) => {
    count[`${kind}_total`] += notes.length;
    count[kind].push(...notes.slice(0, Math.max(0, NOTES_SHOWN - count[kind].length)));
  };
  const judging = { science: await deps.scienceOf(by.farm.farmId), language: by.language };
  const name = namer(deps, file.kind, by.farm.farmId);
  const codes = codeBook(
    file.kind === 'batches' ? await deps.queries.batchCodesOf(by.farm.ownerId) : new Map(),
  );
  for await (const chunk of readRows(deps, file, facts)) {
    count.rows += chunk.length;
    const good: Identified[] = [];
    for (const read of chunk) {
      if ('errors' in read) note('errors', read.errors);
      else good.push({ row: read.row, id: name(read.planned), planned: read.planned });
    }
    const taken = await deps.queries.idsTaken(file.kind, ids(good));
    for (const each of good) {
      const clash = codes.clashOf(each, taken);
      if (clash !== null) note('errors', [clash]);
      else if (taken.has(each.id)) count.already_there += 1;
      else {
        count.to_import += 1;
        const { row, planned } = each;
        note(
          'warnings',
          unlikelyIn(file.kind, planned, judging).map((unlikely) => ({ row, ...unlikely })),
        );
      }
    }
  }
  return count;
}

/**
 * Imports a file in which `checkFile` found nothing wrong and `toImport` rows new: some rows per commit, so that control never
 * waits. The first of them carries the log entry of all, so that a power cut leaves no row that no entry names; sending the
 * same file again brings the rest. Answers how many rows came in.
 */
export async function importRows(
  deps: ImportDeps,
  by: ImportBy,
  file: FileToRead,
  { facts, toImport }: { facts: RowFacts; toImport: number },
): Promise<number> {
  const name = namer(deps, file.kind, by.farm.farmId);
  let imported = 0;
  for await (const chunk of readRows(deps, file, facts)) {
    const rows = chunk.flatMap((read) =>
      'errors' in read ? [] : [{ row: read.row, id: name(read.planned), planned: read.planned }],
    );
    const toName = imported === 0 ? toImport : null;
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
  const fresh = rows.filter(({ id }) => !taken.has(id));
  const changes: Change[] = [];
  const stocked: RowOf<typeof batch>[] = [];
  for (const { id, planned } of fresh) {
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
  const entry = fresh.length === 0 || toName === null ? [] : [entryOf(deps, by, kind, toName)];
  return {
    answer: fresh.length,
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
function codeBook(idsByCode: ReadonlyMap<string, string>) {
  const rowsByCode = new Map<string, number>();
  return {
    clashOf({ row, id, planned }: Identified, taken: ReadonlySet<string>): RowNote | null {
      const code = planned.content['batch_code'];
      if (typeof code !== 'string') return null;
      const column = 'batch_code';
      const other = rowsByCode.get(code);
      if (other !== undefined)
        return { row, column, code: 'DUPLICATE', message: `"${code}" stands in row ${other} already` };
      rowsByCode.set(code, row);
      const bearer = idsByCode.get(code);
      if (bearer === undefined || bearer === id || taken.has(id)) return null;
      return { row, column, code: 'ALREADY_EXISTS', message: `another batch already has the code "${code}"` };
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

/**
 * What is unlikely in a row, but comes in as it stands: a shrimp as heavy as its whole sample, saturation in the column
 * of mg/L. A slip of a whole column shows here before it is imported.
 */
function unlikelyIn(kind: ImportKind, { content }: PlannedRow, judging: Judging): CellNote[] {
  if (kind === 'measurements') return unlikelyWater(content, judging);
  return kind === 'biometries' ? unlikelyWeight(content, judging) : [];
}

function unlikelyWater(content: PlannedRow['content'], { science, language }: Judging): CellNote[] {
  const value = (field: keyof WaterSample) => {
    const cell = content[field];
    return typeof cell === 'number' ? cell : null;
  };
  const sample: WaterSample = {
    temperature: value('temperature'),
    dissolved_oxygen: value('dissolved_oxygen'),
    ph: value('ph'),
    salinity: value('salinity'),
    alkalinity: value('alkalinity'),
    ammonia: value('ammonia'),
    nitrite: value('nitrite'),
    nitrate: value('nitrate'),
    transparency: value('transparency'),
  };
  return implausibilitiesOf(science.water, sample).map((found) => ({
    column: found.parameter,
    code: found.kind,
    message: plausibilityText(found, language),
  }));
}

function unlikelyWeight(
  { total_weight_g: total, sample_size: size }: PlannedRow['content'],
  { science, language }: Judging,
): CellNote[] {
  if (typeof total !== 'number' || typeof size !== 'number') return [];
  const weightG = total / size;
  if (weightG <= 2 * science.growth.largestProjectedWeightG) return [];
  const message = TOO_HEAVY[language](grams(weightG, language));
  return [{ column: 'total_weight_g', code: 'IMPLAUSIBLE_WEIGHT', message }];
}
