import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import { RIGHT_CLOCK } from './farm-time.ts';
import type { Violation } from './history.ts';
import type { Step } from './plan.ts';
import type { World } from './world.ts';

// One step of the plan, from the calm before it to the moment when everything is repaired.

export type StepRun = { restartMs: number[]; kills: number; notes: string[]; violations: Violation[] };

export type Machine = {
  /** The data lies on a small disk of its own, which can be filled. */
  hasSmallDisk: boolean;
  /** Where libfiu listens; null: it is not there. */
  fiuFifo: string | null;
};

const DAY_S = 86_400;
/** The gateway looks at the clock with every pulse; a machine that is busy elsewhere gives it none for a while. */
const CLOCK_LOOKED_AT_MS = 600;
const CLOCK_SHOWN_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 150;
/** The bound of a graceful stop. */
const STOP_WITHIN_MS = 5_000;

export async function runStep(world: World, machine: Machine, step: Step): Promise<StepRun> {
  const run: StepRun = { restartMs: [], kills: 0, notes: [], violations: [] };
  const isAboutTime = step.kind === 'clock_step' || step.kind === 'clock_1970' || step.kind === 'clock_far';
  // what people do by a wrong clock has no right answer to compare with
  if (!isAboutTime) {
    world.load.resume();
    world.probes.resume();
  }
  await strike(world, machine, step, run);
  world.probes.pause();
  await world.load.pause();
  return run;
}

async function strike(world: World, machine: Machine, step: Step, run: StepRun): Promise<void> {
  const { fleet, host, wait, watch, load } = world;
  if (step.kind === 'locked' || step.kind === 'disk_full' || step.kind === 'fsync_fails')
    watch.mark('spoilt');
  switch (step.kind) {
    case 'calm':
      return wait(step.forS);
    case 'kills':
      for (const { afterRequests, delayMs } of step.kills) {
        await load.sent(afterRequests);
        await pause(delayMs);
        await restart(world, run);
      }
      return;
    case 'graceful_restarts':
      for (let n = 0; n < step.count; n += 1) {
        await load.sent(10);
        const stopMs = await host.stopGracefully();
        if (stopMs > STOP_WITHIN_MS) {
          run.violations.push({
            rule: 'stops within 5 s',
            what: `it took ${Math.round(stopMs)} ms`,
            context: step,
          });
        }
        run.restartMs.push(await host.start());
      }
      return;
    case 'loss':
      fleet.inject({ kind: 'loss', share: step.share });
      await wait(step.forS);
      return fleet.inject({ kind: 'loss', share: 0 });
    case 'half_open':
      fleet.inject({ kind: 'half_open', on: { share: step.share } });
      watch.mark('break');
      await wait(step.forS);
      watch.mark('break');
      return fleet.inject({ kind: 'heal' });
    case 'locked':
      return locked(world, step, run);
    case 'disk_full':
      return diskFull(world, machine, step, run);
    case 'fsync_fails':
      if (machine.fiuFifo === null)
        return void run.notes.push('SKIPPED: libfiu (fiu-utils) is not on this machine');
      makeFsyncFail(host.pid(), machine.fiuFifo, true);
      await wait(step.forS);
      return makeFsyncFail(host.pid(), machine.fiuFifo, false);
    case 'clock_step':
      return clockStep(world, step);
    case 'clock_1970':
    case 'clock_far':
      return doubtedClock(world, step, run);
    case 'power_cut': {
      const on = step.on === 'farm' ? 'all' : { feeder: 'F0' };
      if (step.withGateway) await host.kill();
      watch.forced(() => fleet.inject({ kind: 'power_cut', on, silent: true }));
      await wait(step.forS);
      fleet.inject({ kind: 'power_return', on });
      if (!step.withGateway) return;
      run.kills += 1;
      run.restartMs.push(await host.start());
    }
  }
}

async function restart({ host }: World, run: StepRun): Promise<void> {
  await host.kill();
  run.kills += 1;
  run.restartMs.push(await host.start());
}

async function locked(world: World, step: Extract<Step, { kind: 'locked' }>, run: StepRun): Promise<void> {
  const letGo = lockDatabase(world.file);
  try {
    await world.wait(step.forS / 2);
    if (step.withKill) await world.host.kill();
    const started = step.withKill ? world.host.start() : null;
    await world.wait(step.forS / 2);
    letGo();
    if (started === null) return;
    run.kills += 1;
    run.restartMs.push(await started);
  } catch (error) {
    throw new Error('the step with a locked database failed', { cause: error });
  }
}

async function diskFull(
  world: World,
  machine: Machine,
  step: Extract<Step, { kind: 'disk_full' }>,
  run: StepRun,
): Promise<void> {
  const free = machine.hasSmallDisk ? fillDisk(world.data) : () => world.host.limitDisk(null);
  if (!machine.hasSmallDisk) {
    world.host.limitDisk(0);
    run.notes.push('no small disk on this machine: the database was kept from growing instead');
  }
  await world.wait(step.forS / 2);
  if (step.withKill) {
    await world.host.kill();
    run.kills += 1;
    if (!machine.hasSmallDisk) return void run.restartMs.push(await world.host.start());
    const started = world.host.start();
    await world.wait(step.forS / 2);
    free();
    run.restartMs.push(await started);
    return;
  }
  await world.wait(step.forS / 2);
  free();
}

async function clockStep(world: World, { byS, forS }: Extract<Step, { kind: 'clock_step' }>): Promise<void> {
  // a step of a day is believed of a machine that the network keeps, a smaller one of any
  const isSynchronised = Math.abs(byS) >= DAY_S ? true : null;
  world.host.setClock({ aheadMs: byS * 1000, isSynchronised });
  await world.wait(forS);
  world.host.setClock({ aheadMs: 0, isSynchronised });
  await pause(CLOCK_LOOKED_AT_MS);
  world.host.setClock(RIGHT_CLOCK);
}

async function doubtedClock(
  world: World,
  step: Extract<Step, { kind: 'clock_1970' | 'clock_far' }>,
  run: StepRun,
): Promise<void> {
  const { host } = world;
  if (step.kind === 'clock_far') host.setClock({ aheadMs: step.byS * 1000, isSynchronised: null });
  else {
    await host.kill();
    run.kills += 1;
    run.restartMs.push(await host.start({ aheadMs: 60_000 - world.now(), isSynchronised: null }));
  }
  await pause(CLOCK_LOOKED_AT_MS);
  await world.wait(step.forS);
  await expectClock(world, run, 'estimated');
  if (step.healedBy === 'operator') await setByOperator(world, run);
  host.setClock({ aheadMs: 0, isSynchronised: step.healedBy === 'network' ? true : null });
  // what the network says counts once the gateway has looked
  await expectClock(world, run, 'trusted');
  host.setClock(RIGHT_CLOCK);
  await expectClock(world, run, 'trusted');
}

async function setByOperator(world: World, run: StepRun): Promise<void> {
  const body = { server_time: new Date(world.now()).toISOString(), reason: 'read off a watch' };
  const reply = await asked(world, () => world.call('POST', '/system/clock', { token: world.token(), body }));
  if (reply?.status !== 200) run.violations.push({ rule: 'clock', what: 'it cannot be set', context: reply });
  await expectClock(world, run, 'trusted');
}

/** The operator sees it, in both places, as soon as the gateway has looked. */
async function expectClock(world: World, run: StepRun, quality: 'trusted' | 'estimated'): Promise<void> {
  const deadline = performance.now() + CLOCK_SHOWN_WITHIN_MS;
  for (;;) {
    const wrong = await wrongClock(world, quality);
    if (wrong === null) return;
    if (performance.now() > deadline) {
      run.violations.push({ rule: 'clock', what: `it does not show as ${quality}`, context: wrong });
      return;
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** What is shown that should not be; null: all is as it should be. */
async function wrongClock(world: World, quality: 'trusted' | 'estimated'): Promise<object | null> {
  const shown = await asked(world, () => world.call('GET', '/system/clock', { token: world.token() }));
  const ready = await world.call('GET', '/readyz');
  // success answers of these two pages
  const told = (shown?.body ?? {}) as { quality?: string; server_time?: string };
  const check = (ready?.body as { checks?: { clock?: { ok: boolean } } } | null)?.checks?.clock;
  const beside = Math.abs(Date.parse(told.server_time ?? '') - world.now());
  const isNear = quality === 'estimated' || beside < 10_000 * world.time.speed;
  if (told.quality === quality && check?.ok === (quality === 'trusted') && isNear) return null;
  return { shown: shown?.body, ready: ready?.body, besideS: Math.round(beside / 1000) };
}

async function asked<Answer extends { status: number } | null>(
  world: World,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const reply = await ask();
  if (reply?.status !== 401) return reply;
  await world.signIn();
  return ask();
}

// Ways to spoil a disk, and what of them this machine allows.

/** Another process holds the write lock until it is let go. */
function lockDatabase(file: string): () => void {
  const other = new BetterSqlite(file, { timeout: 5_000 });
  other.exec('begin immediate');
  return () => {
    other.exec('rollback');
    other.close();
  };
}

/** A small disk in memory, for a full one. Null: this machine does not allow to mount. */
export function mountSmallDisk(folder: string, megabytes: number): (() => void) | null {
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder]);
  if (mounted.status !== 0) return null;
  return unmountSmallDisk(folder);
}

/** The way to unmount it. */
export function unmountSmallDisk(folder: string): () => void {
  return () => void spawnSync('umount', [folder]);
}

/** Fills a disk to the last byte; answers the way to free it. */
function fillDisk(folder: string): () => void {
  const ballast = join(folder, 'ballast');
  const file = openSync(ballast, 'w');
  let size = 1024 * 1024;
  while (size >= 512) {
    try {
      writeSync(file, Buffer.alloc(size));
    } catch {
      // no room for so much: less, then
      size /= 2;
    }
  }
  closeSync(file);
  return () => rmSync(ballast, { force: true });
}

/** Environment under which fsync can be made to fail (libfiu, with its pipes in the folder); null: it is not on this machine. */
export function failingFsync(folder: string): Readonly<Record<string, string>> | null {
  const asked = spawnSync('fiu-run', ['-n', '-x', 'true'], { encoding: 'utf8' });
  if (asked.status !== 0) return null;
  const value = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(asked.stdout)?.[1];
  const preload = value('LD_PRELOAD');
  return preload === undefined ? null : { LD_PRELOAD: preload, FIU_CTRL_FIFO: join(folder, 'fiu-ctrl') };
}

function makeFsyncFail(pid: number, fifo: string, isFailing: boolean): void {
  const order = isFailing ? 'enable name=posix/io/sync/fsync' : 'disable name=posix/io/sync/fsync';
  execFileSync('fiu-ctrl', ['-f', fifo, '-c', order, String(pid)], { timeout: 10_000 });
}
