import { countsUntil } from '#core/facts-of-now.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Language } from '#science/advice/language.ts';
import { EXPENSE_WARNINGS } from './expense-words.ts';
import type { BatchToPayFor, Expense } from './ports.ts';

export type ExpenseWarning = { code: string; message: string };

/** Larvae and lime are bought before the stocking; a year earlier is more likely another year's bill. */
const BEFORE_START_MS = 365 * 86_400_000;

/** What is unlikely about an expense, but kept as it was entered. */
export function warningsOf(
  deps: Pick<Kernel, 'now' | 'clockQuality'>,
  batch: BatchToPayFor,
  { row, language }: { row: Pick<Expense, 'amount' | 'expense_date'>; language: Language },
): ExpenseWarning[] {
  const words = EXPENSE_WARNINGS[language];
  const atMs = Date.parse(row.expense_date);
  const isAhead = row.expense_date > countsUntil(deps);
  const isLongBefore = atMs < Date.parse(`${batch.start_date}T00:00:00Z`) - BEFORE_START_MS;
  return [
    ...(row.amount === 0 ? [{ code: 'ZERO_AMOUNT', message: words.zeroAmount }] : []),
    ...(isAhead ? [{ code: 'FUTURE_DATE', message: words.inTheFuture }] : []),
    ...(isLongBefore
      ? [{ code: 'LONG_BEFORE_START', message: words.longBeforeStart(batch.batch_code, batch.start_date) }]
      : []),
  ];
}
