import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { type BenchOptions, type Figures, type Finding, inTurn, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import type { PageReader } from './load/page-reader.ts';
import type { Recorder } from './load/recorder.ts';
import { usageOf } from './process-usage.ts';
import { addPonds, type ProvisionedOwner, provisionFolder } from './provision.ts';
import { type Remote, startRemote, stopAll } from './remote.ts';
import { meterWal } from './wal-meter.ts';

const MOST_TIMES = 1.2;
const MOST_TIMES_RECORDING = 1.1;
const METERED = 60;
const SHORT = 1_000;
const NOTHING: Omit<Figures, 'name'> = { perS: null, cpuUs: null, p50Ms: null, p99Ms: null, rssMb: null };

type Size = { long: number; times: number; rounds: number; recorded: number };

/** A probe that measures every minute for two years: what its list costs beside that of a pond with a day of it. */
export async function waterHistory({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size: Size = isQuick
    ? { long: 3_000, times: 20, rounds: 1, recorded: 20 }
    : { long: 1_000_000, times: 600, rounds: 6, recorded: 400 };
  const data = await newDataFolder();
  try {
    const owner = await provisionFolder(data, { count: 1, prefix: 'water' });
    const ponds = await pondsIn(data, owner);
    const [long = '', short = ''] = ponds;
    tell(`a pond with ${size.long} measurements, one with ${SHORT}`);
    measureEveryMinute(data, long, size.long);
    measureEveryMinute(data, short, SHORT);
    const findings = [await listsOf(data, { token: owner.token, long, short, size })];
    tell('recording with the sums kept and without');
    findings.push(await recordingOf(data, ponds, size));
    return findings;
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

async function pondsIn(data: string, { token, farms: [farmId = ''] }: ProvisionedOwner): Promise<string[]> {
  const gateway = await startGatewayOn(data);
  try {
    await addPonds(gateway.http, { token, farmId, count: 2 });
  } finally {
    await gateway.stop();
  }
  return onFile(data, (database) => database.prepare<[], string>('select id from ponds').pluck().all());
}

/** Writes on the file of a gateway that is stopped; the guards ask whether a unit is open. */
function onFile<Found>(data: string, run: (database: BetterSqlite.Database) => Found): Found {
  const database = new BetterSqlite(join(data, 'farm.db'), { fileMustExist: true });
  try {
    database.function('unit_is_open', () => 1);
    return run(database);
  } finally {
    database.close();
  }
}

function measureEveryMinute(data: string, pondId: string, count: number): void {
  onFile(data, (database) =>
    database
      .prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < @count)
        insert into measurements (id, pond_id, measurement_date, temperature, dissolved_oxygen, ph, source, clock_quality,
          created_at, rev, hidden)
        select printf('%s-%012x', substr(@pondId, 1, 23), i), @pondId,
          strftime('%Y-%m-%dT%H:%M:00.000Z', @until - i * 60, 'unixepoch'),
          26 + i % 60 / 10.0, 3 + i % 50 / 10.0, 7 + i % 20 / 10.0, 'probe', 'trusted', '2026-01-01T00:00:00.000Z', 1, 0
        from n`)
      .run({ pondId, count, until: Math.floor(Date.now() / 1_000) }),
  );
}

type Lists = { token: string; long: string; short: string; size: Size };

/** The newest thirty with the averages of all, as a screen asks for them; what the process uses is counted by the kernel. */
async function listsOf(data: string, { token, long, short, size }: Lists): Promise<Finding> {
  const reader = startRemote<PageReader>(new URL('load/page-reader.ts', import.meta.url));
  const gateway = await startGatewayOn(data);
  try {
    const read = (pond: string) => async () => {
      const before = usageOf(gateway.pid)?.cpuMs ?? Number.NaN;
      const path = `/api/v1/water-quality/pond/${pond}?limit=30`;
      await reader.call('read', { pages: [{ base: gateway.http, path, token }], times: size.times });
      return (((usageOf(gateway.pid)?.cpuMs ?? Number.NaN) - before) * 1_000) / size.times;
    };
    const { subject, baseline } = await inTurn(size.rounds, read(long), read(short));
    const ratios = subject.map((us, round) => us / (baseline[round] ?? Number.NaN));
    const ratio = median(ratios);
    return {
      measure: 'measurements of a pond, newest 30 with averages',
      subject: { ...NOTHING, name: `of ${size.long.toLocaleString('en')}`, cpuUs: median(subject) },
      baseline: { ...NOTHING, name: `of ${SHORT.toLocaleString('en')}`, cpuUs: median(baseline) },
      ratioOf: 'CPU',
      ratio,
      cpuRatio: null,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      must: `≤ ${MOST_TIMES} ×`,
      isMet: ratio <= MOST_TIMES,
      rounds: size.rounds,
    };
  } finally {
    await gateway.stop();
    await reader.stop();
  }
}

/**
 * The use case in the process, on the same database with and without what keeps the sums: CPU time, which no other work of the
 * machine hides, and bytes that the disk is given.
 */
async function recordingOf(data: string, ponds: readonly string[], size: Size): Promise<Finding> {
  const bare = await newDataFolder();
  const kept = startRemote<Recorder>(new URL('load/recorder.ts', import.meta.url));
  const unkept = startRemote<Recorder>(new URL('load/recorder.ts', import.meta.url));
  try {
    await cp(data, bare, { recursive: true });
    onFile(bare, (database) => {
      for (const name of ['insert', 'delete', 'leave', 'come'])
        database.exec(`drop trigger measurement_sums_${name}`);
    });
    await kept.call('open', { data, ponds });
    await unkept.call('open', { data: bare, ponds });
    const record = (remote: typeof kept) => async () => {
      const before = await remote.call('cpuUs', undefined);
      await remote.call('record', { count: size.recorded, oxygen: 5.6 });
      return ((await remote.call('cpuUs', undefined)) - before) / size.recorded;
    };
    const { subject, baseline } = await inTurn(size.rounds, record(kept), record(unkept));
    const ratios = subject.map((us, round) => us / (baseline[round] ?? Number.NaN));
    const ratio = median(ratios);
    const notes = [await writtenBy(data, kept), `without sums: ${await writtenBy(bare, unkept)}`];
    await kept.call('close', undefined);
    await unkept.call('close', undefined);
    return {
      measure: 'measurements recorded, with their sums',
      subject: { ...NOTHING, name: 'use case in the process', cpuUs: median(subject) },
      baseline: { ...NOTHING, name: 'the same without sums', cpuUs: median(baseline) },
      ratioOf: 'CPU',
      ratio,
      cpuRatio: null,
      spread: [Math.min(...ratios), Math.max(...ratios)],
      must: `≤ ${MOST_TIMES_RECORDING} ×`,
      isMet: ratio <= MOST_TIMES_RECORDING,
      rounds: size.rounds,
      notes,
    };
  } finally {
    await stopAll([kept, unkept]);
    await rm(bare, { recursive: true, force: true });
  }
}

/** Bytes of the log for each measurement: whole pages, of which the sums have some. */
async function writtenBy(data: string, recorder: Remote<Recorder>): Promise<string> {
  const meter = meterWal(join(data, 'farm.db'));
  try {
    meter.learnTables();
    meter.look();
    const before = meter.bytesByTable();
    for (let n = 0; n < METERED; n += 1) {
      await recorder.call('record', { count: 1, oxygen: 5.6 });
      meter.look();
    }
    meter.learnTables();
    const of = [...meter.bytesByTable()].map(
      ([table, { log }]) => [table, (log - (before.get(table)?.log ?? 0)) / METERED] as const,
    );
    const all = of.reduce((sum, [, bytes]) => sum + bytes, 0);
    const sums = of.find(([table]) => table === 'measurement_sums')?.[1] ?? 0;
    return `${Math.round(all)} bytes of log for each measurement, ${Math.round(sums)} of them of the sums`;
  } finally {
    meter.close();
  }
}
