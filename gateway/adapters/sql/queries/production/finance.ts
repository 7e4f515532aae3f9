import { sql } from 'kysely';
import { expense } from '#contract/resources/finance.ts';
import type { Spent, SpentByCategory } from '#features/production/batch-money.ts';
import type { FinanceQueries } from '#features/production/finance/ports.ts';
import type { Db } from '../../database.ts';
import { decodeRow } from '../../tables.ts';
import { inChunks } from '../paging.ts';
import { slicesOf } from './batch-facts.ts';
import { batchToRecordUnder } from './feeding.ts';

export function financeQueries(db: Db): FinanceQueries {
  return {
    batchToPayFor: (ref) => batchToRecordUnder(db, ref),
    async expenseById(id) {
      const row = await db
        .selectFrom('expenses')
        .selectAll()
        .where('id', '=', id)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row ? decodeRow(expense, row) : null;
    },
    async expenseIdTaken(id) {
      const row = await db.selectFrom('expenses').select('id').where('id', '=', id).executeTakeFirst();
      return row !== undefined;
    },
    expensesOf: (batchId, page) => expensesOf(db, batchId, page),
    async countExpenses(batchId) {
      const row = await db
        .selectFrom('expenses')
        .select((count) => count.fn.countAll<number>().as('n'))
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return Number(row?.n ?? 0);
    },
    async fedBetween(batchId, { from, to }) {
      const row = await db
        .selectFrom('feeding_records')
        .select([
          sql<number | null>`sum(quantity_kg)`.as('kg'),
          sql<number | null>`sum(quantity_kg * cost_per_kg)`.as('cost'),
        ])
        .where('batch_id', '=', batchId)
        .where('hidden', '=', 0)
        .where('feed_date', '>=', from)
        .where('feed_date', '<=', to)
        .executeTakeFirst();
      return { kg: row?.kg ?? 0, cost: row?.cost ?? 0 };
    },
    async currencyOf(ownerId) {
      const row = await db
        .selectFrom('subscriptions')
        .select('currency')
        .where('user_id', '=', ownerId)
        .where('hidden', '=', 0)
        .executeTakeFirst();
      return row?.currency ?? 'BRL';
    },
    spentByCategory: spentByCategory(db),
  };
}

export const spentByCategory =
  (db: Db): SpentByCategory =>
  async (batchIds, countsUntil) => {
    const spent = new Map<string, Spent[]>();
    for (const ids of slicesOf(batchIds)) {
      const rows = await db
        .selectFrom('expenses')
        .select((sum) => ['batch_id', 'category', sum.fn.sum<number>('amount').as('amount')])
        .where('batch_id', 'in', ids)
        .where('hidden', '=', 0)
        .where('expense_date', '<=', countsUntil)
        .groupBy(['batch_id', 'category'])
        .execute();
      for (const { batch_id, ...sum } of rows) spent.set(batch_id, [...(spent.get(batch_id) ?? []), sum]);
    }
    return spent;
  };

const expensesOf = (
  db: Db,
  batchId: string,
  page: Parameters<FinanceQueries['expensesOf']>[1],
): ReturnType<FinanceQueries['expensesOf']> =>
  inChunks(page, async (after, { limit, offset }) => {
    const rows = await db
      .selectFrom('expenses')
      .selectAll()
      .where('batch_id', '=', batchId)
      .where('hidden', '=', 0)
      .$if(after !== null, (query) =>
        query.where((tuple) =>
          tuple(
            tuple.refTuple('expense_date', 'id'),
            '<',
            tuple.tuple(after?.expense_date ?? '', after?.id ?? ''),
          ),
        ),
      )
      .orderBy('expense_date', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map((row) => decodeRow(expense, row));
  });
