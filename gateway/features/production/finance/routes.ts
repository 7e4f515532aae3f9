import * as z from 'zod';
import { idInput, idOrNumber, pageQuery } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import {
  costPerKgAnswer,
  type ExpenseAnswer,
  energyAnswer,
  energyQuery,
  type expense,
  expenseAnswer,
  expenseCreate,
  expenseUpdate,
  optimalHarvestAnswer,
  optimalHarvestQuery,
  profitabilityAnswer,
  profitabilityQuery,
} from '#contract/resources/finance.ts';
import { meterUseAnswer, meterUseQuery } from '#contract/resources/meter-readings.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { type Route, route } from '#core/route.ts';
import type { BatchState, BatchStates } from '../batch-state.ts';
import type { Withdrawals } from '../withdrawal.ts';
import { type EnergyDeps, energyOfFarm } from './energy-use.ts';
import {
  batchMoneyOf,
  costPerKgAnswerOf,
  expenseAnswerOf,
  profitabilityAnswerOf,
} from './finance-answers.ts';
import { meterUseOfFarm } from './meter-use.ts';
import { optimalHarvest } from './optimal-harvest.ts';
import type { Expense, FinanceQueries } from './ports.ts';
import {
  type ChangeExpenseDeps,
  changeExpense,
  deleteExpense,
  type ExpenseWarning,
  type RecordExpenseDeps,
  recordExpense,
  requireBatch,
} from './record-expense.ts';

export type FinanceRoutesDeps = RecordExpenseDeps &
  ChangeExpenseDeps &
  EnergyDeps & {
    withdrawals: Withdrawals;
    batches: Pick<BatchStates, 'byIds' | 'historyOf'>;
    queries: FinanceQueries;
  };

const tag = 'Financial';
const expenseParams = z.object({ expense_id: idInput });
const batchParams = z.object({ batch_id: idOrNumber });
const ofExpense = { who: 'farm', of: 'expense', at: 'params', field: 'expense_id', others: 404 } as const;
const ofBatch = { who: 'farm', of: 'batch', field: 'batch_id', others: 404 } as const;
const readBatch = { ...ofBatch, at: 'params', right: 'read_finance' } as const;

export function financeRoutes(deps: FinanceRoutesDeps): Route[] {
  return [...expenseRoutes(deps), ...singleExpenseRoutes(deps), ...analysisRoutes(deps)];
}

function expenseRoutes(deps: FinanceRoutesDeps): Route[] {
  return [
    route({
      method: 'POST',
      path: '/financial/expenses',
      tag,
      summary: 'Record money spent on a batch',
      access: { ...ofBatch, right: 'manage', at: 'body' },
      body: expenseCreate,
      answers: { 201: { schema: expenseAnswer } },
      idempotent: true,
      async handle(request) {
        const made = await recordExpense(deps, signedIn(request), {
          input: request.body,
          sentDate: request.rawBody['expense_date'],
          language: request.language,
        });
        return { ...made, answer: { status: 201, body: toAnswer(made.answer), rev: 1 } };
      },
    }),
    route({
      method: 'GET',
      path: '/financial/expenses',
      tag,
      summary: 'Expenses of a batch, newest first',
      access: { ...ofBatch, at: 'query', right: 'read_finance' },
      query: pageQuery.extend({ batch_id: idOrNumber }),
      answers: { 200: { schema: expenseAnswer, list: true } },
      async handle(request) {
        const { id } = await requireBatch(deps, request.query.batch_id);
        const answer = await journalAnswer(request.query, {
          count: () => deps.queries.countExpenses(id),
          rows: (page) => answersOf(deps.queries.expensesOf(id, page)),
        });
        return { answer };
      },
    }),
  ];
}

function singleExpenseRoutes(deps: FinanceRoutesDeps): Route[] {
  async function visibleExpense(id: string): Promise<Expense> {
    const row = await deps.queries.expenseById(id);
    if (row === null) throw notFound('Expense');
    return row;
  }
  return [
    route({
      method: 'GET',
      path: '/financial/expenses/{expense_id}',
      tag,
      summary: 'An expense',
      access: { ...ofExpense, right: 'read_finance' },
      params: expenseParams,
      answers: { 200: { schema: expenseAnswer } },
      async handle(request) {
        const row = await visibleExpense(request.params.expense_id);
        return { answer: { status: 200, body: expenseAnswerOf(row), rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/financial/expenses/{expense_id}',
      tag,
      summary: 'Correct an expense; old and new values stay in the log',
      access: { ...ofExpense, right: 'manage' },
      params: expenseParams,
      body: expenseUpdate,
      answers: { 200: { schema: expenseAnswer } },
      async handle(request) {
        const current = await visibleExpense(request.params.expense_id);
        requireMatch(request, current);
        const changed = await changeExpense(deps, signedIn(request), current, {
          input: request.body,
          sentDate: request.rawBody['expense_date'],
          language: request.language,
        });
        const { row } = changed.answer;
        return { ...changed, answer: { status: 200, body: toAnswer(changed.answer), rev: row.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/financial/expenses/{expense_id}',
      tag,
      summary: 'Delete an expense; its values stay in the log',
      access: { ...ofExpense, right: 'manage' },
      params: expenseParams,
      answers: { 204: null },
      async handle(request) {
        const current = await visibleExpense(request.params.expense_id);
        requireMatch(request, current);
        const gone = await deleteExpense(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

function analysisRoutes(deps: FinanceRoutesDeps): Route[] {
  async function stateOf(ref: string): Promise<BatchState> {
    const { id } = await requireBatch(deps, ref);
    const state = (await deps.batches.byIds([id])).get(id);
    if (state === undefined) throw notFound('Batch');
    return state;
  }
  return [
    route({
      method: 'GET',
      path: '/financial/cost-per-kg/{batch_id}',
      tag,
      summary: 'What a kilogram of this batch has cost so far',
      access: readBatch,
      params: batchParams,
      answers: { 200: { schema: costPerKgAnswer } },
      async handle(request) {
        const spent = await batchMoneyOf(deps, await stateOf(request.params.batch_id));
        return { answer: { status: 200, body: costPerKgAnswerOf(spent) } };
      },
    }),
    route({
      method: 'GET',
      path: '/financial/profitability/{batch_id}',
      tag,
      summary: 'What selling the batch at a price would leave',
      access: readBatch,
      params: batchParams,
      query: profitabilityQuery,
      answers: { 200: { schema: profitabilityAnswer } },
      async handle(request) {
        const spent = await batchMoneyOf(deps, await stateOf(request.params.batch_id));
        const body = profitabilityAnswerOf(spent, request.query.selling_price_per_kg);
        return { answer: { status: 200, body } };
      },
    }),
    route({
      method: 'GET',
      path: '/financial/optimal-harvest/{batch_id}',
      tag,
      summary: 'Whether the batch earns by staying another day',
      access: readBatch,
      params: batchParams,
      query: optimalHarvestQuery,
      refusals: [409],
      answers: { 200: { schema: optimalHarvestAnswer } },
      async handle(request) {
        const { market_price_per_kg: pricePerKg, daily_operational_cost: dailyCost } = request.query;
        const { id } = await requireBatch(deps, request.params.batch_id);
        const history = await deps.batches.historyOf(id);
        if (history === null) throw notFound('Batch');
        const body = await optimalHarvest(
          deps,
          history,
          { pricePerKg, dailyCost: dailyCost ?? null },
          request.language,
        );
        return { answer: { status: 200, body } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/energy',
      tag,
      summary: 'Electricity of the aerators per day and pond, by what their control points reported',
      access: { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404, right: 'read_finance' },
      params: z.object({ farm_id: idInput }),
      query: energyQuery,
      answers: { 200: { schema: energyAnswer } },
      async handle(request) {
        return { answer: { status: 200, body: await energyOfFarm(deps, onFarm(request), request.query) } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/energy/meters',
      tag,
      summary:
        'Electricity by the meters that people read at each shift, beside what the aerators must have drawn',
      access: { who: 'farm', of: 'farm', at: 'params', field: 'farm_id', others: 404, right: 'read_finance' },
      params: z.object({ farm_id: idInput }),
      query: meterUseQuery,
      answers: { 200: { schema: meterUseAnswer } },
      async handle(request) {
        return { answer: { status: 200, body: await meterUseOfFarm(deps, onFarm(request), request.query) } };
      },
    }),
  ];
}

async function* answersOf(rows: AsyncIterable<Expense>): AsyncIterable<ExpenseAnswer> {
  for await (const row of rows) yield expenseAnswerOf(row);
}

function toAnswer(made: { row: RowOf<typeof expense>; warnings: ExpenseWarning[] }): ExpenseAnswer {
  const { row, warnings } = made;
  return { ...expenseAnswerOf(row), ...(warnings.length === 0 ? {} : { warnings }) };
}
