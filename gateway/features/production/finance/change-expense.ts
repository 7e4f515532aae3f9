import { type ExpenseUpdate, expense } from '#contract/resources/finance.ts';
import { remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { localDay } from '#core/zone-clock.ts';
import type { Language } from '#science/advice/language.ts';
import { type ExpenseWarning, warningsOf } from './expense-rules.ts';
import type { BatchToPayFor, Expense, FinanceQueries } from './ports.ts';
import { expenseDateOf, requireBatch } from './record-expense.ts';

export type ChangeExpenseDeps = CorrectionDeps & Pick<Kernel, 'clockQuality'> & { queries: FinanceQueries };

/** Decides a correction, also of a batch that has ended. Fields left out stay; what changes nothing leaves no entry. */
export async function changeExpense(
  deps: ChangeExpenseDeps,
  caller: Caller,
  current: Expense,
  { input, sentDate, language }: { input: ExpenseUpdate; sentDate: unknown; language: Language },
): Promise<Decision<{ row: Expense; warnings: ExpenseWarning[] }>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { expense_date, ...fields } = input;
  const changed = changesOf(current, {
    ...fields,
    ...(expense_date === undefined
      ? {}
      : { expense_date: expenseDateOf(deps, batch, { instant: expense_date, sent: sentDate }) }),
  });
  if (changed === null) return { answer: { row: current, warnings: [] } };
  const set = { ...changed.after, updated_at: isoOf(deps.now()) };
  const row: Expense = { ...current, ...set, rev: current.rev + 1 };
  const entry = correctionEntry(deps, { ...entryOf(caller, batch, current), ...changed });
  return {
    answer: { row, warnings: warningsOf(deps, batch, { row, language }) },
    changes: [update(expense, current, set), entry],
  };
}

/** Decides the end of an expense; its values stay in the audit. */
export async function deleteExpense(
  deps: ChangeExpenseDeps,
  caller: Caller,
  current: Expense,
): Promise<Decision<void>> {
  const batch = await requireBatch(deps, current.batch_id);
  const { rev: _rev, ...before } = current;
  const entry = correctionEntry(deps, { ...entryOf(caller, batch, current), before, after: null });
  return { answer: undefined, changes: [remove(expense, current), entry] };
}

function entryOf(caller: Caller, batch: BatchToPayFor, row: Expense) {
  return {
    kind: 'expense' as const,
    id: row.id,
    name: `Expense of ${batch.batch_code}, ${localDay(row.expense_date, batch.timezone)}`,
    farmId: batch.farm_id,
    userId: caller.userId,
  };
}
