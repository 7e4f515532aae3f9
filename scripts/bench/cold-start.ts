import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder, startGatewayOn } from './gateway.ts';
import { quantile } from './load/load-window.ts';
import { type Usage, usageOf } from './process-usage.ts';
import { addPonds, provisionFolder } from './provision.ts';
import { seedLogs } from './seed-farm.ts';

const MUST_MS = 1_000;

type Start = { ms: number; usage: Usage | null };

/** From the start of the process to `ready`, after a cut of the power, with years of history and with none. */
export async function coldStart({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick
    ? { ponds: 5, controllers: 5, logs: 1_000, rounds: 1 }
    : { ponds: 100, controllers: 200, logs: 1_000_000, rounds: 9 };
  const [old, empty] = [await newDataFolder(), await newDataFolder()];
  try {
    tell(`a farm with ${size.ponds} ponds, ${size.controllers} controllers and ${size.logs} log rows`);
    const megabytes = await seedFarm(old, size);
    // its database exists already: what is compared is the history, not the making of tables
    await startOnce(empty);
    const starts: { old: Start[]; empty: Start[] } = { old: [], empty: [] };
    // the first start of each stores compiled code
    for (let round = 0; round <= size.rounds; round += 1) {
      tell(`start ${round} of ${size.rounds}`);
      const [ofOld, ofEmpty] = [await startOnce(old), await startOnce(empty)];
      if (round === 0) continue;
      starts.old.push(ofOld);
      starts.empty.push(ofEmpty);
    }
    const subject = figures(`${megabytes.toFixed(0)} MB of history`, starts.old);
    const baseline = figures('empty database', starts.empty);
    return [
      {
        measure: `cold start to ready, ${size.ponds} ponds, ${size.controllers} controllers, ${size.logs} log rows`,
        subject,
        baseline,
        ratioOf: 'p50',
        ratio: subject.p50Ms / baseline.p50Ms,
        cpuRatio: null,
        spread: null,
        must: `p50 ≤ ${MUST_MS} ms`,
        isMet: subject.p50Ms <= MUST_MS,
        rounds: size.rounds,
        notes: [`load average of the machine ${loadavg()[0]?.toFixed(1)}`],
      },
    ];
  } finally {
    await Promise.all([old, empty].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

async function seedFarm(
  data: string,
  size: { ponds: number; controllers: number; logs: number },
): Promise<number> {
  const { farms, controllers } = await provisionFolder(
    data,
    { count: size.controllers, prefix: 'cold' },
    (base, { token, farms: [farm = ''] }) => addPonds(base, { token, farmId: farm, count: size.ponds }),
  );
  const [farmId = ''] = farms;
  return seedLogs(data, { farmId, controlPointId: controllers[0]?.controlPointId ?? '', count: size.logs })
    .megabytes;
}

/** Starts, and ends as a farm whose power fails. */
async function startOnce(data: string): Promise<Start> {
  for (const file of ['farm.db', 'farm.db-wal']) forgetInMemory(join(data, file));
  const startedAt = performance.now();
  const gateway = await startGatewayOn(data);
  const ms = performance.now() - startedAt;
  const usage = usageOf(gateway.pid);
  process.kill(gateway.pid, 'SIGKILL');
  await gateway.ended;
  return { ms, usage };
}

/** After a cut nothing of the database is in memory. Where this tool is not there, the start is a little warmer. */
function forgetInMemory(file: string): void {
  spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' });
}

function figures(name: string, starts: readonly Start[]): Figures & { p50Ms: number } {
  const times = starts.map(({ ms }) => ms).sort((a, b) => a - b);
  const usages = starts.flatMap(({ usage }) => (usage === null ? [] : [usage]));
  const known = usages.length > 0;
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    rssMb: known ? Math.max(...usages.map(({ rssMb }) => rssMb)) : null,
    ...(known ? { counted: `${median(usages.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms CPU` } : {}),
  };
}
