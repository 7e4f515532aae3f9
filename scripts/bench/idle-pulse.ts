import { type BenchOptions, type Figures, type Finding, inTurn, median } from './finding.ts';
import type { Beating } from './load/beating.ts';
import { startRemote } from './remote.ts';

/** What it costs to beat with nothing to do, beside the same tasks by timers of node-cron. */
export async function idlePulse({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const forMs = isQuick ? 3_000 : 30_000;
  const rounds = isQuick ? 1 : 3;
  const process = startRemote<Beating>(new URL('load/beating.ts', import.meta.url));
  try {
    tell(`the pulse and node-cron in turn, ${forMs / 1000} s each`);
    const by = (which: 'pulse' | 'node-cron') => () => process.call('beat', { by: which, forMs });
    const { subject, baseline } = await inTurn(rounds, by('pulse'), by('node-cron'));
    const ratios = subject.map((cpuMs, round) => cpuMs / (baseline[round] ?? Number.NaN));
    const ratio = median(ratios);
    return [
      {
        measure: 'idle pulse, 37 tasks with nothing to do',
        subject: figures('the pulse', subject, forMs),
        baseline: figures('timers of node-cron', baseline, forMs),
        ratioOf: 'CPU',
        ratio,
        cpuRatio: null,
        spread: [Math.min(...ratios), Math.max(...ratios)],
        must: '≤ 1',
        isMet: ratio <= 1,
        rounds,
      },
    ];
  } finally {
    await process.stop();
  }
}

function figures(name: string, cpuMs: readonly number[], forMs: number): Figures {
  const perS = (median(cpuMs) / forMs) * 1_000_000;
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: null,
    p99Ms: null,
    rssMb: null,
    counted: `${Math.round(perS)} µs of CPU a second`,
  };
}
