import { createEventHub } from '#adapters/http/event-hub.ts';
import { eventSnapshot } from '#adapters/http/event-snapshot.ts';
import { createEventTickets } from '#adapters/http/event-stream.ts';
import { tellGateways } from '#adapters/http/tell-gateways.ts';
import { eventQueries } from '#adapters/sql/queries/event-snapshot.ts';
import { controlPointEventOf } from '#contract/events/stream.ts';
import { command } from '#contract/resources/sync-tables.ts';
import { onTables, rowsOf } from '#core/changes.ts';
import { isoOf } from '#core/kernel.ts';
import { requireReadScope } from '#core/token-scope.ts';
import { commandEventOf } from '#features/control/commands/routes.ts';
import { knownState } from '#features/control/control-view.ts';
import { NO_GATEWAYS } from '#features/control/remote-order.ts';
import type { Cloud } from '../cloud/cloud.ts';
import type { ControlArea } from '../control/control.ts';
import type { Platform } from '../kernel.ts';
import type { People } from '../people/people.ts';

type Needs = {
  people: Pick<People, 'authenticate' | 'secret'>;
  control: Pick<ControlArea, 'control' | 'remote'>;
  cloud: Pick<Cloud, 'gatewaySync'>;
};

/** The event stream of this instance: what is committed, and what happens in this process, to whoever may see it. */
export function wireEvents(platform: Platform, { people, control: { control, remote }, cloud }: Needs) {
  const { config, kernel, clock, heard, metrics, signals, storage } = platform;
  const { registry, presenceOf } = control;
  const queries = eventQueries(heard.read);
  const gateways = tellGateways({
    silentSince: (remote?.gateways ?? NO_GATEWAYS).silentSince,
    tell: (farmId, event) => hub.tell(farmId, 'gateway', event),
  });
  const snapshot = {
    ...kernel,
    gatewaysOf: gateways.of,
    syncAsTold: async () => (await cloud.gatewaySync?.asTold()) ?? null,
    storedSnapshot: queries.snapshotFor,
    presenceOf,
    asKnown: <Point extends { id: string }>(point: Point) => ({
      ...point,
      ...knownState(registry.byId(point.id)),
    }),
    disk: storage.told,
    onlineAfterMs: config.onlineAfterS * 1000,
  };
  const notServed = (error: unknown) =>
    kernel.log.error({ err: error }, 'an event stream could not be served');
  const hub = createEventHub({
    ...queries,
    onCommit: heard.onCommit,
    authenticate: async (bearer) => requireReadScope(await people.authenticate(bearer)),
    snapshotFor: (userId, farmIds) => eventSnapshot(snapshot, userId, farmIds),
    now: kernel.now,
    later: (ms, run) => void setTimeout(run, ms).unref(),
    onError: notServed,
  });
  metrics.gauge('event_streams_open', 'Event streams that are open', hub.openStreams);
  metrics.counter(
    'event_streams_dropped_total',
    'Streams cut because the client was too slow',
    hub.droppedStreams,
  );
  // after everybody has heard the commit that it comes of: of a farm that it deleted nobody is told any more
  signals.on('changed', (kind, to) => {
    Promise.resolve()
      .then(() => hub.tellChanged(kind, to))
      .catch(notServed);
  });
  signals.on('sync', (event) => hub.tellAll('sync', event));
  signals.on('disk', (state) => hub.tellAll('disk', { state, server_time: isoOf(kernel.now()) }));
  signals.on('clockStepped', () =>
    hub.tellAll('clock', {
      quality: kernel.clockQuality(),
      server_time: isoOf(kernel.now()),
      detail: clock.state().reason,
    }),
  );
  signals.on('unsaved', (view) =>
    hub.tell(
      view.row.farm_id,
      'control_point',
      controlPointEventOf({ ...view.row, ...knownState(view) }, { rev: view.row.rev, deleted: false }),
    ),
  );
  signals.on('presence', (id) => {
    // nearly always nobody looks, and a heartbeat is the most frequent thing there is
    if (hub.openStreams() === 0) return;
    const item = presenceOf(id);
    const farmId = registry.byId(id)?.row.farm_id;
    if (item !== null && farmId !== undefined) hub.tell(farmId, 'presence', item);
  });
  // hosted: how far orders got on their way to a gateway, in whichever process
  const tellCommands = onTables([command], (committed) => {
    if (hub.openStreams() === 0) return;
    for (const { after } of rowsOf(committed, command)) {
      const farmId = registry.byId(after.control_point_id)?.row.farm_id;
      if (farmId !== undefined) hub.tell(farmId, 'command', commandEventOf(after, farmId));
    }
  });
  if (remote !== null) heard.onRows(tellCommands);
  return {
    hub,
    tickets: createEventTickets({ ...kernel, monotonic: platform.monotonic, secret: people.secret }),
    /** Hosted instance: whoever watches a farm hears when its gateway falls silent, and when it is back. */
    tellGateways: () => gateways.look(hub.watchedFarms()),
  };
}
