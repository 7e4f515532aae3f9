import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import type { BenchOptions, Figures, Finding } from './finding.ts';
import { newDataFolder } from './gateway.ts';
import type { Lived, QuietFarmLoad } from './load/quiet-farm.ts';
import { startRemote } from './remote.ts';

const MUST_MB = 50;
const DAY_S = 86_400;
const MB = 1_000_000;

type Day = Lived & { seconds: number };

/** What a day on which nothing happens writes to the card of the box, against a gateway that nobody speaks to. */
export async function quietDay({ isQuick, tell }: BenchOptions): Promise<Finding[]> {
  const size = isQuick
    ? { controllers: 5, seconds: 600, emptySeconds: 600 }
    : { controllers: 200, seconds: DAY_S, emptySeconds: 7_200 };
  tell(`${size.seconds} simulated seconds of ${size.controllers} controllers`);
  const quiet = await live(size.controllers, size.seconds);
  const empty = await live(0, size.emptySeconds);
  const [ours, theirs] = [perDayMb(quiet), perDayMb(empty)];
  return [
    {
      measure: `quiet day, ${size.controllers} controllers every 30 s`,
      subject: figures('database and log', ours),
      baseline: figures('nobody connected', theirs),
      ratioOf: 'bytes',
      ratio: ours / theirs,
      cpuRatio: null,
      spread: null,
      must: `≤ ${MUST_MB} MB a day`,
      isMet: ours <= MUST_MB,
      rounds: 1,
      notes: [...notesOf(quiet), `load average of the machine ${loadavg()[0]?.toFixed(1)}`],
    },
  ];
}

async function live(controllers: number, seconds: number): Promise<Day> {
  const data = await newDataFolder();
  const farm = startRemote<QuietFarmLoad>(new URL('load/quiet-farm.ts', import.meta.url));
  try {
    await farm.call('start', { data, controllers });
    const lived = await farm.call('day', { seconds });
    await farm.call('stop', undefined);
    return { ...lived, seconds };
  } finally {
    await farm.stop();
    await rm(data, { recursive: true, force: true });
  }
}

const perDay = (bytes: number, { seconds }: Day) => (bytes / MB) * (DAY_S / seconds);

function perDayMb(day: Day): number {
  return perDay(
    day.byTable.reduce((sum, [, { log, database }]) => sum + log + database, 0),
    day,
  );
}

/** By table, the largest first, and what else the program wrote. */
function notesOf(day: Day): string[] {
  const tables = day.byTable
    .map(([name, { log, database }]) => ({ name, log: perDay(log, day), database: perDay(database, day) }))
    .filter(({ log, database }) => log + database >= 0.01)
    .sort((a, b) => b.log + b.database - a.log - a.database)
    .map(
      ({ name, log, database }) =>
        `${name} ${(log + database).toFixed(2)} MB (log ${log.toFixed(2)}, database ${database.toFixed(2)})`,
    );
  const disk =
    day.diskBytes === null
      ? []
      : [
          `the whole program wrote ${perDay(day.diskBytes, day).toFixed(1)} MB, snapshots and saved configuration included`,
        ];
  const wrong = [...new Set(day.warnings)].map((sentence) => `the gateway warned: ${sentence}`);
  return [...tables, ...disk, `${day.heartbeats} heartbeats taken`, ...wrong];
}

function figures(name: string, mb: number): Figures {
  return {
    name,
    perS: null,
    cpuUs: null,
    p50Ms: null,
    p99Ms: null,
    rssMb: null,
    counted: `${mb.toFixed(1)} MB/day`,
  };
}
