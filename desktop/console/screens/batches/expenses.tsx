import { Link } from 'wouter-preact';
import type { ExpenseAnswer } from '#contract/resources/finance.ts';
import { EXPENSE_CATEGORIES } from '#contract/words.ts';
import { formWords } from '#words/entries.ts';
import { recordWords } from '#words/production.ts';
import { Answer, Empty } from '../../components/answer.tsx';
import { RecordTable, RowActions } from '../../components/record-table.tsx';
import { BATCH_TOUCHES, type Batch } from '../../data/batches.ts';
import { isLeaving } from '../../data/corrections.ts';
import { mayManage } from '../../data/farm-store.ts';
import { useGet } from '../../data/query.ts';
import { asTyped, calendarDay, currencySign, figure, money } from '../../i18n/format.ts';

/** What was spent on the batch, newest first. */
export function Expenses({ batch }: { batch: Batch }) {
  const words = recordWords();
  const names = formWords().expense.categories;
  const expenses = useGet<ExpenseAnswer[]>('/financial/expenses', { batch_id: batch.id, limit: 500 });
  return (
    <section class="card stack">
      <div class="row apart">
        <h2>{words.expenses}</h2>
        {mayManage.value ? (
          <Link
            class="button no-print"
            href={`/lancar/despesa?batch=${encodeURIComponent(batch.batch_code)}`}
          >
            {words.addExpense}
          </Link>
        ) : null}
      </div>
      <Answer of={expenses} isEmpty={(rows) => rows.length === 0} empty={<Empty text={words.noExpenses} />}>
        {(all) => {
          const rows = all.filter(({ id }) => !isLeaving(`/financial/expenses/${id}`));
          const sum = rows.reduce((total, { amount }) => total + amount, 0);
          return (
            <>
              <p class="muted small">{words.sum(money(sum), figure(rows.length))}</p>
              <RecordTable<ExpenseAnswer>
                label={words.expenses}
                keyOf={({ id }) => id}
                rows={rows}
                columns={[
                  { name: words.when, of: (row) => calendarDay(row.expense_date) },
                  { name: words.category, of: (row) => names[row.category] },
                  { name: words.description, isLong: true, of: (row) => row.description },
                  { name: words.amount, isNumber: true, of: (row) => money(row.amount) },
                ]}
                actionsName={words.actions}
                actions={mayManage.value ? (row) => <Actions row={row} /> : undefined}
              />
            </>
          );
        }}
      </Answer>
    </section>
  );
}

function Actions({ row }: { row: ExpenseAnswer }) {
  const words = recordWords();
  const names = formWords().expense.categories;
  return (
    <RowActions
      path={`/financial/expenses/${row.id}`}
      label={words.theExpense(money(row.amount))}
      touches={BATCH_TOUCHES}
      fields={[
        { name: 'expense_date', label: words.when, kind: 'moment', first: row.expense_date },
        {
          name: 'category',
          label: words.category,
          kind: 'choice',
          first: row.category,
          options: EXPENSE_CATEGORIES.map((value) => ({ value, label: names[value] })),
        },
        {
          name: 'amount',
          label: words.amount,
          kind: 'figure',
          unit: currencySign.value,
          first: asTyped(row.amount),
        },
        { name: 'description', label: words.description, kind: 'text', first: row.description },
      ]}
    />
  );
}
