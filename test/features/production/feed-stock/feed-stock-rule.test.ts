import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feedKey } from '#contract/feed-key.ts';
import {
  dailyUseG,
  daysLeft,
  expiredFor,
  type Stock,
  type StockEntry,
  type StockMeal,
  stockOf,
} from '#features/production/feed-stock.ts';

// What is left of the feed of a farm: by what came, what was fed and what was counted, and by nothing else.

const at = (day: number, hour = 12) => new Date(Date.UTC(2026, 1, day, hour)).toISOString();
let made = 0;
const entry = (
  fields: Partial<StockEntry> & Pick<StockEntry, 'quantity_kg' | 'happened_at'>,
): StockEntry => ({
  id: `e${String((made += 1)).padStart(6, '0')}`,
  kind: 'DELIVERY',
  product: 'Ração 35',
  lot: null,
  expires_on: null,
  ...fields,
});
const meal = (when: string, kg: number, feed = 'Ração 35'): StockMeal => ({
  at: when,
  feed,
  kg,
  isRecent: false,
  of: null,
});
const left = (stock: Stock) =>
  Object.fromEntries(stock.products.map(({ name, leftG }) => [name, leftG / 1000]));
const lots = (stock: Stock) =>
  stock.products.flatMap((product) => product.lots.map(({ lot, leftG }) => [lot, leftG / 1000]));

describe('the stock of feed', () => {
  test('is what came less what was fed, oldest delivery first', () => {
    const stock = stockOf(
      [
        entry({ happened_at: at(1), quantity_kg: 500, lot: 'A' }),
        entry({ happened_at: at(3), quantity_kg: 500, lot: 'B' }),
      ],
      [meal(at(2), 100), meal(at(4), 450)],
    );
    expect(lots(stock)).toEqual([
      ['A', 0],
      ['B', 450],
    ]);
  });

  test('takes a feed of another name of whatever is oldest, and knows a feed without its capitals and accents', () => {
    const entries = [
      entry({ happened_at: at(1), quantity_kg: 100, product: 'Ração 35' }),
      entry({ happened_at: at(2), quantity_kg: 100, product: 'Ração 40' }),
    ];
    expect(left(stockOf(entries, [meal(at(3), 30, 'racao  40')]))).toEqual({
      'Ração 35': 100,
      'Ração 40': 70,
    });
    expect(left(stockOf(entries, [meal(at(3), 130, 'camarão')]))).toEqual({ 'Ração 35': 0, 'Ração 40': 70 });
  });

  test('begins with the first entry: what was fed before took what nobody had entered', () => {
    const stock = stockOf(
      [entry({ happened_at: at(5), quantity_kg: 100 })],
      [meal(at(4), 90), meal(at(6), 10)],
    );
    expect(left(stock)).toEqual({ 'Ração 35': 90 });
  });

  test('falls below nothing where more was fed than was there, and the next delivery settles that', () => {
    const first = entry({ happened_at: at(1), quantity_kg: 20 });
    const meals = [meal(at(2), 50)];
    expect(left(stockOf([first], meals))).toEqual({ 'Ração 35': -30 });
    const second = entry({ happened_at: at(3), quantity_kg: 100 });
    expect(left(stockOf([first, second], meals))).toEqual({ 'Ração 35': 70 });
  });

  test('is put right by a count, which tells the difference', () => {
    const count = entry({ kind: 'COUNT', happened_at: at(4), quantity_kg: 480 });
    const stock = stockOf(
      [
        entry({ happened_at: at(1), quantity_kg: 300, lot: 'A' }),
        entry({ happened_at: at(2), quantity_kg: 300, lot: 'B' }),
        count,
      ],
      [meal(at(3), 90)],
    );
    expect(stock.counts.get(count.id)).toEqual({ expectedG: 510_000, differenceG: -30_000 });
    expect(lots(stock)).toEqual([
      ['A', 180],
      ['B', 300],
    ]);
  });

  test('of one lot is put right by a count of that lot alone', () => {
    const stock = stockOf(
      [
        entry({ happened_at: at(1), quantity_kg: 300, lot: 'A' }),
        entry({ happened_at: at(2), quantity_kg: 300, lot: 'B' }),
        entry({ kind: 'COUNT', happened_at: at(4), quantity_kg: 310, lot: 'b' }),
      ],
      [],
    );
    expect(lots(stock)).toEqual([
      ['A', 300],
      ['B', 310],
    ]);
  });

  test('may begin with a count', () => {
    expect(
      left(stockOf([entry({ kind: 'COUNT', happened_at: at(1), quantity_kg: 75 })], [meal(at(2), 5)])),
    ).toEqual({ 'Ração 35': 70 });
  });

  test('lasts as long as it is fed like in the last days; of a stock of two days these count', () => {
    const now = Date.parse(at(10));
    expect(dailyUseG({ recentG: 70_000, since: at(1) }, now)).toBe(10_000);
    expect(dailyUseG({ recentG: 70_000, since: at(8) }, now)).toBe(35_000);
    expect(daysLeft(100_000, 10_000)).toBe(10);
    expect(daysLeft(-5_000, 10_000)).toBe(0);
    expect(daysLeft(100_000, 0)).toBe(null);
  });

  test('names the expired lots that a meal would be taken of, and no other ones', () => {
    const stock = stockOf(
      [
        entry({ happened_at: at(1), quantity_kg: 50, lot: 'A', expires_on: '2026-02-09' }),
        entry({ happened_at: at(2), quantity_kg: 50, lot: 'B', expires_on: '2026-02-10' }),
        entry({ happened_at: at(3), quantity_kg: 50, lot: 'C', expires_on: '2026-02-01' }),
      ],
      [],
    );
    const named = (kg: number, day: string) =>
      expiredFor(stock, { feed: 'ração 35', kg, day }).map(({ lot }) => lot);
    expect(named(10, '2026-02-10')).toEqual(['A']);
    expect(named(60, '2026-02-10')).toEqual(['A']);
    expect(named(120, '2026-02-10')).toEqual(['A', 'C']);
    expect(named(120, '2026-02-11')).toEqual(['A', 'B', 'C']);
  });
});

// The same as laws, of any farm.

const FEEDS = ['Ração 35', 'ração 40', 'RACAO 35', 'outra'] as const;
const hour = fc.integer({ min: 0, max: 60 }).map((n) => new Date(Date.UTC(2026, 1, 1, n)).toISOString());
const kg = fc.integer({ min: 0, max: 200_000 }).map((grams) => grams / 1000);
const anEntry: fc.Arbitrary<StockEntry> = fc.record({
  id: fc.uuid(),
  kind: fc.constantFrom('DELIVERY', 'DELIVERY', 'COUNT'),
  happened_at: hour,
  product: fc.constantFrom('Ração 35', 'racao 35', 'Ração 40'),
  lot: fc.constantFrom(null, 'A', 'b', 'B'),
  quantity_kg: kg,
  expires_on: fc.constant(null),
});
const aMeal: fc.Arbitrary<StockMeal<string>> = fc.record({
  at: hour,
  feed: fc.constantFrom(...FEEDS),
  kg,
  isRecent: fc.constant(false),
  of: fc.uuid(),
});
const farm = fc.record({
  entries: fc.uniqueArray(anEntry, { selector: ({ id }) => id, maxLength: 12 }),
  meals: fc.array(aMeal, { maxLength: 25 }),
});
const figures = (stock: Stock) => ({
  products: stock.products.map(({ lots: all, ...product }) => ({
    ...product,
    lots: all.map(({ entryId, leftG }) => [entryId, leftG]),
  })),
  counts: [...stock.counts].toSorted(([a], [b]) => a.localeCompare(b)),
});

describe('of any farm', () => {
  test('what came and was corrected, less what was fed, is what is left', () => {
    fc.assert(
      fc.property(farm, ({ entries, meals }) => {
        const stock = stockOf(entries, meals);
        for (const product of stock.products) {
          expect(product.receivedG + product.correctedG - product.usedG).toBe(product.leftG);
          for (const { leftG } of product.lots) expect(leftG).toBeGreaterThanOrEqual(0);
        }
        const received = entries
          .filter(({ kind }) => kind === 'DELIVERY')
          .reduce((sum, { quantity_kg }) => sum + Math.round(quantity_kg * 1000), 0);
        expect(stock.products.reduce((sum, { receivedG }) => sum + receivedG, 0)).toBe(received);
        const used = stock.takes.reduce((sum, { grams }) => sum + grams, 0);
        expect(stock.products.reduce((sum, { usedG }) => sum + usedG, 0)).toBe(used);
        const corrected = [...stock.counts.values()].reduce((sum, { differenceG }) => sum + differenceG, 0);
        expect(stock.products.reduce((sum, { correctedG }) => sum + correctedG, 0)).toBe(corrected);
      }),
    );
  });

  test('each meal since the first entry of its feed is used up whole, and no other one', () => {
    fc.assert(
      fc.property(farm, ({ entries, meals }) => {
        const { takes } = stockOf(entries, meals);
        const firstOf = (feed: string | null) =>
          entries
            .filter(({ product }) => feed === null || feedKey(product) === feed)
            .map(({ happened_at }) => happened_at)
            .toSorted()[0];
        const taken = new Map<string, number>();
        for (const { of, grams } of takes) taken.set(of, (taken.get(of) ?? 0) + grams);
        for (const { of, feed, at: when, kg: fed } of meals) {
          const first = firstOf(feedKey(feed)) ?? firstOf(null);
          expect(taken.get(of) ?? 0).toBe(first !== undefined && first <= when ? Math.round(fed * 1000) : 0);
        }
      }),
    );
  });

  test('in which order all of it was entered changes nothing', () => {
    const shuffled = farm.chain((one) =>
      fc.record({
        one: fc.constant(one),
        entries: fc.shuffledSubarray(one.entries, { minLength: one.entries.length }),
        meals: fc.shuffledSubarray(one.meals, { minLength: one.meals.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ one, entries, meals }) => {
        expect(figures(stockOf(entries, meals))).toEqual(figures(stockOf(one.entries, one.meals)));
      }),
    );
  });

  test('a count that agrees with the books changes nothing that is left', () => {
    fc.assert(
      fc.property(farm, ({ entries, meals }) => {
        const before = stockOf(entries, meals);
        const [product] = before.products;
        fc.pre(product !== undefined && product.leftG >= 0);
        const count = entry({
          kind: 'COUNT',
          happened_at: at(28),
          product: product?.name ?? '',
          quantity_kg: (product?.leftG ?? 0) / 1000,
        });
        const after = stockOf([...entries, count], meals);
        expect(after.counts.get(count.id)?.differenceG).toBe(0);
        const leftOf = (stock: Stock) => stock.products.map(({ leftG }) => leftG);
        expect(leftOf(after)).toEqual(leftOf(before));
      }),
    );
  });

  test('meals that are told together, from one entry to the next, leave the same as each by itself', () => {
    fc.assert(
      fc.property(farm, ({ entries, meals }) => {
        const instants = entries.map(({ happened_at }) => happened_at).toSorted();
        const together = new Map<string, StockMeal<string>>();
        for (const each of meals) {
          const since = instants.findLast((instant) => instant <= each.at);
          if (since === undefined) continue;
          const key = `${since} ${each.feed}`;
          together.set(key, { ...each, at: since, kg: (together.get(key)?.kg ?? 0) + each.kg });
        }
        expect(figures(stockOf(entries, [...together.values()]))).toEqual(figures(stockOf(entries, meals)));
      }),
    );
  });
});
