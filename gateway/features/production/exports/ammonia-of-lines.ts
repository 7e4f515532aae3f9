import { type AmmoniaOnBoth, ammoniaOnBoth, type Water } from '#science/water-limits.ts';
import type { ExportQueries, Span, WaterLine } from './ports.ts';

// Ammonia is told on both bases wherever it leaves: each measurement with the water beside it, and figures of many from those.

/** Salinity of a pond changes slowly: where none was measured beside ammonia the last one stands in, not older than this. */
const SALINITY_MS = 90 * 86_400_000;

/** Reads the lines of one pond, oldest first; null: a line without ammonia. */
export function createAmmoniaReader(water: Water): (line: WaterLine) => AmmoniaOnBoth | null {
  let last: { salinity: number; atMs: number } | null = null;
  return (line) => {
    const atMs = Date.parse(line.measurement_date);
    if (line.salinity !== null) last = { salinity: line.salinity, atMs };
    if (line.ammonia === null) return null;
    const salinity = last !== null && atMs - last.atMs <= SALINITY_MS ? last.salinity : null;
    return ammoniaOnBoth(water, { ...line, ammonia: line.ammonia, salinity });
  };
}

type Figure = { least: number; mean: number; most: number };
/** null: it could not be worked out for every one of them. `isWorst`: of some the worst plausible stands in. */
export type AmmoniaTotals = { nh3N: Figure; tan: Figure | null; isWorst: boolean } | null;

/** null: ammonia was not measured. */
export async function ammoniaTotals(
  queries: Pick<ExportQueries, 'ammoniaLines'>,
  pondId: string,
  { span, water }: { span: Span; water: Water },
): Promise<AmmoniaTotals> {
  const read = createAmmoniaReader(water);
  const nh3N: number[] = [];
  const tan: number[] = [];
  let isWorst = false;
  for await (const chunk of queries.ammoniaLines(pondId, span)) {
    for (const line of chunk) {
      const found = read(line);
      if (found === null) continue;
      nh3N.push(found.nh3N);
      if (found.tan !== null) tan.push(found.tan);
      isWorst ||= !found.isKnown && water.ammoniaBasis === 'TAN';
    }
  }
  const of = figureOf(nh3N);
  return of === null ? null : { nh3N: of, tan: tan.length === nh3N.length ? figureOf(tan) : null, isWorst };
}

function figureOf(values: readonly number[]): Figure | null {
  if (values.length === 0) return null;
  let [least, sum, most] = [Number.POSITIVE_INFINITY, 0, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
    sum += value;
  }
  return { least, mean: sum / values.length, most };
}
