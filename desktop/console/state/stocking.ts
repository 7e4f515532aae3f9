// A stocking judged before it is saved. Pure.

export type StockingFacts = {
  pondType: 'NURSERY' | 'FATTENING' | null;
  isOccupied: boolean;
  density: number | null;
  weightG: number | null;
  survivalPercent: number | null;
  /** Days from stocking to the expected harvest; null: no harvest expected. */
  days: number | null;
};

export type StockingDoubt = 'occupied' | 'dense' | 'heavy' | 'survival' | 'short' | 'long';

/** Post-larvae weigh milligrams, juveniles up to some grams; denser than this nobody stocks without meaning it. */
const DENSE = { NURSERY: 3_000, FATTENING: 150 } as const;
const HEAVY_G = 5;
const DAYS = { NURSERY: [15, 60], FATTENING: [45, 180] } as const;

/** What is unlikely, to be looked at once more; nothing of it forbids. */
export function doubtsOf(facts: StockingFacts): StockingDoubt[] {
  const { pondType, isOccupied, density, weightG, survivalPercent, days } = facts;
  const kind = pondType ?? 'FATTENING';
  const [shortest, longest] = DAYS[kind];
  const doubts: (StockingDoubt | false)[] = [
    isOccupied && 'occupied',
    density !== null && density > DENSE[kind] && 'dense',
    weightG !== null && weightG > HEAVY_G && 'heavy',
    survivalPercent !== null && (survivalPercent < 40 || survivalPercent > 98) && 'survival',
    days !== null && days < shortest && 'short',
    days !== null && days > longest && 'long',
  ];
  return doubts.filter((doubt) => doubt !== false);
}

/** Code of a new batch: pond, year and month; a letter more when that one is taken. */
export function proposedCode(cod: string, day: string, taken: ReadonlySet<string>): string {
  const base = `${cod}-${day.slice(2, 4)}${day.slice(5, 7)}`;
  if (!taken.has(base)) return base;
  for (let letter = 98; letter <= 122; letter += 1) {
    const code = `${base}${String.fromCharCode(letter)}`;
    if (!taken.has(code)) return code;
  }
  return `${base}-${taken.size + 1}`;
}

/** Shrimp per square metre, to a tenth; null: the area is not known. */
export const densityOf = (count: number | null, areaM2: number | null): number | null =>
  count === null || areaM2 === null || areaM2 <= 0 ? null : Math.round((count / areaM2) * 10) / 10;

/** Whole days between two days (YYYY-MM-DD). */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T12:00:00Z`) - Date.parse(`${from}T12:00:00Z`)) / 86_400_000);
