import { gapsIn } from './water-span.ts';

// The oxygen of a day as a line of a few centimetres: quarters of an hour with their lowest and highest reading, so that a
// dip of ten minutes in the night is seen whatever a probe wrote before and after. Pure.

export type Quarter = { at: number; low: number; high: number };
export type OxygenLine = {
  /** Oldest first. */
  quarters: readonly Quarter[];
  /** `isExact`: a reading itself; else it is the average of a few minutes. */
  last: { at: number; value: number; isExact: boolean } | null;
};

export const DAY_MS = 86_400_000;
const QUARTER_MS = 15 * 60_000;
const quarterOf = (at: number): number => Math.floor(at / QUARTER_MS);

/** From stretches of at most a quarter of an hour, in any order. */
export function lineOf(stretches: readonly (Quarter & { average: number })[]): OxygenLine {
  const last = stretches.reduce<OxygenLine['last']>(
    (newest, { at, average, low, high }) =>
      newest === null || at >= newest.at ? { at, value: average, isExact: low === high } : newest,
    null,
  );
  return { quarters: merged(stretches), last };
}

/** With one reading more. */
export function withReading({ quarters, last }: OxygenLine, at: number, value: number): OxygenLine {
  return {
    quarters: merged([...quarters, { at, low: value, high: value }]).filter(
      (quarter) => quarter.at > at - DAY_MS - QUARTER_MS,
    ),
    last: last === null || at >= last.at ? { at, value, isExact: true } : last,
  };
}

function merged(quarters: readonly Quarter[]): Quarter[] {
  const byQuarter = new Map<number, Quarter>();
  for (const { at, low, high } of quarters) {
    const known = byQuarter.get(quarterOf(at));
    byQuarter.set(quarterOf(at), {
      at: Math.min(at, known?.at ?? at),
      low: Math.min(low, known?.low ?? low),
      high: Math.max(high, known?.high ?? high),
    });
  }
  return [...byQuarter.values()].sort((a, b) => a.at - b.at);
}

/** Pieces to be drawn, each without a break, through every lowest and highest figure. */
export function piecesOf(quarters: readonly Quarter[]): { at: number; value: number }[][] {
  const breaks = new Set(gapsIn(quarters.map(({ at }) => at)));
  const pieces: { at: number; value: number }[][] = [];
  quarters.forEach(({ at, low, high }, index) => {
    if (index === 0 || breaks.has(index)) pieces.push([]);
    const piece = pieces.at(-1) ?? [];
    const before = piece.at(-1)?.value ?? low;
    const isLowNearer = Math.abs(before - low) <= Math.abs(before - high);
    const values = low === high ? [low] : isLowNearer ? [low, high] : [high, low];
    piece.push(...values.map((value) => ({ at, value })));
  });
  return pieces;
}
