import type { RowOf } from '#contract/resource.ts';
import { type ExpenseCreate, expense } from '#contract/resources/finance.ts';
import { asParent, insert } from '#core/changes.ts';
import { conflict, notFound } from '#core/errors.ts';
import { notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { type ExpenseWarning, warningsOf } from './expense-rules.ts';
import type { BatchToPayFor, FinanceQueries } from './ports.ts';

export type RecordExpenseDeps = Pick<Kernel, 'now' | 'newId' | 'guard' | 'clockQuality'> & {
  queries: FinanceQueries;
};

/**
 * Decides an expense of a batch. The batch may have ended: the bill of the last month comes after the harvest. Throws
 * 404 for a batch deleted meanwhile, 409 for an id that is taken.
 *
 * @param sentDate the date as it came: a bare day begins on the farm, not in UTC
 */
export async function recordExpense(
  deps: RecordExpenseDeps,
  caller: Caller,
  { input, sentDate, language }: { input: ExpenseCreate; sentDate: unknown; language: Language },
): Promise<Decision<{ row: RowOf<typeof expense>; warnings: ExpenseWarning[] }>> {
  const named = await requireBatch(deps, input.batch_id);
  const guard = asParent(await deps.guard('batch', named.id));
  const batch = await requireBatch(deps, named.id);
  if (input.id !== undefined && (await deps.queries.expenseIdTaken(input.id)))
    throw conflict('This id is taken', 'ID_TAKEN');
  const row: RowOf<typeof expense> = {
    id: input.id ?? deps.newId(),
    batch_id: batch.id,
    category: input.category,
    amount: input.amount,
    description: input.description,
    expense_date: expenseDateOf(deps, batch, { instant: input.expense_date, sent: sentDate }),
    created_by: caller.userId,
    clock_quality: deps.clockQuality(),
    created_at: isoOf(deps.now()),
    updated_at: null,
  };
  return {
    answer: { row, warnings: warningsOf(deps, batch, { row, language }) },
    changes: [insert(expense, row)],
    guards: [guard],
  };
}

export async function requireBatch(
  deps: { queries: Pick<FinanceQueries, 'batchToPayFor'> },
  ref: string,
): Promise<BatchToPayFor> {
  const batch = await deps.queries.batchToPayFor(ref);
  if (batch === null) throw notFound('Batch');
  return batch;
}

/** The instant of an expense; throws 422 for one more than a day ahead. */
export function expenseDateOf(
  clock: Pick<Kernel, 'now' | 'clockQuality'>,
  { timezone }: BatchToPayFor,
  { instant, sent }: { instant: string; sent: unknown },
): string {
  return notAhead(clock, 'expense_date', instantOnFarm(instant, sent, timezone), timezone);
}
