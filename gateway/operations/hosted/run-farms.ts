import type { Database } from '#adapters/sql/database.ts';
import { holdLease, type Leases, underLease } from '#adapters/sql/lease.ts';
import { keepSeen, silenceQueries } from '#adapters/sql/queries/cloud/silent-gateways.ts';
import { commandQueries } from '#adapters/sql/queries/control/commands.ts';
import { instanceValue } from '#contract/resources/local-tables.ts';
import type { Alerting } from '#core/alerting.ts';
import { put } from '#core/changes.ts';
import type { ProcessPauses } from '#core/clock-trust.ts';
import { isoOf, type Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { createGatewayWatch } from '#features/alarms/alerts/watch-gateways.ts';
import { pendingOf, sendCommand } from '#features/control/commands/gateway-commands.ts';
import { createGatewayLinks, type FarmBindings } from '#features/control/commands/gateway-links.ts';
import { createHostedCommands } from '#features/control/commands/hosted-commands.ts';
import { isShown, isUntold } from '#features/control/commands/take-command.ts';
import type { ControlViews } from '#features/control/control-view.ts';
import type { FarmGateways } from '#features/control/remote-order.ts';
import type { Processes } from '#runtime/processes.ts';
import type { HostedLiveParts } from '../../sync/ports.ts';

export type RemoteFarms = Awaited<ReturnType<typeof createRemoteFarms>>;

/**
 * A hosted instance's part of farms that have a gateway: orders on their way to them, and what their gateways say of their
 * control points.
 */
export async function createRemoteFarms(deps: {
  kernel: Kernel;
  database: Pick<Database, 'read' | 'onRows'>;
  monotonic: () => number;
  notify: Notify;
  processes: Pick<Processes, 'bus'>;
  /** Which gateway runs which farm. */
  bindings: FarmBindings;
  registry: ControlViews;
  /** Something was heard of a control point. */
  presenceChanged: (controlPointId: string) => void;
}) {
  const { kernel, database, monotonic, notify, bindings, registry } = deps;
  const { bus } = deps.processes;
  const { read } = database;
  const links = createGatewayLinks({
    ...kernel,
    monotonic,
    views: registry,
    streamOf: bindings.streamOf,
    farmsOf: bindings.farmsOf,
    tell: bus.tell,
    presenceChanged: deps.presenceChanged,
    keepSeen: (streamIds, at) => keepSeen(read, streamIds, at),
  });
  const queries = commandQueries(read);
  const lastSeen = await lastSeenByStream(database);
  const startedAt = kernel.now();
  const commands = createHostedCommands({
    ...kernel,
    queries,
    notify,
    poke: (streamId) => bus.tell({ is: 'command', streamId }),
  });
  bus.hear((message, from) => {
    if (message.is === 'presence' && from === 'elsewhere') links.hear(message);
  });
  database.onRows(commands.follow);

  const gateways: FarmGateways = {
    hasGateway: async (farmId) => (await bindings.refresh(farmId)) !== null,
    isRunByGateway: (farmId) => bindings.streamOf(farmId) !== null,
    async sendOrder(view, order) {
      const streamId = await bindings.refresh(view.row.farm_id);
      return streamId === null ? null : sendCommand({ ...kernel, queries }, view, order, streamId);
    },
    async pendingOrders(points) {
      const remote = points.filter(({ farm_id }) => bindings.streamOf(farm_id) !== null);
      const open = await queries.openOf(remote.map(({ id }) => id));
      const pointById = new Map(remote.map((point) => [point.id, point]));
      const shown = open.filter((row) => {
        const point = pointById.get(row.control_point_id);
        const now = kernel.now();
        // what a gateway took before the farm was taken off it says nothing of the motor as it is run now
        if (point === undefined || row.stream_id !== bindings.streamOf(point.farm_id)) return false;
        return isShown(row, point, now) || isUntold(row, now);
      });
      // the newest of a control point comes last
      return new Map(shown.map((row) => [row.control_point_id, pendingOf(row, kernel.now())]));
    },
    silentSince(farmId) {
      const streamId = bindings.streamOf(farmId);
      if (streamId === null) return undefined;
      const since = links.silentSince(streamId);
      return since === undefined ? (lastSeen.get(streamId) ?? startedAt) : since;
    },
  };
  const parts: HostedLiveParts = {
    commandsToSend: commands.commandsToSend,
    still: commands.still,
    commandState: commands.commandState,
    live: links.live,
    connected(streamId, isConnected) {
      commands.connected(streamId, isConnected);
      links.connected(streamId, isConnected);
    },
  };
  return {
    gateways,
    bindings,
    /** For the live sockets. */
    parts,
    queries,
    /** Every second or two, in one process: what is void is told. */
    expireOrders: commands.expire,
    /** Every few seconds, in every process. */
    lookAtLinks: links.look,
    /** A controller of a farm without gateway reported to this process. */
    heardHere: links.heardHere,
    /** Alerts of the farms that this instance runs itself alone: a gateway raises those of its own. */
    onlyOwnFarms: (alerting: Alerting): Alerting => ({
      ...alerting,
      raise: async (cause, known) =>
        bindings.streamOf(cause.farm_id) === null ? alerting.raise(cause, known) : [],
    }),
    /** A farm came under a gateway, or away from one. */
    bindingChanged: links.bindingChanged,
  };
}

async function lastSeenByStream({ read }: Pick<Database, 'read'>): Promise<Map<number, number>> {
  const rows = await read.selectFrom('gateways').select(['stream_id', 'last_seen_at', 'paired_at']).execute();
  return new Map(
    rows.map(({ stream_id, last_seen_at, paired_at }) => [stream_id, Date.parse(last_seen_at ?? paired_at)]),
  );
}

/** Another process goes on this long after one that died. */
const EXECUTOR_LEASE_MS = 15_000;
const LEASE_LOOK_MS = 3_000;
const KEEP_EVERY_MS = 30_000;
const TASK_LEASE_MS = 60_000;
/** Whoever ordered waits to be told that nothing came of it: the next process need not be slow to. */
const ORDERS_LEASE_MS = 15_000;
/** Up to when the farms of this instance were looked at, by whichever process; id in instance_values. */
const RUN_UNTIL = 'executor_looked_at';

type HostedWorkDeps = {
  kernel: Kernel;
  monotonic: () => number;
  pauses: ProcessPauses;
  database: Pick<Database, 'read'>;
  leases: Leases;
  control: {
    registry: { load: (which: 'without gateway') => Promise<void> };
    executor: { tick: () => Promise<boolean>; lookedAt: () => number | null };
    beginRunning: (lookedAt: number | null) => void;
    endRunning: () => void;
  };
  remote: RemoteFarms;
  watches: {
    begin: (previousUntil: number | null) => void;
    end: () => void;
    tick: () => Promise<void>;
  };
  forecast: { look: () => Promise<void> };
  alerting: Alerting;
  notify: Notify;
};

/**
 * What one process of a hosted instance does for all: it runs the farms without gateway, watches their controllers, and
 * misses gateways that fall silent. Its ticks are called in every process.
 */
export function createHostedWork(deps: HostedWorkDeps) {
  const { kernel, monotonic, leases, control, watches } = deps;
  const lease = holdLease({
    leases,
    name: 'executor',
    ms: EXECUTOR_LEASE_MS,
    monotonic,
    onError: (error) =>
      kernel.log.warn({ err: error }, 'who runs the farms without gateway could not be asked'),
  });
  const state = {
    isRunning: false,
    lookedAt: Number.NEGATIVE_INFINITY,
    keptAt: Number.NEGATIVE_INFINITY,
  };
  const gatewayWatch = createGatewayWatch({
    ...kernel,
    monotonic,
    listeningSince: monotonic(),
    pauses: deps.pauses,
    alerting: deps.alerting,
    notify: deps.notify,
    queries: silenceQueries(deps.database.read),
  });

  async function begin(): Promise<void> {
    // what other processes did is read before anything is decided
    await control.registry.load('without gateway');
    await deps.remote.bindings.load();
    const until = await runUntil(deps.database);
    control.beginRunning(until);
    watches.begin(until);
    state.isRunning = true;
    state.keptAt = monotonic();
    kernel.log.info({}, 'this process runs the farms without gateway');
  }

  function end(): void {
    if (!state.isRunning) return;
    control.endRunning();
    watches.end();
    state.isRunning = false;
  }

  async function keepLookedAt(): Promise<void> {
    const at = control.executor.lookedAt();
    if (at === null || monotonic() - state.keptAt < KEEP_EVERY_MS) return;
    state.keptAt = monotonic();
    await kernel.commit({ changes: [put(instanceValue, { id: RUN_UNTIL, value: isoOf(at) })], actor: null });
  }

  return {
    /** Every second. */
    async control(): Promise<void> {
      if (monotonic() - state.lookedAt >= LEASE_LOOK_MS) {
        state.lookedAt = monotonic();
        await lease.look();
      }
      if (!lease.isHeld()) return end();
      if (!state.isRunning) await begin();
      await control.executor.tick();
      await keepLookedAt();
    },
    async alerts(): Promise<void> {
      if (lease.isHeld()) await watches.tick();
    },
    async dawn(): Promise<void> {
      if (lease.isHeld()) await deps.forecast.look();
    },
    silence: underLease(leases, { name: 'silent gateways', ms: TASK_LEASE_MS, run: gatewayWatch.tick }),
    expireOrders: underLease(leases, {
      name: 'orders from afar',
      ms: ORDERS_LEASE_MS,
      run: deps.remote.expireOrders,
    }),
    links: deps.remote.lookAtLinks,
    /** Other processes need not wait for the end of the lease. */
    async stop(): Promise<void> {
      end();
      await lease.giveUp();
    },
  };
}

async function runUntil({ read }: Pick<Database, 'read'>): Promise<number | null> {
  const row = await read
    .selectFrom('instance_values')
    .select('value')
    .where('id', '=', RUN_UNTIL)
    .executeTakeFirst();
  const at = row === undefined ? Number.NaN : Date.parse(row.value);
  return Number.isNaN(at) ? null : at;
}
