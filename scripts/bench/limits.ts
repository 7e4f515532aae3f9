import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { type BenchOptions, type Figures, type Finding, inTurn, median } from './finding.ts';
import { newDataFolder } from './gateway.ts';
import type { Created, LimitChecker } from './load/limit-checker.ts';
import { quantile } from './load/load-window.ts';
import { provisionFolder } from './provision.ts';
import { startRemote } from './remote.ts';
import { seedFarm } from './seed-farm.ts';

const MOST_MS = 1;
const WARM_UP = 200;
// farms last: what was created before is counted too, and nobody has hundreds of them
const CREATED: readonly Created[] = ['batch', 'pond', 'farm'];

/** What the plan's word on a create costs on a large farm, beside the same create without it. */
export async function limits({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick
    ? ({ farm: 'small', years: 0.2, count: 5, rounds: 1 } as const)
    : ({ farm: 'large', years: 1, count: 40, rounds: 6 } as const);
  const data = await newDataFolder();
  try {
    tell(`a ${size.farm} farm of ${size.years} years`);
    await provisionFolder(data, { count: 1, prefix: 'limit' });
    const until = new Date().toISOString();
    const { farmId, ponds } = seedFarm(data, { size: size.farm, years: size.years, until });
    const checker = startRemote<LimitChecker>(new URL('load/limit-checker.ts', import.meta.url));
    try {
      await checker.call('open', { data, farmId, ponds });
      const findings: Finding[] = [];
      for (const what of CREATED) {
        tell(`creating a ${what}`);
        const wanted = { what, count: size.count };
        const create = (isLimited: boolean) => () => checker.call('create', { ...wanted, isLimited });
        await checker.call('check', { what, count: WARM_UP });
        const checks = await checker.call('check', { what, count: size.count * size.rounds });
        const rounds = await inTurn(size.rounds, create(true), create(false));
        findings.push(limitFinding(what, { ...rounds, checks, ponds: ponds.length }));
      }
      await checker.call('close', undefined);
      return findings;
    } finally {
      await checker.stop();
    }
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

type Times = { subject: number[][]; baseline: number[][]; checks: number[]; ponds: number };

function limitFinding(what: Created, { subject, baseline, checks, ponds }: Times): Finding {
  const ratios = subject.map((round, n) => median(round) / median(baseline[n] ?? []));
  const sorted = checks.toSorted((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => quantile(sorted, share));
  return {
    measure: `limits of a plan, creating a ${what}`,
    subject: figures('with its limits', subject.flat()),
    baseline: figures('without', baseline.flat()),
    ratioOf: 'p50',
    ratio: median(ratios),
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `check p95 ≤ ${MOST_MS} ms`,
    isMet: (p95 ?? Number.NaN) <= MOST_MS,
    rounds: subject.length,
    notes: [
      `the check alone: p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)}; ${ponds} ponds`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}

function figures(name: string, times: readonly number[]): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  const [p50Ms, p99Ms] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  return { name, perS: 1_000 / median(times), cpuUs: null, p50Ms, p99Ms, rssMb: null };
}

const ms = (value = Number.NaN): string => `${value.toFixed(3)} ms`;
