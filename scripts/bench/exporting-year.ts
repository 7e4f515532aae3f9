import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Finding, median } from './finding.ts';
import { startGatewayOn } from './gateway.ts';
import type { Beats, CrowdLoad } from './load/crowd.ts';
import type { Export, ExportReader, Saved } from './load/export-reader.ts';
import type { SpokenSql } from './load/spoken-sql.ts';
import { usageOf } from './process-usage.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';
import type { FarmUnderTest } from './seed-farm.ts';
import type { RunningServer } from './start-server.ts';

const MUST_ROWS_PER_S = 50_000;
const MOST_GROWTH_MB = 30;
const MOST_TIMES_CALM = 2;
const DAY_MS = 86_400_000;
const SAMPLE_MS = 20;
const REST_MS = 2_000;

type Loads = { reader: Remote<ExportReader>; crowd: Remote<CrowdLoad>; sql: Remote<SpokenSql> };

/** A year of a probe's readings as a file: how fast it comes, what memory it takes, and what it does to heartbeats. */
export async function exportingYear(under: FarmUnderTest, tell: (line: string) => void): Promise<Finding[]> {
  const { data, owner, farm } = under;
  const day = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const path = `/api/v1/exports/water-quality/csv?pond_id=${farm.probePond}&start_date=${day(364)}&end_date=${day(0)}`;
  const loads: Loads = {
    reader: startRemote<ExportReader>(new URL('load/export-reader.ts', import.meta.url)),
    crowd: startRemote<CrowdLoad>(new URL('load/crowd.ts', import.meta.url)),
    sql: startRemote<SpokenSql>(new URL('load/spoken-sql.ts', import.meta.url)),
  };
  try {
    await loads.sql.call('learn', { data, token: owner.token, paths: [path] });
    const gateway = await startGatewayOn(data);
    try {
      tell('exports');
      const wanted = { base: gateway.http, path, token: owner.token };
      const found = await rateAndMemory(gateway, loads, { under, wanted });
      return [...found, await heartbeatsMeanwhile(gateway, loads, { under, wanted })];
    } finally {
      await gateway.stop();
    }
  } finally {
    await stopAll([loads.reader, loads.crowd, loads.sql]);
  }
}

type Exporting = { under: FarmUnderTest; wanted: Export };

async function rateAndMemory(
  gateway: RunningServer,
  { reader, sql }: Loads,
  { under: { size, farm }, wanted }: Exporting,
): Promise<Finding[]> {
  const warmUp = `/api/v1/water-quality/pond/${farm.probePond}?limit=1000`;
  // somebody has looked at the pond before: the program knows its lists, and the thread that reads them runs
  await reader.call('read', { ...wanted, path: warmUp });
  const restingMb = await rssAtRest(gateway.pid);
  const watch = watchRss(gateway.pid);
  const first = await reader.call('save', wanted);
  const mostMb = watch.stop();
  const saved: Saved[] = [];
  for (let n = 0; n < size.rounds * 2; n += 1) saved.push(await reader.call('save', wanted));
  const laterMb = usageOf(gateway.pid)?.rssMb ?? Number.NaN;
  const bareMs = median((await sql.call('alone', { paths: [wanted.path], times: 5 })).flat());
  const { rows } = first;
  const rates = saved.map((each) => (each.rows * 1_000) / each.ms);
  const perS = median(rates);
  const none = { cpuUs: null, p50Ms: null, p99Ms: null };
  const counted = `${rows} rows, ${(first.bytes / 1_000_000).toFixed(1)} MB`;
  return [
    {
      measure: 'a year of water quality as CSV',
      subject: { name: 'gateway', ...none, perS, rssMb: laterMb, counted },
      baseline: { name: 'its SQL alone', ...none, perS: (rows * 1_000) / bareMs, rssMb: null },
      ratioOf: 'rate',
      ratio: perS / ((rows * 1_000) / bareMs),
      cpuRatio: null,
      spread: null,
      must: `≥ ${MUST_ROWS_PER_S} rows/s`,
      isMet: perS >= MUST_ROWS_PER_S,
      rounds: saved.length,
      notes: [`load average of the machine ${loadavg()[0]?.toFixed(1)}`],
    },
    {
      measure: 'memory of one such export',
      subject: { name: 'at most', ...none, perS: null, rssMb: mostMb },
      baseline: { name: 'at rest', ...none, perS: null, rssMb: restingMb },
      ratioOf: 'RSS',
      ratio: mostMb / restingMb,
      cpuRatio: null,
      spread: null,
      must: `RSS + ≤ ${MOST_GROWTH_MB} MB`,
      isMet: mostMb - restingMb <= MOST_GROWTH_MB,
      rounds: 1,
      notes: [
        `it grew by ${(mostMb - restingMb).toFixed(1)} MB, and by ${(laterMb - mostMb).toFixed(1)} MB over ${saved.length} more: garbage not yet collected`,
      ],
    },
  ];
}

async function heartbeatsMeanwhile(
  gateway: RunningServer,
  { reader, crowd }: Loads,
  { under: { owner, size }, wanted }: Exporting,
): Promise<Finding> {
  await crowd.call('arrive', { mqttUrl: gateway.mqtt, clients: owner.controllers, atOnce: 20 });
  // thirty times the heartbeats of a real farm of this size
  const beat = () => crowd.call('beat', { everyMs: 1_000, forMs: size.times * 250 });
  await beat();
  const calm: Beats[] = [];
  const busy: Beats[] = [];
  for (let n = 0; n < size.rounds; n += 1) {
    calm.push(await beat());
    await reader.call('start', wanted);
    busy.push(await beat());
    await reader.call('pause', undefined);
  }
  const ratios = busy.map(({ p99Ms }, n) => p99Ms / (calm[n]?.p99Ms ?? Number.NaN));
  const ratio = median(ratios);
  const missed = [...calm, ...busy].reduce((sum, beats) => sum + beats.missed, 0);
  const figures = (name: string, rounds: Beats[]) => ({
    name,
    perS: null,
    cpuUs: null,
    p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
    rssMb: null,
  });
  return {
    measure: `heartbeats of ${owner.controllers.length} controllers while it exports`,
    subject: figures('while it exports', busy),
    baseline: figures('calm', calm),
    ratioOf: 'p99',
    ratio,
    cpuRatio: null,
    spread: [Math.min(...ratios), Math.max(...ratios)],
    must: `p99 ≤ ${MOST_TIMES_CALM} × calm`,
    isMet: ratio <= MOST_TIMES_CALM && missed === 0,
    rounds: size.rounds,
    notes: [`${missed} heartbeats unanswered`, `load average of the machine ${loadavg()[0]?.toFixed(1)}`],
  };
}

async function rssAtRest(pid: number): Promise<number> {
  await pause(REST_MS);
  return usageOf(pid)?.rssMb ?? Number.NaN;
}

/** The most the kernel saw it hold, looked at fifty times a second. */
function watchRss(pid: number): { stop: () => number } {
  let mostMb = 0;
  const look = () => {
    mostMb = Math.max(mostMb, usageOf(pid)?.rssMb ?? 0);
  };
  const timer = setInterval(look, SAMPLE_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return mostMb;
    },
  };
}
