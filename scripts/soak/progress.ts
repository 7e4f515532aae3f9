import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { FarmTime } from './farm-time.ts';
import type { Publish, StepDone, Violation, Write } from './history.ts';
import type { Farm } from './make-farm.ts';
import type { Plan } from './plan.ts';
import type { Noted, World } from './world.ts';

// How far a campaign came, so that an interrupted one goes on. Farm time goes on meanwhile, as it does on a farm.

export type Progress = {
  folder: string;
  hasSmallDisk: boolean;
  time: FarmTime;
  plan: Plan;
  controllers: number;
  farm: Farm;
  writes: Write[];
  publishes: Publish[];
  steps: StepDone[];
  violations: Violation[];
};

export function keepProgress(
  file: string,
  { world, ...rest }: Omit<Progress, 'farm' | 'writes' | 'publishes'> & { world: World },
): void {
  const { farm, writes, publishes } = world;
  writeFileSync(`${file}.new`, JSON.stringify({ ...rest, farm, writes, publishes } satisfies Progress), {
    mode: 0o600,
  });
  renameSync(`${file}.new`, file);
  rmSync(journalOf(file), { force: true });
}

/** Null: there is none. */
export function readProgress(file: string): Progress | null {
  if (!existsSync(file)) return null;
  // written by keepProgress
  const kept = JSON.parse(readFileSync(file, 'utf8')) as Progress;
  const since = readJournal(journalOf(file));
  return {
    ...kept,
    writes: [...kept.writes, ...since.writes],
    publishes: [...kept.publishes, ...since.publishes],
  };
}

export function forgetProgress(file: string): void {
  rmSync(file, { force: true });
  rmSync(journalOf(file), { force: true });
}

const journalOf = (file: string) => `${file}.writes`;

/** Notes what is sent and what is answered: what the step under way did is known too when it is interrupted. */
export function journalAt(file: string | null): (noted: Noted) => void {
  if (file === null) return () => undefined;
  return (noted) => appendFileSync(journalOf(file), `${JSON.stringify(noted)}\n`, { mode: 0o600 });
}

/** Of each the last that is known, in the order in which they began; an interruption may have cut the last line. */
function readJournal(file: string): Pick<Progress, 'writes' | 'publishes'> {
  if (!existsSync(file)) return { writes: [], publishes: [] };
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  // written by journalAt
  const noted = lines.map((line) => JSON.parse(line) as Noted);
  const last = [...new Map(noted.map((each) => [each.tag, each])).values()];
  return {
    writes: last.flatMap((each) => ('write' in each ? [each.write] : [])),
    publishes: last.flatMap((each) => ('publish' in each ? [each.publish] : [])),
  };
}
