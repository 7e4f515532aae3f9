import type { Database } from '#adapters/sql/database.ts';
import { keepSeen } from '#adapters/sql/queries/cloud/silent-gateways.ts';
import { commandQueries } from '#adapters/sql/queries/control/commands.ts';
import type { Alerting } from '#core/alerting.ts';
import type { Kernel } from '#core/kernel.ts';
import type { Notify } from '#core/notifying.ts';
import { isShown, isUntold } from '#features/control/commands/command-steps.ts';
import type { FarmBindings } from '#features/control/commands/farm-bindings.ts';
import { createGatewayLinks } from '#features/control/commands/gateway-links.ts';
import { createHostedCommands } from '#features/control/commands/hosted-commands.ts';
import { pendingOf, sendCommand } from '#features/control/commands/send-command.ts';
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
        return point !== undefined && (isShown(row, point, now) || isUntold(row, now));
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
