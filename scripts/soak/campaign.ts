import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failingFsync, mountSmallDisk, unmountSmallDisk } from './break-storage.ts';
import type { FarmTime } from './farm-time.ts';
import { type OnDisk, readDisk, type StepDone, type Violation } from './history.ts';
import { judge } from './oracle/judge.ts';
import type { Plan } from './plan.ts';
import { forgetProgress, journalAt, keepProgress, type Progress } from './progress.ts';
import { emptyFound } from './resolve.ts';
import { type Machine, runStep } from './run-step.ts';
import { type Reading, settle } from './settle.ts';
import { openWorld, type World } from './world.ts';

export type CampaignOptions = {
  plan: Plan;
  controllers: number;
  speed: number;
  /** Where to note how far it came; null: nowhere. */
  progressFile: string | null;
  /** A small disk in memory for the data where the machine allows, and libfiu where it is. */
  isMachineUsed: boolean;
  tell: (sentence: string) => void;
};

export type CampaignResult = {
  steps: StepDone[];
  violations: Violation[];
  counts: Record<string, number>;
  logLines: Record<string, number>;
  realS: number;
};

const FARM_START = Date.UTC(2026, 2, 2, 20);
const DISK_MB = 768;
/** More of one rule say nothing new. */
const VIOLATIONS_KEPT = 200;

/** Runs the plan, from the first step or from where an earlier run stopped, and judges what it left behind. */
export async function runCampaign(
  options: CampaignOptions,
  earlier: Progress | null,
): Promise<CampaignResult> {
  const startedAt = performance.now();
  const folder = earlier?.folder ?? mkdtempSync(join(tmpdir(), 'farm-soak-'));
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true });
  // an interrupted run leaves its disk mounted, with the farm on it
  const unmount =
    earlier === null
      ? options.isMachineUsed
        ? mountSmallDisk(data, DISK_MB)
        : null
      : earlier.hasSmallDisk
        ? unmountSmallDisk(data)
        : null;
  const hasSmallDisk = unmount !== null;
  const environment = options.isMachineUsed ? failingFsync(folder) : null;
  const machine: Machine = { hasSmallDisk, fiuFifo: environment?.['FIU_CTRL_FIFO'] ?? null };
  const time: FarmTime = earlier?.time ?? {
    realStart: Date.now(),
    farmStart: FARM_START,
    speed: options.speed,
  };
  const { plan, controllers, tell } = options;
  tell(`opening a farm of ${controllers} controllers in ${folder}`);
  const world = await openWorld(
    {
      data,
      seed: plan.seed,
      controllers,
      time,
      journal: journalAt(options.progressFile),
      ...(environment === null ? {} : { environment }),
    },
    earlier,
  );
  const done: StepDone[] = earlier?.steps ?? [];
  const violations: Violation[] = earlier?.violations ?? [];
  const reading: Reading = { found: emptyFound(), seq: 0 };
  // a farm in which something went wrong is kept, to be looked at
  let isDone = false;
  try {
    for (const [place, step] of plan.steps.entries()) {
      if (place < done.length) continue;
      const finished = await oneStep(world, machine, { step, reading });
      done.push(finished.done);
      violations.push(...finished.violations);
      tell(
        sentenceOf(finished.done, { place, of: plan.steps.length, violations: finished.violations.length }),
      );
      if (options.progressFile !== null) {
        keepProgress(options.progressFile, {
          folder,
          hasSmallDisk,
          time,
          world,
          steps: done,
          violations,
          plan,
          controllers,
        });
      }
    }
    await world.host.stopGracefully();
    const disk = readDisk(world.file);
    violations.push(...judgeAll(world, done, disk));
    if (options.progressFile !== null) forgetProgress(options.progressFile);
    isDone = violations.length === 0;
    return {
      steps: done,
      violations: violations.slice(0, VIOLATIONS_KEPT),
      counts: countsOf(world, done, disk),
      logLines: Object.fromEntries(world.logLines),
      realS: Math.round((performance.now() - startedAt) / 1000),
    };
  } finally {
    await world.close();
    if (isDone) {
      unmount?.();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function oneStep(
  world: World,
  machine: Machine,
  { step, reading }: { step: Plan['steps'][number]; reading: Reading },
): Promise<{ done: StepDone; violations: Violation[] }> {
  const from = world.now();
  const { restartMs, kills, notes, violations } = await runStep(world, machine, step);
  const healedAt = world.now();
  const { convergedS, violations: late } = await settle(world, reading, healedAt);
  return {
    done: { step, from, to: healedAt, kills, restartMs, convergedS, notes },
    violations: [...violations, ...late].map((violation) => ({
      ...violation,
      what: `${violation.what} (${step.kind})`,
    })),
  };
}

function judgeAll(world: World, steps: StepDone[], disk: OnDisk): Violation[] {
  const { farm, writes, publishes, watch, host } = world;
  const ended = host.ownEnds();
  return [
    ...judge({ ...farm, writes, publishes, sights: watch.sights, steps, disk }),
    ...(ended === 0
      ? []
      : [
          {
            rule: 'the program lives',
            what: `it ended ${ended} times by itself`,
            context: Object.fromEntries(world.logLines),
          },
        ]),
  ];
}

function countsOf(world: World, steps: readonly StepDone[], disk: OnDisk): Record<string, number> {
  const { writes, publishes, watch, fleet } = world;
  const of = (outcome: string) => writes.filter((write) => write.outcome === outcome).length;
  const restarts = steps.flatMap(({ restartMs }) => restartMs).sort((a, b) => a - b);
  const converged = steps.flatMap(({ convergedS }) => convergedS ?? []).sort((a, b) => a - b);
  const at = (sorted: readonly number[], share: number) =>
    Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  return {
    kills: steps.reduce((sum, { kills }) => sum + kills, 0),
    writes: writes.length,
    acknowledged: of('acked'),
    unsaved: of('unsaved'),
    refused: of('refused'),
    unknown: of('unknown'),
    publishes: publishes.length,
    pubacks: publishes.filter(({ ackedAt }) => ackedAt !== null).length,
    change_log_rows: disk.changes.length,
    orders: disk.orders.length,
    audit_entries: disk.logs.length,
    alerts: disk.alerts.length,
    relay_moves: watch.sights.filter(({ kind }) => kind === 'relay').length,
    reconnects: fleet.counters().connects,
    restart_ms_median: at(restarts, 0.5),
    restart_ms_p99: at(restarts, 0.99),
    converged_farm_s_median: at(converged, 0.5),
    converged_farm_s_max: at(converged, 0.9999),
  };
}

function sentenceOf(
  { step, kills, convergedS, notes }: StepDone,
  { place, of, violations }: { place: number; of: number; violations: number },
): string {
  const what = JSON.stringify(step.kind === 'kills' ? { kind: 'kills', kills: step.kills.length } : step);
  const killed = kills > 0 ? `, ${kills} kills` : '';
  const wrong = violations > 0 ? `, ${violations} VIOLATIONS` : '';
  const said = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  return `${place + 1}/${of} ${what}${killed}: right again after ${convergedS ?? '?'} farm s${wrong}${said}`;
}
