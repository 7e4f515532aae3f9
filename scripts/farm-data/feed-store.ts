import { feedStockEntry } from '#contract/resources/feed-stock.ts';
import type { Deps } from './batch-life.ts';
import { createChance } from './chance.ts';
import { at, iso, UNTOUCHED } from './grown.ts';
import { recorderOf } from './places.ts';

const BAG_KG = 25;
/** A lorry comes when a feed lasts fewer days than that, and brings it for so many. */
const ORDERED_AT_DAYS = 6;
const BROUGHT_FOR_DAYS = 18;
const COUNTED_EVERY_DAYS = 30;
const LASTS_DAYS = 120;

/** What is fed of each feed today, kg, and what the store holds of it. */
export type FeedStore = { left: Map<string, number>; today: Map<string, number> };

export const emptyStore = (): FeedStore => ({ left: new Map(), today: new Map() });

/**
 * Deliveries of what the animals eat, before it runs out, and a count each month; by dice of its own, so that the rest of
 * the farm stays.
 */
export function keepStore({ emit, places, day }: Deps, store: FeedStore): void {
  const chance = createChance(day * 1_000 + 777);
  const write = (hour: number, fields: { product: string; quantity_kg: number; bags: number | null }) => {
    const unixMs = at(day, hour, chance.whole(0, 30));
    const isDelivery = fields.bags !== null;
    emit(feedStockEntry, {
      ...UNTOUCHED,
      id: chance.uuid(unixMs),
      farm_id: places.farmId,
      kind: isDelivery ? 'DELIVERY' : 'COUNT',
      happened_at: iso(unixMs),
      lot: isDelivery ? `R${day}-${chance.whole(10, 99)}` : null,
      bag_kg: isDelivery ? BAG_KG : null,
      protein_percent: isDelivery ? Number(/(\d\d) %/.exec(fields.product)?.[1] ?? 35) : null,
      pellet_mm: null,
      price_per_kg: null,
      supplier: isDelivery ? 'Rações do Vale' : null,
      expires_on: isDelivery ? iso((day + LASTS_DAYS) * 86_400_000).slice(0, 10) : null,
      notes: isDelivery ? null : 'Contagem do mês',
      created_by: recorderOf(places),
      created_at: iso(unixMs),
      ...fields,
    });
  };
  for (const [product, kg] of store.today) {
    const left = store.left.get(product) ?? 0;
    const bags = left < ORDERED_AT_DAYS * kg ? Math.ceil((BROUGHT_FOR_DAYS * kg) / BAG_KG) : 0;
    // before the first meal, so that there is something to feed
    if (bags > 0) write(4, { product, bags, quantity_kg: bags * BAG_KG });
    store.left.set(product, left + bags * BAG_KG - kg);
  }
  if (day % COUNTED_EVERY_DAYS === 0)
    for (const [product, left] of store.left) {
      const quantity_kg = Math.round(Math.max(0, left) * chance.normal(0.995, 0.004));
      write(23, { product, quantity_kg, bags: null });
      store.left.set(product, quantity_kg);
    }
  store.today.clear();
}
