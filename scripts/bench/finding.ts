import { type LoadResult, quantile } from './load/load-window.ts';

// What a measure finds: a subject, a baseline from the same run, and what must be reached.

export type Figures = {
  name: string;
  perS: number | null;
  /** CPU time of the server per request; null where the kernel does not tell. */
  cpuUs: number | null;
  /** null where nothing was timed. */
  p50Ms: number | null;
  p99Ms: number | null;
  rssMb: number | null;
  /** What was counted, where it is none of these, with its unit. */
  counted?: string;
};

export type Finding = {
  measure: string;
  subject: Figures;
  baseline: Figures;
  /** What the ratio compares; above 1 the subject is the larger one. */
  ratioOf: 'rate' | 'p50' | 'p95' | 'p99' | 'RSS' | 'bytes' | 'CPU';
  ratio: number;
  /** The baseline's CPU time per request against the subject's: holds also where the load, not the server, was the limit. */
  cpuRatio: number | null;
  /** Lowest and highest ratio of a round: how far one round may mislead. */
  spread: readonly [number, number] | null;
  must: string;
  isMet: boolean;
  rounds: number;
  /** What explains the figures, one fact a line. */
  notes?: readonly string[];
};

/**
 * Servers are started anew so often: what the collector makes of a young heap stays with a process for its life, and two
 * processes of the same program have been seen a third apart.
 */
export const STARTS = 3;

export type BenchOptions = {
  /** A short run that only shows that everything works; its figures mean nothing. */
  isQuick: boolean;
  tell: (line: string) => void;
};

/** Runs both in turn, so that what else the machine does strikes both; the first round warms up and does not count. */
export async function inTurn<A, B>(
  rounds: number,
  subject: () => Promise<A>,
  baseline: () => Promise<B>,
): Promise<{ subject: A[]; baseline: B[] }> {
  const results: { subject: A[]; baseline: B[] } = { subject: [], baseline: [] };
  for (let round = 0; round <= rounds; round += 1) {
    const ofSubject = await subject();
    const ofBaseline = await baseline();
    if (round === 0) continue;
    results.subject.push(ofSubject);
    results.baseline.push(ofBaseline);
  }
  return results;
}

/** Medians over the rounds. */
export function figuresOf(name: string, rounds: readonly LoadResult[]): Figures {
  return {
    name,
    perS: median(rounds.map(({ perS }) => perS)),
    cpuUs: medianOrNull(rounds.map(({ cpuUs }) => cpuUs)),
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    rssMb: medianOrNull(rounds.map(({ rssMb }) => rssMb)),
  };
}

/**
 * CPU time per request that must reach a share of the baseline's; the rate where the kernel does not tell. What else the machine
 * does moves a rate, and the time of the process hardly. A ratio is the median of the rounds' own ratios.
 */
export function rateFinding(
  measure: string,
  must: number,
  subject: { name: string; rounds: readonly LoadResult[] },
  baseline: { name: string; rounds: readonly LoadResult[] },
): Finding {
  const ratios = subject.rounds.map(({ perS }, round) => perS / (baseline.rounds[round]?.perS ?? Number.NaN));
  const ratio = median(ratios);
  const cpuRatio = medianOrNull(
    subject.rounds.map(({ cpuUs }, round) => {
      const bareUs = baseline.rounds[round]?.cpuUs ?? null;
      return cpuUs === null || bareUs === null ? null : bareUs / cpuUs;
    }),
  );
  return {
    measure,
    subject: figuresOf(subject.name, subject.rounds),
    baseline: figuresOf(baseline.name, baseline.rounds),
    ratioOf: 'rate',
    ratio,
    cpuRatio,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `≥ ${must * 100} %`,
    isMet: (cpuRatio ?? ratio) >= must,
    rounds: subject.rounds.length,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

function medianOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

/** Milliseconds in their order. */
export function orderFigures(name: string, sorted: readonly number[], rssMb: number | null): Figures {
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    rssMb,
  };
}
