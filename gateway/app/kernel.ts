import { randomBytes } from 'node:crypto';
import { clientAddresses } from '#adapters/http/client-address.ts';
import { createMetrics } from '#adapters/http/metrics.ts';
import { createChecks } from '#adapters/http/platform.ts';
import { sparingLog } from '#adapters/log/json-log.ts';
import { createRefusals } from '#adapters/log/refusals.ts';
import { underLease } from '#adapters/sql/lease.ts';
import { accessQuery, guardQuery, hasFarmQuery } from '#adapters/sql/queries/access.ts';
import { lastRun } from '#adapters/sql/queries/control/last-run.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { createStorageHealth } from '#adapters/system/storage-health.ts';
import type { Tick } from '#adapters/timers/ticks.ts';
import type { DiskState, SyncEvent } from '#contract/events/stream.ts';
import type { Commit } from '#core/changes.ts';
import { type ClockStep, NO_PAUSES } from '#core/clock-trust.ts';
import { StorageUnavailable } from '#core/errors.ts';
import type { Kernel } from '#core/kernel.ts';
import { createSignals } from '#core/signals.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { createRightOfWay } from '#core/use-case.ts';
import { writeBudget } from '#core/write-budget.ts';
import type { ControlView } from '#features/control/control-view.ts';
import { bootDatabase } from '#operations/boot/climb.ts';
import { whileLocked } from '#operations/boot/new-history.ts';
import { canSend, notifierOf } from '#operations/delivery/news.ts';
import { readinessOf } from '#operations/doctor/readiness.ts';
import type { Config } from '#runtime/config.ts';
import { busHealth, joinProcesses } from '#runtime/processes.ts';
import { growingIds, idOfCause, startClock, type World } from '#runtime/world.ts';
import { nodeOf } from '#store/sync-node.ts';
import type { Area } from './area.ts';

/** What happens here and is no row: who reacts subscribes by itself. */
type Happenings = {
  /** Time jumped, or its trust changed: then it jumped by 0. */
  clockStepped: [step: ClockStep];
  disk: [state: DiskState];
  /** Answers of one kind differ from now on. */
  changed: Parameters<TellChanged>;
  /** A controller reported, or is silent. */
  presence: [controlPointId: string];
  /** An order that the disk did not take. */
  unsaved: [view: ControlView];
  /** Hosted: a farm came under a gateway, or away from one. */
  farmBound: [farmId: string];
  sync: [event: SyncEvent];
};

/** Longer than between two of the tasks that one process does for all, so that it goes on with them while it lives. */
const TASK_LEASE_MS = 60_000;

/** What all else stands on: the open database, the clock, and who hears of what happens. Commits go straight to disk. */
export async function openBase(config: Config, given: World) {
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
  const { database } = processes;
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
    commit: database.commit,
    goFirst: rightOfWay.goFirst,
    guard: guardQuery(database.read),
    log,
  };
  const signals = createSignals<Happenings>((happened, error) =>
    log.error({ err: error, happened }, 'a listener of what happens in this process failed'),
  );
  const run = await lastRun(database.read);
  const startedAt = world.monotonic();
  // of several processes one that was ahead would leave its time to all; the clock of the database judges them instead
  const leastTime = world.stampsBy === 'database' && config.databaseUrl !== null ? null : run.leastTime;
  const clock = startClock({ config, world, log }, leastTime, (steppedBy, wasTrusted) =>
    signals.tell('clockStepped', {
      now: now(),
      steppedBy,
      wasTrusted,
      runningMs: world.monotonic() - startedAt,
    }),
  );
  started = clock;
  return {
    config,
    world,
    monotonic: world.monotonic,
    pauses: world.pauses ?? NO_PAUSES,
    kernel,
    signals,
    tellChanged: ((kind, to) => signals.tell('changed', kind, to)) satisfies TellChanged,
    /** What comes from the other instance waits until nobody goes first. */
    clearWay: rightOfWay.clear,
    booted,
    processes,
    database,
    run,
    clock,
  };
}

export type Base = Awaited<ReturnType<typeof openBase>>;
export type Platform = ReturnType<typeof openPlatform>;

/**
 * What every area takes: the base, with commits that go through `commit` (what comes from the other instance has
 * consequences for control here, which are stored with it) and are watched, and what areas have in common.
 */
export function openPlatform(base: Base, commit: Commit) {
  const { config, world, processes, signals, clock } = base;
  const { log } = base.kernel;
  const database = { ...base.database, commit };
  const storage = createStorageHealth({
    commit,
    monotonic: world.monotonic,
    folder: config.databaseUrl === null ? config.data : null,
    changed: (disk) => {
      log.warn(
        { disk },
        disk === 'ok' ? 'the disk takes writes again' : 'the disk is full or nearly so; control goes on',
      );
      signals.tell('disk', disk);
    },
  });
  const writes = writeBudget({ monotonic: world.monotonic, hasFarm: hasFarmQuery(database.read) });
  const kernel: Kernel = { ...base.kernel, commit: writes.counted(storage.commit) };
  signals.on('disk', (disk) => {
    if (disk !== 'full') void database.storeUnsaved(kernel.commit).catch(() => undefined);
  });
  const metrics = createMetrics();
  const refusals = createRefusals({ log }, ['mqtt', 'http']);
  metrics.counterBy('http_refused_total', 'Requests refused, by status and code', ['status', 'code'], () =>
    refusals.totals('http'),
  );
  const checks = createChecks();
  if (config.databaseUrl !== null) checks.add('bus', () => busHealth(processes.bus));

  /** Messages that a full disk refused. As long as it does, that is known already. */
  async function storeUnsaved(): Promise<void> {
    await database.storeUnsaved(kernel.commit).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error;
    });
  }

  const area: Area = {
    ticks: [
      // a machine that slept or was set right has another time from then on; on a gateway control looks with its own
      ...(config.role === 'hosted' ? [{ name: 'clock', everyS: 1, run: () => void clock.look() }] : []),
      { name: 'disk', everyS: 30, run: storage.look },
      { name: 'what the disk did not take', everyS: 5, run: storeUnsaved },
      { name: 'refusals', everyS: 60, run: refusals.tell },
      { name: 'what another process wrote', everyS: 2, run: processes.lookElsewhere },
    ],
    stop: {
      last: () =>
        database
          .storeUnsaved(kernel.commit)
          .catch((error: unknown) => log.warn({ err: error }, 'messages were not stored, and are lost')),
    },
  };
  return {
    ...base,
    area,
    kernel,
    database,
    storage,
    writes,
    metrics,
    refusals,
    checks,
    /** The database with the commits of other processes heard, too. */
    heard: processes.heard,
    attempts: processes.attempts,
    leases: processes.leases,
    clients: clientAddresses(config.trustedProxies, tellOnceOfProxy(config, log)),
    accessTo: accessQuery(database.read),
    notify: notifierOf(canSend(config), kernel, database),
    ready: () => readinessOf({ database, checks, storage, clock }),
    /** The monotonic clock, for what comes from afar: a sleep of the machine that no beat has noticed yet is counted in. */
    noticingSleep() {
      base.pauses.all();
      return world.monotonic();
    },
    /** Tasks that one process of a hosted instance does for all; a gateway is one process. */
    onceForAll: (ticks: readonly Tick[]): readonly Tick[] =>
      config.role === 'gateway'
        ? ticks
        : ticks.map((tick) => ({
            ...tick,
            run: underLease(processes.leases, { name: tick.name, ms: TASK_LEASE_MS, run: tick.run }),
          })),
  };
}

/** A hosted instance behind a proxy that nobody named takes all the world for one address, and its limits with it. */
function tellOnceOfProxy({ role }: Config, log: World['log']): (proxy: string) => void {
  let isTold = role !== 'hosted';
  return (proxy) => {
    if (isTold) return;
    isTold = true;
    log.warn(
      { proxy },
      'requests come through a proxy that is not trusted, so limits count all its people as one: see --trusted-proxies',
    );
  };
}
