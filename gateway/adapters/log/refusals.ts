import type { Log } from '#core/kernel.ts';

/** Reasons of one border that are told apart; they are closed words, so this is a net under a mistake. */
const MAX_REASONS = 200;
/** Addresses that are told apart within a minute. */
const MAX_SOURCES = 500;
const WORST_SHOWN = 5;
const OTHERS = 'others';

/**
 * Counts what was refused at one border, by reason, and says it in one line a minute, never line by line: who can make
 * the gateway refuse could fill its disk otherwise.
 */
export function createRefusals(deps: { log: Log }, borders: readonly string[]) {
  const countsByBorder = new Map(borders.map((border) => [border, new Map<string, number>()]));
  const told = new Map<string, number>();
  const bySource = new Map<string, number>();

  return {
    count(border: string, reason: string, source: string): void {
      const counts = countsByBorder.get(border);
      if (counts === undefined) throw new Error(`${border} is no border`);
      raise(counts, reason, MAX_REASONS);
      raise(bySource, source, MAX_SOURCES);
    },
    /** Since the start, by reason. */
    totals: (border: string): Readonly<Record<string, number>> =>
      Object.fromEntries(countsByBorder.get(border) ?? []),
    /** Called once a minute. */
    tell(): void {
      const fields: Record<string, unknown> = {};
      for (const [border, counts] of countsByBorder) {
        const fresh = freshIn(border, counts);
        if (fresh.length > 0) fields[border] = Object.fromEntries(fresh);
      }
      if (Object.keys(fields).length === 0) return;
      const worst = [...bySource].sort(([, a], [, b]) => b - a).slice(0, WORST_SHOWN);
      bySource.clear();
      deps.log.warn({ ...fields, sources: Object.fromEntries(worst) }, 'refused since the last such line');
    },
  };

  function freshIn(border: string, counts: ReadonlyMap<string, number>): [string, number][] {
    return [...counts].flatMap(([reason, count]): [string, number][] => {
      const key = `${border} ${reason}`;
      const more = count - (told.get(key) ?? 0);
      told.set(key, count);
      return more > 0 ? [[reason, more]] : [];
    });
  }
}

function raise(counts: Map<string, number>, word: string, most: number): void {
  const key = counts.has(word) || counts.size < most ? word : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
