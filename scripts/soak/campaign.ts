import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { FarmTime } from './farm-time.ts';
import {
  type OnDisk,
  type Point,
  readChangesSince,
  readDisk,
  type StepDone,
  type Violation,
} from './history.ts';
import { expectedAt, type Life } from './oracle/expected.ts';
import { judge } from './oracle/judge.ts';
import type { Plan } from './plan.ts';
import { forgetProgress, journalAt, keepProgress, type Progress } from './progress.ts';
import { type Effect, effectsOf, emptyFound, type Found, find } from './resolve.ts';
import { failingFsync, type Machine, mountSmallDisk, runStep, unmountSmallDisk } from './run-step.ts';
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

// After a fault is healed: does every controller come to what it should do, in time, and do the alerts end?

type Settled = { convergedS: number; violations: Violation[] };

/** What the change log was read up to. */
type Reading = { found: Found; seq: number };

const LOOK_EVERY_MS = 150;
/** A lost line is noticed, the controller calls again, and its level comes. */
const RECONNECT_S = 90;
/** Slots of 5 s, by name at most the twelfth. */
const LAST_SLOT_S = 65;
const FEEDER_SIZE = 4;
/** What takes us a moment is long on the farm: the way of a message on a busy machine, several times. */
const WAY_REAL_S = 3;
const START_STEP_S = 5;
const ALERTS_END_WITHIN_S = 240;

async function settle(world: World, reading: Reading, healedAt: number): Promise<Settled> {
  const { farm, fleet, now } = world;
  let lives: Life[] = [];
  const arrived = new Set<string>();
  const violations: Violation[] = [];
  const driven = farm.points.filter(({ isProbe }) => !isProbe).length;
  /** This process stood still for so long: the farm's time went on, and nothing in it. */
  let lostMs = 0;
  while (arrived.size < driven) {
    // what the disk did not take at its time is saved a little later
    if (readOn(world, reading) || lives.length === 0) {
      lives = livesOf(farm.points, effectsOf(world.writes, reading.found));
    }
    for (const life of lives) {
      const { point } = life;
      if (arrived.has(point.device_id)) continue;
      const at = now();
      const { target, since } = expectedAt(life, at);
      const view = fleet.state(point.device_id);
      if (view?.is_powered === true && view.current_status === target) arrived.add(point.device_id);
      else if (at - Math.max(since, healedAt) - lostMs > patienceMs(point, world.time.speed)) {
        arrived.add(point.device_id);
        violations.push({
          rule: 'every controller comes to its wanted state',
          what: `${point.device_id} is not ${target}`,
          context: {
            point: { ...point, key: undefined },
            sinceS: Math.round((at - since) / 1000),
            healedS: Math.round((at - healedAt) / 1000),
            view,
            gateway: (await world.call('GET', `/control-points/${point.id}`, { token: world.token() }))?.body,
            lastWrites: life.effects.slice(-6),
          },
        });
      }
    }
    if (arrived.size < driven) lostMs += (await lateness()) * world.time.speed;
  }
  const convergedS = Math.round((now() - healedAt) / 1000);
  return { convergedS, violations: [...violations, ...(await alertsEnd(world))] };
}

/** True when the change log has grown. */
function readOn({ file }: Pick<World, 'file'>, reading: Reading): boolean {
  const changes = readChangesSince(file, reading.seq);
  find(reading.found, changes);
  reading.seq = changes.at(-1)?.seq ?? reading.seq;
  return changes.length > 0;
}

function livesOf(points: readonly Point[], effects: readonly Effect[]): Life[] {
  const byPoint = new Map<string, Effect[]>();
  for (const effect of effects) {
    const { pointId } = effect.write;
    if (pointId === null) continue;
    const own = byPoint.get(pointId) ?? [];
    own.push(effect);
    byPoint.set(pointId, own);
  }
  return points
    .filter(({ isProbe }) => !isProbe)
    .map((point) => ({ point, effects: byPoint.get(point.id) ?? [] }));
}

function patienceMs(point: Point, speed: number): number {
  const restS = Math.max(point.min_off_s, point.min_on_s);
  const queueS = FEEDER_SIZE * START_STEP_S;
  return (RECONNECT_S + LAST_SLOT_S + restS + queueS + WAY_REAL_S * speed) * 1000;
}

async function alertsEnd(world: World): Promise<Violation[]> {
  const probes = new Set(world.farm.points.filter(({ isProbe }) => isProbe).map(({ id }) => id));
  let deadline = world.now() + (ALERTS_END_WITHIN_S + WAY_REAL_S * world.time.speed) * 1000;
  for (;;) {
    const reply = await world.call('GET', '/alerts/?include=all', { token: world.token() });
    if (reply?.status === 401) await world.signIn();
    // a list of alerts when it is a success
    const all = reply?.status === 200 ? (reply.body as { control_point_id: string | null }[]) : null;
    const open = all?.filter(({ control_point_id }) => !probes.has(control_point_id ?? ''));
    if (open?.length === 0) return [];
    if (world.now() > deadline) {
      const what = open === undefined ? 'alerts cannot be read' : `${open.length} alerts stay ACTIVE`;
      return [{ rule: 'alerts end', what, context: open?.slice(0, 5) ?? reply }];
    }
    deadline += (await lateness()) * world.time.speed;
  }
}

/** Rests until the next look; answers by how many real milliseconds that came late. */
async function lateness(): Promise<number> {
  const due = performance.now() + LOOK_EVERY_MS;
  await pause(LOOK_EVERY_MS);
  return Math.max(0, performance.now() - due);
}
