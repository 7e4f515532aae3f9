import { randomBytes } from 'node:crypto';
import { shelly } from '#adapters/relays/shelly.ts';
import { tasmota } from '#adapters/relays/tasmota.ts';
import { relayQueries } from '#adapters/sql/queries/equipment/relays.ts';
import { machineNetwork } from '#adapters/system/machine-facts.ts';
import { relay, relayMeter } from '#contract/resources/relays.ts';
import { onTables, purge, rowsOf } from '#core/changes.ts';
import type { SendToRelay } from '#features/control/device-link.ts';
import { issueKey } from '#features/control/devices/device-keys.ts';
import { createDiscoveredRelays } from '#features/equipment/relays/adopt-relay.ts';
import { createRelayBook } from '#features/equipment/relays/relay-book.ts';
import { createRelayWork } from '#features/equipment/relays/relay-desk.ts';
import { relayRoutes } from '#features/equipment/relays/routes.ts';
import { requireBoxRight } from '#features/people/box-rights.ts';
import { boxRightsOf } from '#operations/pairing/local-pairing.ts';
import type { Control } from '../control/controllers.ts';
import type { Platform } from '../kernel.ts';

export type RelaysDeps = Platform & { control: Control };

const PROTOCOLS = { tasmota, shelly } as const;
/** 192 bits in 32 characters: older relays take no longer password. */
const RELAY_KEY_BYTES = 24;

/** Relays of the trade as control points: their protocols, what is known of them, and how they are adopted. */
export async function wireRelays(deps: RelaysDeps) {
  const { config, kernel, database, control } = deps;
  const { monotonic } = deps.world;
  const network = deps.world.network ?? machineNetwork;
  const book = createRelayBook({ queries: relayQueries(database.read) });
  await book.load();
  const discovered = createDiscoveredRelays({
    now: kernel.now,
    protocols: Object.values(PROTOCOLS),
    changed: () => deps.tellChanged('relays', 'operators'),
  });
  const views = control.registry;
  const changed = (controlPointId: string) => {
    const farmId = views.byId(controlPointId)?.row.farm_id;
    if (farmId !== undefined) deps.tellChanged('relays', { farmId, who: 'viewers' });
  };
  const work = createRelayWork({
    monotonic,
    now: kernel.now,
    log: kernel.log,
    book,
    views,
    door: control.door,
    levelsOf: control.levelsOf,
    overridingReason: control.overridingReason,
    setTrouble: control.setTrouble,
    protocols: PROTOCOLS,
    discovered,
    heartbeatS: config.pollIntervalS,
    changed,
  });
  // after the registry, which knows the control point by then
  database.onRows(
    onTables(book.tables, (committed) => {
      const { carriers, orphans } = book.follow(committed);
      for (const id of carriers) work.channelsChanged(id);
      for (const { id } of rowsOf(committed, relay)) changed(id);
      if (orphans.length > 0) forget(orphans);
    }),
  );
  forget([...book.all()].filter(({ id }) => views.byId(id) === null).map(({ id }) => id));

  /** The control point is gone; its relay is no relay of ours any more. */
  function forget(ids: readonly string[]): void {
    if (ids.length === 0) return;
    const changes = ids.flatMap((id) => [purge(relay, id), purge(relayMeter, id)]);
    kernel.commit({ changes, actor: null }).catch((error: unknown) => {
      kernel.log.warn(
        { err: error },
        'relays of deleted control points were not removed; the next start does it',
      );
    });
  }

  const opened = { port: config.mqttPort };
  const keyDeps = {
    ...control.adopting.keyDeps,
    newKey: () => randomBytes(RELAY_KEY_BYTES).toString('base64url'),
  };
  const boxRights = boxRightsOf(database.read, config.role);
  const routes = relayRoutes({
    ...kernel,
    monotonic,
    book,
    views,
    work,
    discovered,
    protocols: PROTOCOLS,
    issueKey: (view, issuedBy) => issueKey(keyDeps, view, issuedBy),
    refresh: views.refresh,
    mayRead: async (farmId, userId) => (await deps.accessTo('farm', farmId, userId))?.role != null,
    requireCards: (caller) => requireBoxRight(boxRights.mayOnBox, 'work', caller),
    brokerAt: () => ({ addresses: network().addresses, port: opened.port }),
  });

  return {
    routes,
    desk: work.desk,
    /** True for a control point that is a relay of another maker. */
    isRelay: (controlPointId: string): boolean => book.byId(controlPointId) !== null,
    /** The door of the controllers, through which relays come in, too. */
    door: work.watching(control.door),
    following: work.following,
    /** The broker stands. */
    attach(sendToRelay: SendToRelay, port: number | null): void {
      work.attach(sendToRelay);
      opened.port = port ?? opened.port;
    },
    tick: work.tick,
    /** Every few minutes and at stop: what the meters counted. */
    async saveMeters(): Promise<void> {
      const { changes, failed } = book.takeUnsaved();
      if (changes.length === 0) return;
      try {
        await kernel.commit({ changes, actor: null });
      } catch (error) {
        failed();
        throw error;
      }
    },
  };
}
