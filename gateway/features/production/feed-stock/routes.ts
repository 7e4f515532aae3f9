import * as z from 'zod';
import { idInput } from '#contract/fields.ts';
import type { RowOf } from '#contract/resource.ts';
import {
  feedStockAnswer,
  type feedStockEntry,
  type StockEntryAnswer,
  stockEntriesQuery,
  stockEntryAnswer,
  stockEntryCreate,
  stockEntryUpdate,
} from '#contract/resources/feed-stock.ts';
import { seesPriceOfFeed } from '#contract/rights.ts';
import { journalAnswer } from '#core/audit.ts';
import { notFound } from '#core/errors.ts';
import { onFarm, requireMatch, signedIn } from '#core/request-checks.ts';
import { kilograms, money } from '#core/rounding.ts';
import { type FarmAccess, type Route, route } from '#core/route.ts';
import type { Stock, StockLot } from '../feed-stock.ts';
import type { FeedStockDeps, FeedStockEntry } from './ports.ts';
import { readStock, stockAnswer } from './read-stock.ts';
import { changeEntry, deleteEntry, requireFarm, writeEntry } from './write-entry.ts';

const tag = 'Feed stock';
const farmParams = z.object({ farm_id: idInput });
const entryParams = z.object({ entry_id: idInput });
const at = { who: 'farm', at: 'params', others: 404 } as const;
const atFarm = { ...at, of: 'farm', field: 'farm_id' } as const;
const atEntry = { ...at, of: 'feed_stock', field: 'entry_id' } as const;

type Row = RowOf<typeof feedStockEntry>;

/** Deliveries and counts of feed, and what is left of it. */
export function feedStockRoutes(deps: FeedStockDeps): Route[] {
  return [...farmRoutes(deps), ...entryRoutes(deps)];
}

function farmRoutes(deps: FeedStockDeps): Route[] {
  return [
    route({
      method: 'GET',
      path: '/farms/{farm_id}/feed-stock',
      tag,
      summary: 'Feed that is left by product and lot, and how long it lasts',
      access: { ...atFarm, right: 'read' },
      params: farmParams,
      answers: { 200: { schema: feedStockAnswer } },
      async handle({ params }) {
        const farm = await requireFarm(deps, params.farm_id);
        return { answer: { status: 200, body: await stockAnswer(deps, farm) } };
      },
    }),
    route({
      method: 'GET',
      path: '/farms/{farm_id}/feed-stock/entries',
      tag,
      summary: 'Deliveries and counts of feed, newest first',
      access: { ...atFarm, right: 'read' },
      params: farmParams,
      query: stockEntriesQuery,
      answers: { 200: { schema: stockEntryAnswer, list: true } },
      async handle(request) {
        const { params, query } = request;
        const farm = await requireFarm(deps, params.farm_id);
        const answerOfRow = answers(await readStock(deps, farm));
        const answer = (row: Row) => shownTo(onFarm(request), answerOfRow(row));
        const of = { id: farm.id, kind: query.kind ?? null };
        const page = await journalAnswer(query, {
          count: () => deps.queries.countEntries(of),
          rows: (span) => mapped(deps.queries.entriesPage(of, span), answer),
        });
        return { answer: page };
      },
    }),
    route({
      method: 'POST',
      path: '/farms/{farm_id}/feed-stock/entries',
      tag,
      summary: 'Record a delivery of feed, or what was counted',
      access: { ...atFarm, right: 'record' },
      invalid: 422,
      params: farmParams,
      body: stockEntryCreate,
      answers: { 201: { schema: stockEntryAnswer } },
      idempotent: true,
      async handle(request) {
        const sent = { input: request.body, sentDate: request.rawBody['happened_at'] };
        const made = await writeEntry(deps, signedIn(request), request.params.farm_id, sent);
        return { ...made, answer: { status: 201, body: await answerWith(deps, made.answer), rev: 1 } };
      },
    }),
  ];
}

function entryRoutes(deps: FeedStockDeps): Route[] {
  async function seenEntry(id: string): Promise<FeedStockEntry> {
    const entry = await deps.queries.entryById(id);
    if (entry === null) throw notFound('Entry of feed stock');
    return entry;
  }
  const own = { ...atEntry, right: 'manage', recorder: 'record' } as const;
  return [
    route({
      method: 'GET',
      path: '/feed-stock/{entry_id}',
      tag,
      summary: 'A delivery or count of feed',
      access: { ...atEntry, right: 'read' },
      params: entryParams,
      answers: { 200: { schema: stockEntryAnswer } },
      async handle(request) {
        const row = await seenEntry(request.params.entry_id);
        const body = shownTo(onFarm(request), await answerWith(deps, row));
        return { answer: { status: 200, body, rev: row.rev } };
      },
    }),
    route({
      method: 'PUT',
      path: '/feed-stock/{entry_id}',
      tag,
      summary: 'Correct a delivery or count; old and new values stay in the log',
      access: own,
      params: entryParams,
      body: stockEntryUpdate,
      answers: { 200: { schema: stockEntryAnswer } },
      async handle(request) {
        const current = await seenEntry(request.params.entry_id);
        requireMatch(request, current);
        const sent = { input: request.body, sentDate: request.rawBody['happened_at'] };
        const changed = await changeEntry(deps, signedIn(request), current, sent);
        const body = await answerWith(deps, changed.answer);
        return { ...changed, answer: { status: 200, body, rev: changed.answer.rev } };
      },
    }),
    route({
      method: 'DELETE',
      path: '/feed-stock/{entry_id}',
      tag,
      summary: 'Delete a delivery or count; its values stay in the log',
      access: own,
      params: entryParams,
      answers: { 204: null },
      async handle(request) {
        const current = await seenEntry(request.params.entry_id);
        requireMatch(request, current);
        const gone = await deleteEntry(deps, signedIn(request), current);
        return { ...gone, answer: { status: 204 } };
      },
    }),
  ];
}

/** All entries of a farm as they are answered to that role, oldest first. */
export async function allEntries(
  deps: Pick<FeedStockDeps, 'now' | 'clockQuality' | 'queries'>,
  by: Pick<FarmAccess, 'farmId' | 'role'>,
): Promise<StockEntryAnswer[]> {
  const farm = await requireFarm(deps, by.farmId);
  const rows = await deps.queries.entriesOf(by.farmId);
  const answer = answers(await readStock(deps, farm));
  return rows.map((row) => shownTo(by, answer(row)));
}

/** Who neither reads the farm's money nor records its feed sees no price of it. */
const shownTo = ({ role }: Pick<FarmAccess, 'role'>, answer: StockEntryAnswer): StockEntryAnswer =>
  seesPriceOfFeed(role) ? answer : { ...answer, price_per_kg: null, total_cost: null };

/** The entry as it stands among the others, though it is not stored yet. */
async function answerWith(deps: FeedStockDeps, row: Row): Promise<StockEntryAnswer> {
  const farm = await requireFarm(deps, row.farm_id);
  return answers(await readStock(deps, farm, row))(row);
}

async function* mapped(
  rows: AsyncIterable<FeedStockEntry>,
  answer: (row: Row) => StockEntryAnswer,
): AsyncIterable<StockEntryAnswer> {
  for await (const row of rows) yield answer(row);
}

function answers(stock: Stock): (row: Row) => StockEntryAnswer {
  const lots = new Map(
    stock.products.flatMap((product) => product.lots.map((lot) => [lot.entryId, lot] as const)),
  );
  return (row) =>
    answerOf(row, {
      lot: row.kind === 'DELIVERY' ? lots.get(row.id) : undefined,
      count: stock.counts.get(row.id),
    });
}

type Found = { lot: StockLot | undefined; count: { expectedG: number; differenceG: number } | undefined };

function answerOf(row: Row, { lot, count }: Found): StockEntryAnswer {
  return {
    id: row.id,
    farm_id: row.farm_id,
    kind: row.kind,
    happened_at: row.happened_at,
    product: row.product,
    lot: row.lot,
    quantity_kg: kilograms(row.quantity_kg),
    bags: row.bags,
    bag_kg: row.bag_kg,
    protein_percent: row.protein_percent,
    pellet_mm: row.pellet_mm,
    price_per_kg: row.price_per_kg === null ? null : money(row.price_per_kg),
    total_cost: row.price_per_kg === null ? null : money(row.price_per_kg * row.quantity_kg),
    supplier: row.supplier,
    expires_on: row.expires_on,
    notes: row.notes,
    left_kg: lot === undefined ? null : kilograms(lot.leftG / 1000),
    expected_kg: count === undefined ? null : kilograms(count.expectedG / 1000),
    difference_kg: count === undefined ? null : kilograms(count.differenceG / 1000),
    created_by: row.created_by,
    clock_quality: row.clock_quality,
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
