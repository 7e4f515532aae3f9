import type { Log } from '#core/kernel.ts';
import type { Controller, DeviceDoor } from '#features/control/device-link.ts';
import type { Counters } from './counters.ts';
import type { Peer } from './listeners.ts';

const MINUTE_MS = 60_000;
/** Take-overs remembered of one identity. */
const MAX_REMEMBERED = 100;

export type TableDeps = {
  door: DeviceDoor;
  log: Log;
  now: () => number;
  counters: Counters;
  /** Every open connection, whether it has arrived or not. */
  peers: ReadonlySet<Peer>;
  takeoversPerMinute: number;
  /** Called when a controller's will comes true. */
  keepWill: (peer: Peer, controller: Controller) => void;
};

export type ConnectionTable = ReturnType<typeof createConnectionTable>;

/**
 * Who is connected, by the broker's own knowledge. aedes keeps a table too, but takes a name out of it whoever of that
 * name goes; and a retained will may be that of an older connection. So neither is believed.
 */
export function createConnectionTable(deps: TableDeps) {
  const { door, log, counters } = deps;
  const peersByMqttId = new Map<string, Peer>();
  const takeoversByMqttId = new Map<string, number[]>();
  const contestedSinceByMqttId = new Map<string, number>();

  /** The door's own failures stay with the door. */
  function tell(what: string, call: () => void): void {
    try {
      call();
    } catch (error) {
      counters.count('door_failures');
      log.error({ err: error, what }, 'a report of the broker was not taken');
    }
  }

  function noteTakeover(controller: Controller, source: string): void {
    counters.count('takeovers');
    const now = deps.now();
    const recent = (takeoversByMqttId.get(controller.mqttId) ?? []).filter(
      (at) => Math.abs(now - at) < MINUTE_MS,
    );
    recent.push(now);
    takeoversByMqttId.set(controller.mqttId, recent.slice(-MAX_REMEMBERED));
    if (recent.length <= deps.takeoversPerMinute) return;
    counters.refuse('contested', source);
    // two boards with one key take it from each other several times a second: told once a minute
    const since = contestedSinceByMqttId.get(controller.mqttId);
    if (since !== undefined && Math.abs(now - since) < MINUTE_MS) return;
    contestedSinceByMqttId.set(controller.mqttId, now);
    tell('identityContested', () => door.identityContested(controller, recent.length));
  }

  /** The connection is over: tells the door once, and ends the stream. */
  function end(peer: Peer, how: { clean: boolean; takenOver: boolean }): void {
    const { controller, will, phase } = peer;
    peer.phase = 'ended';
    if (how.takenOver) peer.isDisowned = true;
    peer.stream.destroy();
    if (phase !== 'live' || controller === null) return;
    // Who is live has the name: an older one ended before it arrived.
    peersByMqttId.delete(controller.mqttId);
    // A controller that is connected again is not lost, whatever the older connection's will says.
    if (will !== null && !how.clean && !peer.isDisowned) {
      deps.keepWill(peer, controller);
      tell('stateChanged', () => door.stateChanged(controller, will.state));
    }
    tell('disconnected', () => door.disconnected(controller, how));
  }

  return {
    tell,
    end,

    /** Its name is registered and CONNACK is on its way. An older connection of that name ends here. */
    arrive: (peer: Peer): void => {
      const { controller } = peer;
      // It may be gone again while aedes was still busy with its CONNECT.
      if (controller === null || peer.phase !== 'open') return;
      const older = peersByMqttId.get(controller.mqttId);
      if (older !== undefined) {
        end(older, { clean: false, takenOver: true });
        noteTakeover(controller, peer.source);
      }
      peer.phase = 'live';
      peersByMqttId.set(controller.mqttId, peer);
      counters.count('connects');
      tell('connected', () => door.connected(controller, { source: peer.source, since: peer.since }));
    },

    /** The stream closed. */
    leave: (peer: Peer): void => {
      if (peer.phase !== 'ended') end(peer, { clean: peer.saidGoodbye, takenOver: false });
    },

    /** Deleted, renamed or its key revoked: nothing it still says counts. */
    disown: (mqttId: string): void => {
      takeoversByMqttId.delete(mqttId);
      contestedSinceByMqttId.delete(mqttId);
      // All of that name: one may have proved its key, and not be registered yet.
      for (const peer of deps.peers) {
        if (peer.controller?.mqttId !== mqttId) continue;
        peer.isDisowned = true;
        end(peer, { clean: false, takenOver: false });
      }
    },

    isConnected: (mqttId: string): boolean => peersByMqttId.has(mqttId),
    size: (): number => peersByMqttId.size,
  };
}
