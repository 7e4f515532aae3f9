import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { type RangeResult, runSeeds } from './seed-range.ts';

export type PairOptions = {
  /** How many simulated pairs of gateway and hosted instance. */
  seeds: number;
  from: number;
  /** One side of each begins as an earlier version. */
  isMixed: boolean;
  json: string | null;
  tell: (sentence: string) => void;
};

/** Many seeds of the simulated pair; answers whether all of them came to a good end. */
export async function soakPair({ seeds, from, isMixed, json, tell }: PairOptions): Promise<boolean> {
  const startedAt = performance.now();
  const result = await runSeeds({ from, isMixed, count: seeds, processes: availableParallelism(), tell });
  const at = new Date().toISOString();
  const file = json ?? `soak-results/sync-${at.replaceAll(':', '-')}.json`;
  mkdirSync(dirname(file), { recursive: true });
  const realS = Math.round((performance.now() - startedAt) / 1000);
  writeFileSync(file, `${JSON.stringify({ at, from, realS, ...result }, null, 2)}\n`);
  console.log(`${textOf(result, { from, realS })}written to ${file}`);
  return result.found.length === 0;
}

function textOf(
  { seeds, found, counts }: RangeResult,
  { from, realS }: { from: number; realS: number },
): string {
  return [
    `simulated pairs, seeds ${from} to ${from + seeds - 1}, ${realS} s`,
    ...Object.entries(counts)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, count]) => `  ${String(count).padStart(10)}  ${name}`),
    ...(found.length === 0
      ? ['no violation']
      : found
          .slice(0, 20)
          .map(({ seed, violations }) => `  seed ${seed}: ${violations[0]?.rule}: ${violations[0]?.what}`)),
    '',
  ].join('\n');
}
