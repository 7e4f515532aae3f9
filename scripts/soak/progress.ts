import { appendFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { FarmTime } from './farm-time.ts';
import type { Publish, StepDone, Violation, Write } from './history.ts';
import type { Farm } from './make-farm.ts';
import type { Plan } from './plan.ts';
import type { World } from './world.ts';

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
  return { ...kept, writes: [...kept.writes, ...readJournal(journalOf(file))] };
}

export function forgetProgress(file: string): void {
  rmSync(file, { force: true });
  rmSync(journalOf(file), { force: true });
}

const journalOf = (file: string) => `${file}.writes`;

/** Notes writes as they are sent and answered: what the step under way did is known too when it is interrupted. */
export function journalAt(file: string | null): (write: Write) => void {
  if (file === null) return () => undefined;
  return (write) => appendFileSync(journalOf(file), `${JSON.stringify(write)}\n`, { mode: 0o600 });
}

/** Of each write the last that is known; an interruption may have cut the last line. */
function readJournal(file: string): Write[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  // written by journalAt
  return [
    ...new Map(lines.map((line) => JSON.parse(line) as Write).map((write) => [write.tag, write])).values(),
  ];
}
