// Chance that repeats: the same seed gives the same farm, row by row.

export type Chance = {
  /** 0 ≤ x < 1 */
  next: () => number;
  between: (least: number, most: number) => number;
  /** Whole number, both ends included. */
  whole: (least: number, most: number) => number;
  normal: (mean: number, deviation: number) => number;
  happens: (probability: number) => boolean;
  oneOf: <const Items extends readonly [unknown, ...unknown[]]>(items: Items) => Items[number];
  /** UUID v7 of an instant. */
  uuid: (unixMs: number) => string;
};

export function createChance(seed: number): Chance {
  const next = mulberry32(seed);
  const hex = (digits: number) =>
    Math.floor(next() * 16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return {
    next,
    between: (least, most) => least + next() * (most - least),
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    normal(mean, deviation) {
      // Box-Muller; 1 − next() is never 0
      const radius = Math.sqrt(-2 * Math.log(1 - next()));
      return mean + deviation * radius * Math.cos(2 * Math.PI * next());
    },
    happens: (probability) => next() < probability,
    oneOf: (items) => items[Math.floor(next() * items.length)],
    uuid(unixMs) {
      const time = unixMs.toString(16).padStart(12, '0');
      const variant = '89ab'.charAt(Math.floor(next() * 4));
      return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`;
    },
  };
}

/** Mulberry32, Tommy Ettinger's 32-bit generator (public domain). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** For the seed of dice that are a farm's or a batch's own. */
export const idNumber = (id: string): number => Number.parseInt(id.slice(-6), 16);
