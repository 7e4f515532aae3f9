import { randomBytes } from 'node:crypto';
import { sparingLog } from '#adapters/log/sparing-log.ts';
import { guardQuery, hasFarmQuery } from '#adapters/sql/queries/access.ts';
import { lastRun } from '#adapters/sql/queries/control/last-run.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { createStorageHealth } from '#adapters/system/storage-health.ts';
import type { DiskState } from '#contract/events/stream.ts';
import type { Commit } from '#core/changes.ts';
import type { ClockStep } from '#core/clock-step.ts';
import type { Kernel } from '#core/kernel.ts';
import { createRightOfWay } from '#core/use-case.ts';
import { writeBudget } from '#core/write-budget.ts';
import { bootDatabase } from '#operations/boot/climb.ts';
import { whileLocked } from '#operations/boot/while-locked.ts';
import type { Config } from '#runtime/config.ts';
import { joinProcesses } from '#runtime/processes.ts';
import { growingIds, idOfCause, startClock, type World } from '#runtime/world.ts';
import { nodeOf } from '#store/sync-node.ts';

/** Called right after time jumped, or its trust changed: then it jumped by 0. */
type ClockListener = (step: ClockStep) => void;

/** What all else stands on: the open database, the clock, commits. */
export async function wireKernel(config: Config, given: World) {
  const log = sparingLog(given.log, given.monotonic);
  const world: World = { ...given, log };
  // the time floor lies in the database, so until it is open the wall clock has to do
  let started: DisciplinedClock | null = null;
  const now = () => started?.now() ?? world.wallClock();
  const booted = await whileLocked(world, () =>
    bootDatabase(config, {
      log,
      now,
      monotonic: world.monotonic,
      bootId: randomBytes(8).toString('hex'),
      node: nodeOf(config.role, randomBytes(4).toString('hex')),
      onListenerError: (error) => log.error({ err: error }, 'a listener of committed changes failed'),
      onReaderDied: (error) =>
        log.warn(
          { err: error },
          'the reading thread died; long lists are read on the main thread for a while',
        ),
      ...(world.stampsBy === undefined ? {} : { stampsBy: world.stampsBy }),
      ...(world.onMigrating === undefined ? {} : { onMigrating: world.onMigrating }),
    }),
  );
  const processes = await joinProcesses(config, { ...world, database: booted.database, now });
  // what comes from the other instance has consequences for control here, which are stored with it
  const following = { commit: processes.database.commit };
  const database = { ...processes.database, commit: ((unit) => following.commit(unit)) satisfies Commit };
  const diskListeners = new Set<(disk: DiskState) => void>();
  const storage = createStorageHealth({
    commit: database.commit,
    monotonic: world.monotonic,
    folder: config.databaseUrl === null ? config.data : null,
    changed: (disk) => {
      log.warn(
        { disk },
        disk === 'ok' ? 'the disk takes writes again' : 'the disk is full or nearly so; control goes on',
      );
      for (const listener of diskListeners) listener(disk);
    },
  });
  const writes = writeBudget({ monotonic: world.monotonic, hasFarm: hasFarmQuery(database.read) });
  const rightOfWay = createRightOfWay((ms, then) => {
    const timer = setTimeout(then, ms);
    return () => clearTimeout(timer);
  });
  const kernel: Kernel = {
    now,
    elapsedSince: (notedAt) => started?.elapsedSince(notedAt) ?? now() - notedAt,
    clockQuality: () => started?.quality() ?? 'estimated',
    newId: growingIds(now),
    idOf: idOfCause,
    random: world.random,
    pause: world.pause,
    commit: writes.counted(storage.commit),
    goFirst: rightOfWay.goFirst,
    guard: guardQuery(database.read),
    log,
  };
  const run = await lastRun(database.read);
  const clockListeners = new Set<ClockListener>();
  const startedAt = world.monotonic();
  // of several processes one that was ahead would leave its time to all; the clock of the database judges them instead
  const leastTime = world.stampsBy === 'database' && config.databaseUrl !== null ? null : run.leastTime;
  const clock = startClock({ config, world, log }, leastTime, (steppedBy, wasTrusted) => {
    const step = { now: now(), steppedBy, wasTrusted, runningMs: world.monotonic() - startedAt };
    for (const listener of clockListeners) listener(step);
  });
  started = clock;
  return {
    world,
    kernel,
    /** What comes from the other instance waits until nobody goes first. */
    clearWay: rightOfWay.clear,
    booted,
    processes,
    database,
    storage,
    writes,
    run,
    clock,
    onDisk: (listener: (disk: DiskState) => void) => void diskListeners.add(listener),
    onClockStep: (listener: ClockListener) => void clockListeners.add(listener),
    /** Every commit from now on goes through this one. */
    commitBy: (commit: Commit) => {
      following.commit = commit;
    },
  };
}

export type Founded = Awaited<ReturnType<typeof wireKernel>>;
