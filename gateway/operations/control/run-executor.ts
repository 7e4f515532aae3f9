import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database } from '#adapters/sql/database.ts';
import { instanceValue } from '#adapters/sql/instance.ts';
import { logEntry } from '#contract/resources/logs.ts';
import { asParent, type Committed, type GuardSeen, onTables } from '#core/changes.ts';
import type { Kernel } from '#core/kernel.ts';
import { NewestMap } from '#core/newest-map.ts';
import { zoneClocks } from '#core/zone-clock.ts';
import type { OxygenLoop } from '#features/control/aeration/oxygen-loop.ts';
import { giveOrder } from '#features/control/control-points/give-order.ts';
import { saveUnsaved } from '#features/control/control-points/save-unsaved.ts';
import type { traceOrders } from '#features/control/control-points/trace-orders.ts';
import type { ControlView } from '#features/control/control-view.ts';
import type { KeyDeps, KeyUses } from '#features/control/devices/device-keys.ts';
import type { createLevelPublisher, LevelDeps } from '#features/control/devices/publish-levels.ts';
import { createReadBack } from '#features/control/devices/read-back.ts';
import { cameBack, type Registry } from '#features/control/devices/registry.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';
import { createExecutor, type Executor } from '#features/control/schedules/executor.ts';
import { createStamps } from '#features/control/schedules/follow-clock-step.ts';
import type { FollowMerged } from '#features/control/schedules/follow-merged.ts';
import type { SafetyDemand } from '#features/control/schedules/wanted-state.ts';
import type { Config } from '#runtime/config.ts';
import type { Processes } from '#runtime/processes.ts';

/**
 * The one executor of the farms this instance runs. On a gateway it runs at once; of the processes of a hosted instance
 * the one that holds the lease begins it, and ends it with the lease.
 */
export function runExecutor(deps: {
  config: Pick<Config, 'role' | 'startStepS'>;
  kernel: Kernel;
  monotonic: () => number;
  registry: Pick<Registry, 'setUnsaved'>;
  /** Control points whose farm this instance runs. */
  ownViews: Registry;
  gateways: Pick<FarmGateways, 'hasGateway'>;
  /** What the water asks of a control point, and an alarm of a siren. */
  safetyOf: (controlPointId: string) => readonly SafetyDemand[];
  sendUnsaved: (controlPointId: string) => void;
  shownReasons: () => Promise<readonly { id: string; value: string }[]>;
  lookedAt: number | null;
}) {
  const { config, kernel, gateways, ownViews } = deps;
  const isGateway = config.role === 'gateway';

  /** A binding moves the guard of the farm: what was decided before it is decided again, and then left alone. */
  async function permitFor({ row }: ControlView): Promise<readonly GuardSeen[] | null> {
    const guard = asParent(await kernel.guard('farm', row.farm_id));
    return (await gateways.hasGateway(row.farm_id)) ? null : [guard];
  }

  const start = (lookedAt: number | null) =>
    createExecutor(
      {
        ...kernel,
        monotonic: deps.monotonic,
        views: ownViews,
        ...(isGateway ? {} : { permitFor }),
        giveOrder: (view, order) => giveOrder(kernel, view, order),
        saveUnsaved: (view) => saveUnsaved(kernel, view),
        setUnsaved: deps.registry.setUnsaved,
        sendUnsaved: deps.sendUnsaved,
        safetyOf: deps.safetyOf,
        shownReasons: deps.shownReasons,
        startStepMs: config.startStepS * 1000,
      },
      { lookedAt },
    );
  const stamps = createStamps({ ...kernel, views: ownViews });
  const running: { executor: Executor | null } = { executor: isGateway ? start(deps.lookedAt) : null };
  return {
    stamps,
    executor: {
      /** null: never, or not in this process. */
      lookedAt: () => running.executor?.lookedAt() ?? null,
      /** The last instant at which the clock was trusted, as far as is known. */
      untrustedSince: () => running.executor?.untrustedSince() ?? deps.lookedAt ?? kernel.now(),
      /** Whether it switched anything. */
      async tick(): Promise<boolean> {
        if (running.executor === null) return false;
        await stamps.look();
        return running.executor.tick();
      },
    },
    /** Hosted instance: this process runs the farms without gateway from now on. */
    beginRunning(lookedAt: number | null) {
      running.executor = start(lookedAt);
    },
    endRunning() {
      running.executor = null;
    },
  };
}

/** The rows control knows are followed: new levels go out, and controllers of what is gone are let go of. */
export async function followRows(deps: {
  kernel: Pick<Kernel, 'log'>;
  database: Pick<Database, 'onRows'>;
  /** What other processes of this instance commit. */
  processes: Pick<Processes, 'others'>;
  registry: Registry;
  keyUses: KeyUses;
  merged: Pick<FollowMerged, 'begin'>;
  oxygen: Pick<OxygenLoop, 'follow'>;
  publisher: Pick<ReturnType<typeof createLevelPublisher>, 'follow'>;
  trace: Pick<ReturnType<typeof traceOrders>, 'committed'>;
}): Promise<void> {
  const { kernel, database, registry, keyUses, merged, oxygen, publisher, trace } = deps;
  const { others } = deps.processes;
  const readBack = createReadBack({
    log: kernel.log,
    refresh: registry.refresh,
    later: (ms, run) => void setTimeout(run, ms).unref(),
    isBack: (view) => publisher.follow(null, view),
  });
  const follow = (committed: Committed) => {
    const touched = registry.follow(committed);
    // said before the level goes out, so that the lines of an order stand in their order
    trace.committed(committed);
    for (const { before, after } of touched) publisher.follow(before, after);
    for (const id of cameBack(committed)) readBack(id);
  };
  database.onRows(onTables(registry.tables, follow, { alsoReads: [logEntry] }));
  database.onRows(keyUses.follow);
  // after the registry, which knows who airs a pond by then
  database.onRows(oxygen.follow);
  others.onRows(oxygen.follow);
  // what an earlier run took over from the other instance and did not finish comes before any look at the rules
  await merged.begin();
  /** Levels that are new go out, and controllers of what is gone are let go of. */
  async function readAgain(): Promise<void> {
    const before = new Map([...registry.all()].map((view) => [view.row.id, view]));
    await registry.load();
    const ids = new Set([...before.keys(), ...[...registry.all()].map(({ row }) => row.id)]);
    for (const id of ids) publisher.follow(before.get(id) ?? null, registry.byId(id));
  }
  others.onGap(() => {
    Promise.all([readAgain(), keyUses.load()]).catch((error: unknown) =>
      kernel.log.error({ err: error }, 'control points as other processes changed them could not be read'),
    );
  });
}

/** Offsets of zones, seconds; each zone's calendar is asked once and then remembered. */
export function offsets(): LevelDeps['utcOffsetS'] {
  const clockOf = zoneClocks();
  return (zone, atMs) => clockOf(zone).offsetAt(atMs) / 1000;
}

/** Keys whose hash is remembered. */
const MOST_KEYS = 2_000;

/** How keys of controllers are made and compared. */
export async function keyTools(kernel: Kernel, database: Database): Promise<KeyDeps> {
  const pepper = createSecretKey(await instanceValue(database.read, 'device_key_pepper'), 'utf8');
  // who reports over HTTP shows the same key every few seconds; no key stands in memory
  const known = new NewestMap<string, string>(MOST_KEYS);
  const hashKey = (key: string): string => {
    const digest = hash('sha256', key, 'base64');
    const before = known.get(digest);
    if (before !== undefined) return before;
    const hashed = createHmac('sha256', pepper).update(key).digest('hex');
    known.set(digest, hashed);
    return hashed;
  };
  return {
    ...kernel,
    newKey: () => randomBytes(32).toString('base64url'),
    hashKey,
    sameHash: (a, b) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b)),
  };
}
