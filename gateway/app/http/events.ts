import { createEventHub } from '#adapters/http/event-hub.ts';
import { type EventSnapshotDeps, eventSnapshot } from '#adapters/http/event-snapshot.ts';
import { createEventTickets } from '#adapters/http/event-tickets.ts';
import { type Checks, checked } from '#adapters/http/health.ts';
import type { Metrics } from '#adapters/http/metrics.ts';
import { tellGateways } from '#adapters/http/tell-gateways.ts';
import type { Database } from '#adapters/sql/database.ts';
import { eventQueries } from '#adapters/sql/queries/event-snapshot.ts';
import type { DisciplinedClock } from '#adapters/system/disciplined-clock.ts';
import { measuredDelays, watchEventLoop } from '#adapters/system/event-loop.ts';
import type { StorageHealth } from '#adapters/system/storage-health.ts';
import type { PresenceItem, SyncEvent } from '#contract/events/stream.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Caller } from '#core/route.ts';
import type { TellChanged } from '#core/tell-changed.ts';
import { type ControlView, type ControlViews, currentOf, targetOf } from '#features/control/control-view.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';
import type { Config } from '#runtime/config.ts';

/** What changed, told from the moment on that the event stream stands: desks are wired before it. */
export function lateTeller(): { tell: TellChanged; follow: (tell: TellChanged) => void } {
  const late: { tell: TellChanged } = { tell: () => undefined };
  return {
    tell: (kind, to) => late.tell(kind, to),
    follow(tell) {
      late.tell = tell;
    },
  };
}

/** The event stream of this instance. */
export function wireEvents(
  config: Config,
  kernel: Kernel,
  database: Database,
  deps: {
    monotonic: () => number;
    authenticate: (bearer: string) => Promise<Caller>;
    secret: string;
    metrics: Metrics;
    presenceOf: (controlPointId: string) => PresenceItem | null;
    gateways: Pick<FarmGateways, 'silentSince'>;
    asKnown: EventSnapshotDeps['asKnown'];
    disk: StorageHealth['disk'];
  },
) {
  const queries = eventQueries(database.read);
  const late = { syncAsTold: async (): Promise<SyncEvent | null> => null };
  const gateways = tellGateways({
    silentSince: deps.gateways.silentSince,
    tell: (farmId, event) => hub.tell(farmId, 'gateway', event),
  });
  const snapshot = {
    ...kernel,
    gatewaysOf: gateways.of,
    syncAsTold: () => late.syncAsTold(),
    storedSnapshot: queries.snapshotFor,
    presenceOf: deps.presenceOf,
    asKnown: deps.asKnown,
    disk: deps.disk,
    onlineAfterMs: config.onlineAfterS * 1000,
  };
  const hub = createEventHub({
    ...queries,
    onCommit: database.onCommit,
    authenticate: deps.authenticate,
    snapshotFor: (userId, farmIds) => eventSnapshot(snapshot, userId, farmIds),
    now: kernel.now,
    later: (ms, run) => void setTimeout(run, ms).unref(),
    onError: (error) => kernel.log.error({ err: error }, 'an event stream could not be served'),
  });
  deps.metrics.gauge('event_streams_open', 'Event streams that are open', hub.openStreams);
  deps.metrics.counter(
    'event_streams_dropped_total',
    'Streams cut because the client was too slow',
    hub.droppedStreams,
  );
  return {
    hub,
    tickets: createEventTickets({ ...kernel, monotonic: deps.monotonic, secret: deps.secret }),
    /** Hosted instance: whoever watches a farm hears when its gateway falls silent, and when it is back. */
    tellGateways: () => gateways.look(hub.watchedFarms()),
    /** Called once the sync of a gateway stands. */
    followSync(asTold: () => Promise<SyncEvent>) {
      late.syncAsTold = asTold;
    },
  };
}

/** Figures of control for Prometheus. */
export function tellControl(
  metrics: Metrics,
  registry: ControlViews,
  deps: { storage: StorageHealth; quality: Kernel['clockQuality'] },
): void {
  const count = (fits: (view: ControlView) => boolean) =>
    [...registry.all()].filter((view) => !view.row.is_simulated && fits(view)).length;
  metrics.gauge('control_points', 'Control points of this instance', () => count(() => true));
  metrics.gauge(
    'control_points_mismatched',
    'Control points whose reported state is not the wanted one',
    () =>
      count((view) => {
        const { current_status: current } = currentOf(view);
        return current !== null && current !== targetOf(view).target_status;
      }),
  );
  metrics.gauge('control_points_unsaved', 'Control points whose target is only in memory', () =>
    count(({ unsaved }) => unsaved !== null),
  );
  metrics.gauge('clock_trusted', '1 while the clock is trusted', () =>
    deps.quality() === 'trusted' ? 1 : 0,
  );
  metrics.gauge('disk_ok', '1 while the disk takes writes and has room', () =>
    deps.storage.disk() === 'ok' ? 1 : 0,
  );
}

/** Watches the event loop of this process until it is stopped. */
export function watchProcess({
  kernel,
  metrics,
  checks,
}: {
  kernel: Kernel;
  metrics: Metrics;
  checks: Checks;
}) {
  const loop = watchEventLoop({ log: kernel.log, delays: measuredDelays() });
  metrics.gauge(
    'event_loop_delay_p99_seconds',
    'Delay of the event loop, p99 of the last whole minute',
    () => loop.p99Ms() / 1000,
  );
  checks.add('event_loop', loop.health);
  return loop;
}

/** How far the clock of a process may be apart from that of its database. */
const MOST_APART_MS = 5_000;

/**
 * Control goes on with a doubtful clock, a full disk and a broker that is being started anew, so they are told here
 * without making the instance unready. A process of a hosted instance that hears no other, or whose clock is not that of
 * the database, is unready: there are others.
 */
export async function readiness(
  { database, checks }: { database: Database; checks: Checks },
  storage: StorageHealth,
  clock: DisciplinedClock,
) {
  const answers = await checked(database.ping);
  const disk = storage.disk();
  const { trust, reason } = clock.state();
  const parts = checks.read();
  const aheadMs = database.aheadMs() ?? 0;
  // times that people read, ends of tokens and of orders would be wrong
  const isTogether = Math.abs(aheadMs) <= MOST_APART_MS;
  return {
    ready: answers.ok && isTogether && parts['bus']?.ok !== false,
    checks: {
      database: answers,
      disk: disk === 'ok' ? { ok: true } : { ok: false, detail: disk },
      clock: isTogether
        ? { ok: trust === 'trusted', detail: reason }
        : {
            ok: false,
            detail: `${Math.round(aheadMs / 1000)} s apart from the clock of the database; set it right and start this process again`,
          },
      ...parts,
    },
  };
}

export type Events = ReturnType<typeof wireEvents>;
