// What single weights of a sample tell of the sizes that swim there. Pure.

/** Bounds of the classes of the trade, in animals per kilogram, from the largest animals on. */
const BOUNDS = [20, 30, 40, 50, 60, 70, 80, 100, 120, 150, 200] as const;

/** More of them the interface does not take. */
export const MOST_WEIGHTS = 10_000;

export type SizeClass = {
  /** Animals per kilogram; null: no bound on that side. */
  from: number | null;
  to: number | null;
  animals: number;
  /** Of all animals, per cent. */
  share: number;
  /** Of the weight of all, per cent. */
  weightShare: number;
};

/** A bare `,` belongs to a figure: weights stand on lines of their own, or with blanks or semicolons between them. */
export const weightTexts = (text: string): readonly string[] => text.split(/[\s;]+/).filter(Boolean);

export function sizeClasses(weights: readonly number[]): readonly SizeClass[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return [];
  const classes = [null, ...BOUNDS].map((from, index): SizeClass => {
    const to = BOUNDS[index] ?? null;
    const within = weights.filter((weight) => {
      const perKg = 1_000 / weight;
      return perKg > (from ?? 0) && perKg <= (to ?? Number.POSITIVE_INFINITY);
    });
    const sum = within.reduce((kg, weight) => kg + weight, 0);
    return {
      from,
      to,
      animals: within.length,
      share: (100 * within.length) / weights.length,
      weightShare: (100 * sum) / total,
    };
  });
  // those without an animal between two that have one stay: a gap is worth seeing
  const first = classes.findIndex(({ animals }) => animals > 0);
  const last = classes.findLastIndex(({ animals }) => animals > 0);
  return classes.slice(first, last + 1);
}

export type Spread = { mean: number; perKg: number; cv: number | null; least: number; most: number };

export function spreadOf(weights: readonly number[]): Spread | null {
  if (weights.length === 0) return null;
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const squares = weights.reduce((sum, weight) => sum + (weight - mean) ** 2, 0);
  return {
    mean,
    perKg: 1_000 / mean,
    cv: weights.length < 2 ? null : (100 * Math.sqrt(squares / (weights.length - 1))) / mean,
    least: Math.min(...weights),
    most: Math.max(...weights),
  };
}
