import { SheetTrouble } from '#adapters/sheets/read-workbook.ts';
import type { Database } from '#adapters/sql/database.ts';
import { biometryQueries } from '#adapters/sql/queries/production/biometries.ts';
import { importQueries } from '#adapters/sql/queries/production/imports.ts';
import type { Kernel } from '#core/kernel.ts';
import type { ScienceOf } from '#features/farm/science-settings/ports.ts';
import type { BatchStates } from '#features/production/batch-state.ts';
import { warningsOf as weighingWarnings } from '#features/production/biometries/record-biometry.ts';
import { warningsOf as feedingWarnings } from '#features/production/feeding/record-feeding.ts';
import type { RowJudge } from '#features/production/imports/ports.ts';
import { notATable } from '#features/production/imports/read-table.ts';
import { importRoutes } from '#features/production/imports/routes.ts';
import type { Limits } from '#operations/people/payments.ts';
import { readWorkbookBeside } from '#workers/jobs/sheet-process.ts';

type Deps = {
  kernel: Kernel;
  database: Pick<Database, 'read'>;
  batches: BatchStates;
  scienceOf: ScienceOf;
  limits: Limits;
};

/** Wires files of the past: workbooks are read in a process of their own, rows are judged as those entered by hand. */
export function wireImports(deps: Deps): ReturnType<typeof importRoutes> {
  const { kernel, database, scienceOf, limits } = deps;
  return importRoutes({
    ...kernel,
    queries: importQueries(database.read),
    scienceOf,
    onCreateBatches: limits.batches,
    judgeRows: () => rowJudge(deps),
    async readWorkbook(bytes) {
      try {
        return await readWorkbookBeside(bytes);
      } catch (error) {
        throw error instanceof SheetTrouble ? notATable(error.message, 'WORKBOOK_UNREADABLE') : error;
      }
    },
  });
}

/** The warnings of the features of these records; what it read of a batch holds for all rows of one file. */
function rowJudge({ kernel, database, batches, scienceOf }: Deps): RowJudge {
  const { batchToWeigh } = biometryQueries(database.read);
  const weighed = remembered(batchToWeigh);
  const science = remembered(scienceOf);
  const stateOf = remembered(async (id: string) => (await batches.byIds([id])).get(id));
  const known: Pick<BatchStates, 'byIds'> = {
    async byIds(ids) {
      const states = await Promise.all(ids.map(async (id) => [id, await stateOf(id)] as const));
      return new Map(states.flatMap(([id, state]) => (state === undefined ? [] : [[id, state] as const])));
    },
  };
  return {
    feeding: (row, language) =>
      feedingWarnings({ ...kernel, batches: known, scienceOf: science }, row, language),
    async biometry(row, before, language) {
      const batch = await weighed(row.batch_id);
      if (batch === null) return [];
      const queries = { weighedBefore: async () => before };
      const weighing = { row: { id: '', ...row }, language };
      return weighingWarnings(
        { ...kernel, batches: known, queries },
        await science(batch.farm_id),
        batch,
        weighing,
      );
    },
  };
}

/** Asks for each thing once. */
function remembered<Answer>(ask: (id: string) => Promise<Answer>): (id: string) => Promise<Answer> {
  const answers = new Map<string, Promise<Answer>>();
  return (id) => {
    const known = answers.get(id) ?? ask(id);
    answers.set(id, known);
    return known;
  };
}
