import { feedKey } from '#contract/feed-key.ts';
import type { StockKind } from '#contract/resources/feed-stock.ts';

// How much feed a farm has left: reckoned anew from what was entered, never kept as a number, so that no order of entry
// changes it and a correction is as if it had been entered right at first. The rule:
// - Deliveries, counts and meals are taken in the order of their time; of one instant deliveries, counts, meals.
// - A meal whose feed is called as a product of the stock is taken of that product. Any other is taken of whatever there
//   is; between two entries of the stock, after those that name a product.
// - The oldest delivery is used up first.
// - What was fed beyond all that was there is missing of the product (of one that names none: of the product of the
//   newest entry); its next delivery settles that first.
// - A count of a product, or of one lot of it, puts right: too much in the books goes from the oldest delivery, too
//   little comes to the newest one; what was missing of the product is done with.
// - A meal before the first entry of its product (of one that names none: of the farm) took what nobody had entered.
// Always: received + corrected - used = left, of each product and of the farm.

export type StockEntry = {
  id: string;
  kind: StockKind;
  happened_at: string;
  product: string;
  lot: string | null;
  quantity_kg: number;
  /** Last day of use on the farm. */
  expires_on: string | null;
};

/** One meal, or those between two entries together, at the instant of the earlier entry. */
export type StockMeal<Of = unknown> = {
  at: string;
  feed: string;
  kg: number;
  /** Of the days that the rate of use is reckoned from. */
  isRecent: boolean;
  of: Of;
};

/** Amounts are whole grams: sums of them are exact. */
export type StockLot = {
  /** Of the delivery, or of the count that found what nobody had entered. */
  entryId: string;
  product: string;
  lot: string | null;
  since: string;
  expiresOn: string | null;
  leftG: number;
};

export type StockProduct = {
  /** As the newest entry spells it. */
  name: string;
  since: string;
  receivedG: number;
  correctedG: number;
  usedG: number;
  recentG: number;
  /** Below zero: more was fed than is known to have been there. */
  leftG: number;
  lots: StockLot[];
  newestEntryId: string;
};

/** Part of a meal; `lot` null: nobody knows of which. */
export type StockTake<Of> = { of: Of; product: string; lot: StockLot | null; grams: number };

export type Stock<Of = unknown> = {
  products: StockProduct[];
  /** Of each count: what should have been there, and how much more there was. */
  counts: ReadonlyMap<string, { expectedG: number; differenceG: number }>;
  takes: StockTake<Of>[];
};

type Debt<Of> = { take: StockTake<Of>; grams: number };
type Book<Of> = Omit<StockProduct, 'leftG'> & { debts: Debt<Of>[] };

export const gramsOf = (kg: number): number => Math.round(kg * 1000);

const RANK: Readonly<Record<StockKind, number>> = { DELIVERY: 0, COUNT: 1 };
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The stock after all of these; in which order they come is the same. */
export function stockOf<Of>(entries: readonly StockEntry[], meals: readonly StockMeal<Of>[]): Stock<Of> {
  const inOrder = entries.toSorted(
    (a, b) => byText(a.happened_at, b.happened_at) || RANK[a.kind] - RANK[b.kind] || byText(a.id, b.id),
  );
  const called = new Set(inOrder.map(({ product }) => feedKey(product)));
  const isNamed = ({ feed }: StockMeal<Of>) => called.has(feedKey(feed));
  const waiting = meals.toSorted((a, b) => byText(a.at, b.at) || Number(a.isRecent) - Number(b.isRecent));
  const keeper = createKeeper<Of>();
  let next = 0;
  for (const [index, entry] of inOrder.entries()) {
    while (index === 0 && (waiting[next]?.at ?? '~') < entry.happened_at) next += 1;
    keeper.enter(entry);
    const end = inOrder[index + 1]?.happened_at ?? '~';
    const from = next;
    while ((waiting[next]?.at ?? '~') < end) next += 1;
    const between = waiting.slice(from, next);
    for (const meal of between) if (isNamed(meal)) keeper.feedNamed(meal);
    for (const meal of between) if (!isNamed(meal)) keeper.feedAny(meal);
  }
  return keeper.stock();
}

function createKeeper<Of>() {
  const books = new Map<string, Book<Of>>();
  const lots: StockLot[] = [];
  const counts = new Map<string, { expectedG: number; differenceG: number }>();
  const takes: StockTake<Of>[] = [];
  let newest: Book<Of> | null = null;

  function bookOf({ id, product, happened_at: since }: StockEntry): Book<Of> {
    const key = feedKey(product);
    const known = books.get(key);
    const empty = { receivedG: 0, correctedG: 0, usedG: 0, recentG: 0, since };
    const book: Book<Of> = known ?? { ...empty, name: product, lots: [], debts: [], newestEntryId: id };
    book.name = product;
    book.newestEntryId = id;
    books.set(key, book);
    newest = book;
    return book;
  }

  function addLot(book: Book<Of>, entry: StockEntry, leftG: number): void {
    const lot = {
      entryId: entry.id,
      product: entry.product,
      lot: entry.lot,
      since: entry.happened_at,
      expiresOn: entry.expires_on,
      leftG,
    };
    book.lots.push(lot);
    lots.push(lot);
  }

  function deliver(book: Book<Of>, entry: StockEntry): void {
    const receivedG = gramsOf(entry.quantity_kg);
    book.receivedG += receivedG;
    addLot(book, entry, receivedG);
    const [lot] = book.lots.slice(-1);
    // what was fed before it came was of it: it had come earlier than is written
    while (lot !== undefined && lot.leftG > 0) {
      const [debt] = book.debts;
      if (debt === undefined) return;
      const grams = Math.min(debt.grams, lot.leftG);
      lot.leftG -= grams;
      debt.grams -= grams;
      debt.take.grams -= grams;
      takes.push({ ...debt.take, lot, grams });
      if (debt.grams === 0) book.debts.shift();
    }
  }

  function count(book: Book<Of>, entry: StockEntry): void {
    const { lot } = entry;
    const counted = book.lots.filter((each) => lot === null || feedKey(each.lot ?? '') === feedKey(lot));
    const inBooksG = sumOf(counted, ({ leftG }) => leftG);
    const missingG = sumOf(book.debts, ({ grams }) => grams);
    const thereG = gramsOf(entry.quantity_kg);
    const [last] = counted.slice(-1);
    if (thereG < inBooksG) useUp(counted, inBooksG - thereG);
    else if (last !== undefined) last.leftG += thereG - inBooksG;
    else if (thereG > 0) addLot(book, entry, thereG);
    book.debts = [];
    const expectedG = inBooksG - missingG;
    book.correctedG += thereG - expectedG;
    counts.set(entry.id, { expectedG, differenceG: thereG - expectedG });
  }

  function feed(meal: StockMeal<Of>, from: readonly StockLot[], ifMissing: Book<Of>): void {
    const grams = gramsOf(meal.kg);
    const useOf = (book: Book<Of>, used: number): void => {
      book.usedG += used;
      if (meal.isRecent) book.recentG += used;
    };
    const left = useUp(from, grams, (lot, used) => {
      useOf(books.get(feedKey(lot.product)) ?? ifMissing, used);
      takes.push({ of: meal.of, product: lot.product, lot, grams: used });
    });
    if (left === 0) return;
    useOf(ifMissing, left);
    const take = { of: meal.of, product: ifMissing.name, lot: null, grams: left };
    takes.push(take);
    ifMissing.debts.push({ take, grams: left });
  }

  return {
    enter(entry: StockEntry): void {
      const book = bookOf(entry);
      if (entry.kind === 'DELIVERY') deliver(book, entry);
      else count(book, entry);
    },
    feedNamed(meal: StockMeal<Of>): void {
      const book = books.get(feedKey(meal.feed));
      if (book !== undefined) feed(meal, book.lots, book);
    },
    feedAny(meal: StockMeal<Of>): void {
      if (newest !== null) feed(meal, lots, newest);
    },
    stock: (): Stock<Of> => ({
      products: [...books.values()]
        .map(({ debts, ...book }) => ({
          ...book,
          leftG: sumOf(book.lots, ({ leftG }) => leftG) - sumOf(debts, ({ grams }) => grams),
        }))
        .toSorted((a, b) => byText(feedKey(a.name), feedKey(b.name))),
      counts,
      takes: takes.filter(({ grams }) => grams > 0),
    }),
  };
}

/** Takes from the first on; answers what there was not. */
function useUp(
  lots: readonly StockLot[],
  grams: number,
  onUse?: (lot: StockLot, grams: number) => void,
): number {
  let wanted = grams;
  for (const lot of lots) {
    if (wanted === 0) return 0;
    const used = Math.min(wanted, lot.leftG);
    if (used === 0) continue;
    lot.leftG -= used;
    wanted -= used;
    onUse?.(lot, used);
  }
  return wanted;
}

const sumOf = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((sum, item) => sum + of(item), 0);

const DAY_MS = 86_400_000;
/** Days that the rate of use is reckoned from. */
export const RATE_DAYS = 7;

/** Grams a day; of less than RATE_DAYS of stock, of the days there were. */
export function dailyUseG({ recentG, since }: Pick<StockProduct, 'recentG' | 'since'>, now: number): number {
  const days = (now - Date.parse(since)) / DAY_MS;
  return recentG / Math.min(RATE_DAYS, Math.max(1, days));
}

/** Days that feed lasts; null: nothing is fed. */
export const daysLeft = (leftG: number, dailyG: number): number | null =>
  dailyG <= 0 ? null : Math.max(0, leftG) / dailyG;

/**
 * Lots a meal would be taken of now.
 *
 * @param day of the farm; only those that had expired before it are answered
 */
export function expiredFor(
  stock: Pick<Stock, 'products'>,
  { feed, kg, day }: { feed: string; kg: number; day: string },
): StockLot[] {
  const named = stock.products.find(({ name }) => feedKey(name) === feedKey(feed));
  const lots = (named === undefined ? stock.products : [named])
    .flatMap(({ lots: all }) => all)
    .toSorted((a, b) => byText(a.since, b.since) || byText(a.entryId, b.entryId));
  const found: StockLot[] = [];
  let wanted = gramsOf(kg);
  for (const lot of lots) {
    if (wanted <= 0) break;
    if (lot.leftG === 0) continue;
    wanted -= lot.leftG;
    if (lot.expiresOn !== null && lot.expiresOn < day) found.push(lot);
  }
  return found;
}
