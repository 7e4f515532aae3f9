import { execFile } from 'node:child_process';
import { copyFile, open, rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import BetterSqlite from 'better-sqlite3';
import { MAIN_FILE } from '../built-program.ts';
import { type BenchOptions, type Figures, type Finding, median } from './finding.ts';
import { newDataFolder } from './gateway.ts';
import { provisionFolder } from './provision.ts';
import { seedFarm } from './seed-farm.ts';

const MUST_MS = 3 * 60_000;
const KEY = /([0-9A-Z]{4}-){7}[0-9A-Z]{4}/;
/** What a restored box says of itself and of its restore; all else must be as it was. */
const ITS_OWN = /^(sync_|logs$|instance_values$|sqlite_)/;

type Call = { args: readonly string[]; key?: string };
const program = promisify(execFile);
const say = async ({ args, key }: Call) =>
  (
    await program(process.execPath, [MAIN_FILE, ...args], {
      env: { ...process.env, ...(key === undefined ? {} : { RECOVERY_KEY: key }) },
    })
  ).stdout;

/** A dead box: how long its farm takes from the backup to a new one, everything that is checked on the way included. */
export async function restore({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick
    ? ({ farm: 'small', years: 0.1, rounds: 1 } as const)
    : ({ farm: 'large', years: 1, rounds: 3 } as const);
  const [data, stick] = [await newDataFolder(), await newDataFolder()];
  try {
    await provisionFolder(data, { count: 1, prefix: 'dead' });
    const farm = seedFarm(data, { size: size.farm, years: size.years, until: new Date().toISOString() });
    tell(`${farm.ponds.length} ponds, ${farm.rows} rows, ${farm.megabytes.toFixed(0)} MB`);
    const [key] = KEY.exec(await say({ args: ['backup', '--data', data, '--to', stick] })) ?? [];
    if (key === undefined) throw new Error('the first backup showed no key');
    const before = countsIn(data);
    const times: number[] = [];
    const copies: number[] = [];
    let isWhole = true;
    for (let n = 1; n <= size.rounds; n += 1) {
      tell(`restore ${n} of ${size.rounds}`);
      const box = await newDataFolder();
      try {
        times.push(await timed(() => say({ args: ['restore', '--from', stick, '--data', box], key })));
        isWhole &&= countsIn(box) === before;
        copies.push(await timed(() => copyWhole(join(data, 'farm.db'), join(box, 'copy'))));
      } finally {
        await rm(box, { recursive: true, force: true });
      }
    }
    return [
      {
        measure: `restore of ${farm.ponds.length} ponds with ${size.years} years, ${farm.rows} rows`,
        subject: figures('npm run restore', times),
        baseline: figures('the file copied', copies),
        ratioOf: 'p50',
        ratio: median(times) / median(copies),
        cpuRatio: null,
        spread: null,
        must: `≤ ${MUST_MS / 1_000} s, every table as it was`,
        isMet: isWhole && median(times) <= MUST_MS,
        rounds: size.rounds,
        notes: [
          isWhole ? 'every table has as many rows as before' : 'ROWS ARE MISSING',
          `load average of the machine ${loadavg()[0]?.toFixed(1)}`,
        ],
      },
    ];
  } finally {
    await Promise.all([data, stick].map((folder) => rm(folder, { recursive: true, force: true })));
  }
}

function countsIn(data: string): string {
  const connection = new BetterSqlite(join(data, 'farm.db'), { readonly: true });
  try {
    const tables = connection.prepare("select name from sqlite_schema where type = 'table' order by name");
    return tables
      .pluck()
      .all()
      .map(String)
      .filter((name) => !ITS_OWN.test(name))
      .map((name) => `${name} ${String(connection.prepare(`select count(*) from ${name}`).pluck().get())}`)
      .join('\n');
  } finally {
    connection.close();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function copyWhole(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const file = await open(to, 'r+');
  await file.sync();
  await file.close();
}

function figures(name: string, times: readonly number[]): Figures {
  return { name, perS: null, cpuUs: null, p50Ms: median(times), p99Ms: Math.max(...times), rssMb: null };
}
