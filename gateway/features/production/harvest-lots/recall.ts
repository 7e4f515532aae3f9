import { feedKey } from '#contract/feed-key.ts';
import type { Certainty, RecallAnswer } from '#contract/resources/lot-trace.ts';
import { notFound } from '#core/errors.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { kilograms } from '#core/rounding.ts';
import { localDay } from '#core/zone-clock.ts';
import { batchesThere } from '../batch-in-pond.ts';
import type { StockTake } from '../feed-stock.ts';
import { type Fed, fedLots } from './fed-lots.ts';
import type { TraceDeps, TracedEntry } from './trace-ports.ts';

// From a lot of feed or a product to the batches that had it and the lots that were harvested of them afterwards. What may
// have been given is told, too, apart: a recall that misses a lot is worse than one that asks about one too many.

type Asked = { product_lot?: string | undefined; product?: string | undefined };
type Received = RecallAnswer['batches'][number]['received'][number];
type Reach = Received & { batchId: string };

const isCalled = (name: string | null, asked: string | undefined): boolean =>
  asked === undefined || (name !== null && feedKey(name) === feedKey(asked));

export async function recall(deps: TraceDeps, farmId: string, asked: Asked): Promise<RecallAnswer> {
  const farm = await deps.traces.farmOf(farmId);
  if (farm === null) throw notFound('Farm');
  const feed = await feedReaches(deps, farmId, asked);
  const reaches = [...feed.reaches, ...(await treatmentReaches(deps, farmId, asked))];
  const states = await deps.batches.byIds(reaches.map(({ batchId }) => batchId));
  const batches = [...states.values()].map(({ batch, population }) => ({
    batch_id: batch.id,
    batch_code: batch.batch_code,
    farm_id: batch.farm_id,
    status: batch.status,
    // who works here need not work there
    population: batch.farm_id === farmId ? population : null,
    received: together(reaches.filter(({ batchId }) => batchId === batch.id)),
  }));
  return {
    farm_id: farmId,
    product_lot: asked.product_lot ?? null,
    product: asked.product ?? null,
    deliveries: feed.deliveries,
    batches,
    harvest_lots: await lotsReached(
      deps,
      batches.filter((batch) => batch.farm_id === farmId),
      farm.timezone,
    ),
  };
}

/** Lots of the day on which the batch first had it, or later; the surest word counts. */
async function lotsReached(
  deps: TraceDeps,
  batches: RecallAnswer['batches'],
  timezone: string,
): Promise<RecallAnswer['harvest_lots']> {
  const lots = await deps.queries.lotsOf(batches.map(({ batch_id }) => batch_id));
  const byId = new Map(batches.map((batch) => [batch.batch_id, batch]));
  return lots.flatMap((lot) => {
    const batch = byId.get(lot.batch_id);
    const day = localDay(lot.harvested_at, timezone);
    const before = batch?.received.filter(({ first_at }) => localDay(first_at, timezone) <= day) ?? [];
    const [surest] = before.toSorted((a, b) => RANK[a.certainty] - RANK[b.certainty]);
    if (batch === undefined || surest === undefined) return [];
    return {
      id: lot.id,
      batch_id: lot.batch_id,
      batch_code: batch.batch_code,
      lot_code: lot.lot_code,
      harvested_at: lot.harvested_at,
      weight_kg: kilograms(lot.weight_kg),
      buyer: lot.buyer,
      buyer_tax_id: lot.buyer_tax_id,
      transport_document: lot.transport_document,
      certainty: surest.certainty,
    };
  });
}

const RANK: Readonly<Record<Certainty, number>> = { RECORDED: 0, BY_BOOKS: 1, POSSIBLE: 2 };

async function feedReaches(
  deps: TraceDeps,
  farmId: string,
  asked: Asked,
): Promise<{ reaches: Reach[]; deliveries: RecallAnswer['deliveries'] }> {
  const { stock, entries } = await fedLots(deps, farmId);
  const meant = entries.filter(
    ({ kind, lot, product }) =>
      kind === 'DELIVERY' && isCalled(lot, asked.product_lot) && isCalled(product, asked.product),
  );
  const lots = new Map(stock.products.flatMap((product) => product.lots.map((lot) => [lot.entryId, lot])));
  const left = (id: string): number => lots.get(id)?.leftG ?? 0;
  const named = asked.product_lot === undefined ? await fedByName(deps, farmId, asked) : [];
  return {
    reaches: [...named, ...meant.flatMap((entry) => ofDelivery(entry, stock.takes, left(entry.id) > 0))],
    deliveries: meant.map((entry) => ({
      entry_id: entry.id,
      product: entry.product,
      lot: entry.lot,
      supplier: entry.supplier,
      delivered_at: entry.happened_at,
      quantity_kg: kilograms(entry.quantity_kg),
      left_kg: kilograms(left(entry.id) / 1000),
    })),
  };
}

/** A feed that is asked for by its name was fed where a meal says so. */
async function fedByName(deps: TraceDeps, farmId: string, { product }: Asked): Promise<Reach[]> {
  const fed = await deps.traces.fedOnFarm(farmId, countsUntil(deps));
  return fed
    .filter(({ feed }) => isCalled(feed, product))
    .map(({ batch_id: batchId, feed, kg, first, last }) => ({
      batchId,
      kind: 'FEED',
      certainty: 'RECORDED',
      product: feed,
      lot: null,
      first_at: first,
      last_at: last,
      kg,
    }));
}

/** Who ate of a delivery by the books, and who may have: of the same product while it was there. */
function ofDelivery(entry: TracedEntry, takes: readonly StockTake<Fed>[], isLeft: boolean): Reach[] {
  const own = takes.filter(({ lot }) => lot?.entryId === entry.id);
  const usedUp =
    own
      .map(({ of }) => of.last)
      .toSorted()
      .at(-1) ?? entry.happened_at;
  const possible = takes.filter(
    ({ product, lot, of }) =>
      lot?.entryId !== entry.id &&
      feedKey(product) === feedKey(entry.product) &&
      of.last >= entry.happened_at &&
      (isLeft || of.first <= usedUp),
  );
  const reach =
    (certainty: Certainty) =>
    ({ of, grams }: StockTake<Fed>): Reach => ({
      batchId: of.batchId,
      kind: 'FEED',
      certainty,
      product: entry.product,
      lot: entry.lot,
      first_at: of.first,
      last_at: of.last,
      kg: grams / 1000,
    });
  return [...own.map(reach('BY_BOOKS')), ...possible.map(reach('POSSIBLE'))];
}

/** Batches in the ponds where a product was given; of another lot of it only where nobody wrote down which. */
async function treatmentReaches(deps: TraceDeps, farmId: string, asked: Asked): Promise<Reach[]> {
  const all = (await deps.traces.treatmentsOfFarm(farmId)).filter(({ product }) =>
    isCalled(product, asked.product),
  );
  const meant = all.filter(({ product_lot: lot }) => isCalled(lot, asked.product_lot));
  const products = new Set(meant.map(({ product }) => feedKey(product ?? '')));
  const unsure = all.filter(
    ({ product, product_lot: lot }) =>
      asked.product_lot !== undefined && lot === null && products.has(feedKey(product ?? '')),
  );
  const there = batchesThere({ batches: deps.batches, batchesEverIn: deps.traces.batchesEverIn });
  const reaches: Reach[] = [];
  for (const [records, certainty] of [
    [meant, 'RECORDED'],
    [unsure, 'POSSIBLE'],
  ] as const)
    for (const record of records)
      for (const { id } of await there(record))
        reaches.push({
          batchId: id,
          kind: 'TREATMENT',
          certainty,
          product: record.product ?? '',
          lot: record.product_lot,
          first_at: record.happened_at,
          last_at: record.happened_at,
          kg: null,
        });
  return reaches;
}

/** One line for what is told alike. */
function together(reaches: readonly Reach[]): Received[] {
  const lines = new Map<string, Received>();
  for (const { batchId: _batchId, ...each } of reaches) {
    const key = JSON.stringify([each.kind, each.certainty, feedKey(each.product), each.lot]);
    const known = lines.get(key);
    lines.set(
      key,
      known === undefined
        ? each
        : {
            ...known,
            first_at: each.first_at < known.first_at ? each.first_at : known.first_at,
            last_at: each.last_at > known.last_at ? each.last_at : known.last_at,
            kg: each.kg === null ? known.kg : (known.kg ?? 0) + each.kg,
          },
    );
  }
  return [...lines.values()]
    .map((line) => ({ ...line, kg: kilograms(line.kg) }))
    .toSorted((a, b) => RANK[a.certainty] - RANK[b.certainty] || (a.first_at < b.first_at ? -1 : 1));
}
