import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { exportingYear } from './exporting-year.ts';
import { type BenchOptions, type Figures, type Finding, inTurn, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import type { PageReader } from './load/page-reader.ts';
import type { Recorder } from './load/recorder.ts';
import type { SpokenSql } from './load/spoken-sql.ts';
import { usageOf } from './process-usage.ts';
import { provisionFolder } from './provision.ts';
import { startRemote, stopAll } from './remote.ts';
import { type BenchFarmSize, type FarmUnderTest, type SeededFarm, seedFarm } from './seed-farm.ts';
import type { RunningServer } from './start-server.ts';

const CASES = [
  { what: 'without an alert', oxygen: 5.6, must: 0.4 },
  { what: 'each with an alert', oxygen: 2.6, must: 0.15 },
];

const MOST_P95_MS = 50;
const MOST_TIMES_SQL = 3;
const DAY_MS = 86_400_000;

/** A large farm after five years: what its pages cost, what recording costs, and what an export does to control. */
export async function farmReads({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: BenchFarmSize = isQuick
    ? { farm: 'small', years: 0.2, controllers: 5, times: 2, rounds: 1 }
    : { farm: 'large', years: 5, controllers: 100, times: 20, rounds: 6 };
  const data = await newDataFolder();
  try {
    tell(`a ${size.farm} farm of ${size.years} years, ${size.controllers} controllers besides`);
    const owner = await provisionFolder(data, { count: size.controllers, prefix: 'page' });
    const farm = seedFarm(data, { size: size.farm, years: size.years, until: new Date().toISOString() });
    tell(`${farm.rows} rows, ${farm.megabytes.toFixed(0)} MB, written in ${farm.seconds.toFixed(0)} s`);
    const under: FarmUnderTest = { data, owner, farm, size };
    const findings = await readPages(under, tell);
    findings.push(...(await exportingYear(under, tell)));
    findings.push(...(await recordingMeasurements(under, tell)));
    return findings;
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** What people look at, by a name for the table. */
function pagesOf({ farmId, ponds: [pond = ''], probePond, batch }: SeededFarm): [string, string][] {
  const month = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
  const ofFarm = `?farm_id=${farmId}`;
  return [
    ['pond cards', `/ponds/summary-cards${ofFarm}`],
    ['one pond card', `/ponds/${pond}/summary-card`],
    ['dashboard overview', `/dashboard/overview${ofFarm}`],
    ['dashboard ponds', `/dashboard/ponds${ofFarm}`],
    ['dashboard biomass-trend', `/dashboard/biomass-trend?batch_id=${batch}`],
    ['dashboard growth-rates', `/dashboard/growth-rates${ofFarm}`],
    ['dashboard survival-rates', `/dashboard/survival-rates${ofFarm}`],
    ['dashboard batch-comparison', `/dashboard/batch-comparison${ofFarm}`],
    ['dashboard feed-efficiency', `/dashboard/feed-efficiency${ofFarm}`],
    ['water quality of 30 days', `/water-quality/pond/${pond}?start_date=${month}`],
    ['water quality, newest 100', `/water-quality/pond/${pond}?limit=100`],
    ['water trend of 30 days', `/water-quality/trend/${pond}/dissolved_oxygen?days=30`],
    ['water trend of 30 days, probe', `/water-quality/trend/${probePond}/dissolved_oxygen?days=30`],
  ];
}

async function readPages(under: FarmUnderTest, tell: (line: string) => void): Promise<Finding[]> {
  const { data, owner, farm, size } = under;
  const pages = pagesOf(farm).map(([name, path]) => ({ name, path: `/api/v1${path}` }));
  const paths = pages.map(({ path }) => path);
  const sql = startRemote<SpokenSql>(new URL('load/spoken-sql.ts', import.meta.url));
  const reader = startRemote<PageReader>(new URL('load/page-reader.ts', import.meta.url));
  try {
    const heard = await sql.call('learn', { data, token: owner.token, paths });
    const bare = await sql.call('serve', undefined);
    const gateway = await startGatewayOn(data);
    try {
      tell('pages');
      const read = (base: string) => () =>
        reader.call('read', {
          pages: paths.map((path) => ({ base, path, token: owner.token })),
          times: size.times,
        });
      const http = await inTurn(size.rounds, read(gateway.http), read(bare));
      const alone = await sql.call('alone', { paths, times: size.times });
      return pages.map(({ name, path }, index) =>
        pageFinding(gateway, {
          name: `${name}, ${size.farm} farm`,
          rounds: size.rounds,
          ours: http.subject.map((round) => round[index] ?? []),
          bare: http.baseline.map((round) => round[index] ?? []),
          alone: alone[index] ?? [],
          statements: heard[path]?.statements ?? 0,
          rows: heard[path]?.rows ?? 0,
        }),
      );
    } finally {
      await gateway.stop();
    }
  } finally {
    await stopAll([sql, reader]);
  }
}

type PageTimes = {
  name: string;
  rounds: number;
  ours: readonly number[][];
  bare: readonly number[][];
  alone: readonly number[];
  statements: number;
  rows: number;
};

function pageFinding(gateway: RunningServer, page: PageTimes): Finding {
  const p95Ms = p95(page.ours.flat());
  const ratios = page.ours.map((round, n) => p95(round) / p95(page.bare[n] ?? []));
  const ratio = p95Ms / p95(page.bare.flat());
  return {
    measure: page.name,
    subject: figures('gateway', page.ours.flat(), usageOf(gateway.pid)?.rssMb ?? null),
    baseline: figures('its SQL over bare express 5', page.bare.flat(), null),
    ratioOf: 'p95',
    ratio,
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `p95 ≤ ${MOST_P95_MS} ms and ≤ ${MOST_TIMES_SQL} × its SQL`,
    isMet: p95Ms <= MOST_P95_MS && ratio <= MOST_TIMES_SQL,
    rounds: page.rounds,
    notes: [
      `${page.statements} statements, ${page.rows} rows; alone p50 ${ms(median(page.alone))}, p95 ${ms(p95(page.alone))}: the answer takes × ${(p95Ms / p95(page.alone)).toFixed(1)}`,
      `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
    ],
  };
}

function figures(name: string, times: readonly number[], rssMb: number | null): Figures {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    rssMb,
    counted: `p95 ${ms(p95(times))}`,
  };
}

const p95 = (times: readonly number[]): number =>
  quantile(
    times.toSorted((a, b) => a - b),
    0.95,
  );
const ms = (value: number): string => `${value.toFixed(1)} ms`;

/** Recording a measurement, called in the process, against a plain insert of the same row. */
async function recordingMeasurements(
  { data, farm, size }: FarmUnderTest,
  tell: (line: string) => void,
): Promise<Finding[]> {
  const recorder = startRemote<Recorder>(new URL('load/recorder.ts', import.meta.url));
  try {
    tell('recording');
    await recorder.call('open', { data, ponds: farm.ponds });
    const findings: Finding[] = [];
    for (const { what, oxygen, must } of CASES) {
      const wanted = { count: size.times * 15, oxygen };
      const { subject, baseline } = await inTurn(
        size.rounds,
        () => recorder.call('record', wanted),
        () => recorder.call('insert', wanted),
      );
      findings.push(rateOf(what, must, { subject, baseline }));
    }
    await recorder.call('close', undefined);
    return findings;
  } finally {
    await recorder.stop();
  }
}

function rateOf(
  what: string,
  must: number,
  { subject, baseline }: { subject: number[]; baseline: number[] },
): Finding {
  const ratios = subject.map((perS, round) => perS / (baseline[round] ?? Number.NaN));
  const ratio = median(ratios);
  const rate = (name: string, perS: number[]) => ({
    name,
    perS: median(perS),
    cpuUs: null,
    p50Ms: null,
    p99Ms: null,
    rssMb: null,
  });
  return {
    measure: `measurements recorded, ${what}`,
    subject: rate('use case in the process', subject),
    baseline: rate('better-sqlite3 insert, FULL', baseline),
    ratioOf: 'rate',
    ratio,
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `≥ ${must * 100} %`,
    isMet: ratio >= must,
    rounds: subject.length,
  };
}
