import type { RowOf } from '#contract/resource.ts';
import { type ExpenseCreate, type ExpenseUpdate, expense } from '#contract/resources/finance.ts';
import { asParent, insert, remove, update } from '#core/changes.ts';
import { type CorrectionDeps, changesOf, correctionEntry } from '#core/correct-record.ts';
import { conflict, notFound } from '#core/errors.ts';
import { countsUntil, notAhead } from '#core/facts-of-now.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { Decision } from '#core/use-case.ts';
import { instantOnFarm, localDay } from '#core/zone-clock.ts';
import { calendarDay, type Language } from '#science/advice/language.ts';
import type { BatchToPayFor, Expense, FinanceQueries } from './ports.ts';

type Words = {
  zeroAmount: string;
  inTheFuture: string;
  longBeforeStart: (batchCode: string, startDay: string) => string;
};

/** What is unlikely about an expense, as whoever enters it is told. */
const EXPENSE_WARNINGS: Readonly<Record<Language, Words>> = {
  'pt-BR': {
    zeroAmount: 'Despesa de valor zero: confira o valor.',
    inTheFuture: 'A data da despesa está no futuro: até lá ela não conta.',
    longBeforeStart: (batchCode, startDay) =>
      `A despesa é de mais de um ano antes do início do lote ${batchCode}, em ${calendarDay(startDay, 'pt-BR')}.`,
  },
  en: {
    zeroAmount: 'This expense is 0: check the amount.',
    inTheFuture: 'The date of the expense lies in the future: until then it does not count.',
    longBeforeStart: (batchCode, startDay) =>
      `The expense lies more than a year before the start of batch ${batchCode} on ${calendarDay(startDay, 'en')}.`,
  },
  es: {
    zeroAmount: 'Gasto de monto cero: revise el monto.',
    inTheFuture: 'La fecha del gasto está en el futuro: hasta entonces no cuenta.',
    longBeforeStart: (batchCode, startDay) =>
      `El gasto es de más de un año antes del inicio del lote ${batchCode}, el ${calendarDay(startDay, 'es')}.`,
  },
};

export type ExpenseWarning = { code: string; message: string };

/** Larvae and lime are bought before the stocking; a year earlier is more likely another year's bill. */
const BEFORE_START_MS = 365 * 86_400_000;

/** What is unlikely about an expense, but kept as it was entered. */
function warningsOf(
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
function expenseDateOf(
  clock: Pick<Kernel, 'now' | 'clockQuality'>,
  { timezone }: BatchToPayFor,
  { instant, sent }: { instant: string; sent: unknown },
): string {
  return notAhead(clock, 'expense_date', instantOnFarm(instant, sent, timezone), timezone);
}

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
