import type { FeedStockAnswer } from '#contract/resources/feed-stock.ts';
import { countsUntil } from '#core/facts-of-now.ts';
import { isoOf } from '#core/kernel.ts';
import { kilograms, roundTo } from '#core/rounding.ts';
import { localDay } from '#core/zone-clock.ts';
import {
  dailyUseG,
  daysLeft,
  expiredFor,
  RATE_DAYS,
  type Stock,
  type StockEntry,
  type StockLot,
  type StockProduct,
  stockOf,
} from '../feed-stock.ts';
import type { FeedStockDeps, StockFarm } from './ports.ts';

const DAY_MS = 86_400_000;

type ReadDeps = Pick<FeedStockDeps, 'now' | 'clockQuality' | 'queries'>;

/** The stock by what was entered and fed up to now; `row`: and by an entry that is not stored yet as it is here. */
export async function readStock(
  { queries, ...clock }: ReadDeps,
  farm: StockFarm,
  row: StockEntry | null = null,
): Promise<Stock> {
  const until = countsUntil(clock);
  const recentFrom = isoOf(clock.now() - RATE_DAYS * DAY_MS);
  const [stored, meals] = await Promise.all([
    queries.entriesOf(farm.id),
    queries.mealsBetweenEntries(farm.id, { recentFrom, until, alsoAt: row?.happened_at ?? null }),
  ]);
  const entries = row === null ? stored : [...stored.filter(({ id }) => id !== row.id), row];
  const known = entries.filter(({ happened_at }) => happened_at <= until);
  return stockOf(known, meals);
}

/**
 * Lots that a meal was taken of when it was given and that had expired before that day.
 *
 * @param meal `at`: the instant; `day`: its day on the farm
 */
export async function expiredLots(
  deps: ReadDeps,
  farmId: string,
  meal: { feed: string; kg: number; at: string; day: string },
): Promise<StockLot[]> {
  const all = await deps.queries.entriesOf(farmId);
  const entries = all.filter(({ happened_at }) => happened_at <= meal.at);
  // years of meals are read where there is something to say
  if (!entries.some(({ expires_on: last }) => last !== null && last < meal.day)) return [];
  const recentFrom = meal.at;
  const meals = await deps.queries.mealsBetweenEntries(farmId, { recentFrom, until: meal.at, alsoAt: null });
  return expiredFor(stockOf(entries, meals), meal);
}

/** The stock with how long it lasts, by what is fed and by what the animals will eat. */
export async function stockAnswer(deps: FeedStockDeps, farm: StockFarm): Promise<FeedStockAnswer> {
  const [stock, rationKg, warnDays] = await Promise.all([
    readStock(deps, farm),
    deps.rationKg(farm.id),
    deps.warnDays(farm.id),
  ]);
  const today = localDay(isoOf(deps.now()), farm.timezone);
  const recentG = sumOf(stock.products, (product) => product.recentG);
  const thereG = sumOf(stock.products, ({ leftG }) => Math.max(0, leftG));
  /** Grams of the coming rations; where no meal was written down lately, by what there is of each. */
  const rationOf = ({ recentG: ofIt, leftG }: StockProduct): number => {
    if (recentG > 0) return (rationKg * 1000 * ofIt) / recentG;
    return thereG === 0 ? 0 : (rationKg * 1000 * Math.max(0, leftG)) / thereG;
  };
  const products = stock.products.map((product) => {
    const dailyG = dailyUseG(product, deps.now());
    const byUse = daysLeft(product.leftG, dailyG);
    const byRation = daysLeft(product.leftG, rationOf(product));
    const lasts = least([byUse, byRation]);
    return {
      product: product.name,
      newest_entry_id: product.newestEntryId,
      received_kg: kilograms(product.receivedG / 1000),
      corrected_kg: kilograms(product.correctedG / 1000),
      used_kg: kilograms(product.usedG / 1000),
      left_kg: kilograms(product.leftG / 1000),
      daily_use_kg: kilograms(dailyG / 1000),
      days_left_by_use: tenths(byUse),
      days_left_by_ration: tenths(byRation),
      days_left: tenths(lasts),
      is_low: lasts !== null && lasts < warnDays,
      lots: lotsOf(product, today),
    };
  });
  const leftG = sumOf(stock.products, (product) => product.leftG);
  const dailyG = sumOf(stock.products, (product) => dailyUseG(product, deps.now()));
  return {
    farm_id: farm.id,
    left_kg: kilograms(leftG / 1000),
    daily_use_kg: kilograms(dailyG / 1000),
    coming_ration_kg: kilograms(rationKg),
    days_left: tenths(least([daysLeft(leftG, dailyG), daysLeft(leftG, rationKg * 1000)])),
    warn_days: warnDays,
    products,
  };
}

const lotsOf = ({ lots }: StockProduct, today: string) =>
  lots
    .filter(({ leftG }) => leftG > 0)
    .map(({ entryId, lot, since, expiresOn, leftG }) => ({
      entry_id: entryId,
      lot,
      since,
      expires_on: expiresOn,
      is_expired: expiresOn !== null && expiresOn < today,
      left_kg: kilograms(leftG / 1000),
    }));

/** Rounded down: half a day less is half a day earlier at the dealer's. */
const tenths = (days: number | null): number | null =>
  days === null ? null : roundTo(Math.floor(days * 10) / 10, 1);

const least = (days: readonly (number | null)[]): number | null => {
  const known = days.filter((each) => each !== null);
  return known.length === 0 ? null : Math.min(...known);
};

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);
