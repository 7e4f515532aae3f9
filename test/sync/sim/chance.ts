import { createRandom, seedFor } from '#sim/random.ts';

/** All chance of one simulated world: the same seed gives the same world. */
export type Chance = {
  /** True in that share of draws. */
  of(share: number): boolean;
  /** Whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  pickOrNull<Item>(items: readonly Item[]): Item | null;
  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name;
  hex(digits: number): string;
  uuid(): string;
  unit(): number;
};

export function createChance(seed: number, part: string): Chance {
  const unit = createRandom(seedFor(seed, part));
  const between = (low: number, high: number) => low + Math.floor(unit() * (high - low + 1));
  const hex = (digits: number) => Array.from({ length: digits }, () => between(0, 15).toString(16)).join('');
  return {
    unit,
    of: (share) => unit() < share,
    between,
    // the index lies within the list
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    pickOrNull: (items) => (items.length === 0 ? null : (items[between(0, items.length - 1)] ?? null)),
    weighted(weights) {
      // the keys of a record are its names
      const entries = Object.entries(weights) as [keyof typeof weights, number][];
      let left = unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return entries[0]?.[0] as keyof typeof weights;
    },
    hex,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[between(0, 3)]}${hex(3)}-${hex(12)}`,
  };
}
