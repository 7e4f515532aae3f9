import { Readable } from 'node:stream';
import type { Aedes, Client, PublishPacket } from 'aedes';
import { bootTopic } from '#contract/mqtt/boot.ts';
import { MAX_DEVICE_MESSAGE_BYTES } from '#contract/mqtt/messages.ts';
import {
  commandTopic,
  DEVICE_LEVELS,
  type DeviceLevel,
  deviceTopic,
  TIME_TOPIC,
} from '#contract/mqtt/topics.ts';
import { plainJson } from '#contract/plain-number.ts';
import type { Log } from '#core/kernel.ts';
import type {
  Controller,
  DeviceDoor,
  DeviceLink,
  DeviceTalk,
  Levels,
} from '#features/control/device-link.ts';
import type { Counters } from './counters.ts';
import type { Guests } from './guests.ts';
import type { Peer } from './listeners.ts';

export type LinkDeps = {
  broker: Pick<Aedes, 'publish' | 'closed'>;
  levels: Pick<LevelStore, 'keepRetained' | 'forgetRetained'>;
  table: ConnectionTable;
  guests: Pick<Guests, 'isHere' | 'end'>;
  counters: Counters;
  log: Log;
};

type Message = { topic: string; payload: Buffer; qos: 0 | 1; retain: boolean };

const levelMessage = (mqttId: string, level: DeviceLevel, body: object): Message => ({
  topic: deviceTopic(mqttId, level),
  payload: Buffer.from(plainJson(body)),
  qos: 1,
  retain: true,
});

const timeMessage = (t: number): Message => ({
  topic: TIME_TOPIC,
  payload: Buffer.from(JSON.stringify({ t })),
  qos: 0,
  retain: false,
});

export function createDeviceLink(deps: LinkDeps) {
  const { table, levels, counters, log } = deps;

  function publish(message: Message): void {
    if (deps.broker.closed) return;
    if (message.payload.length > MAX_DEVICE_MESSAGE_BYTES) counters.count('large_levels');
    deps.broker.publish({ cmd: 'publish', dup: false, ...message }, (error) => {
      if (error) log.warn({ err: error, topic: message.topic }, 'a message to controllers was not sent');
    });
  }

  const publishLevel = (mqttId: string, level: DeviceLevel, body: object): void =>
    publish(levelMessage(mqttId, level, body));

  const link: DeviceLink = {
    publishShadow: (mqttId, level) => publishLevel(mqttId, 'shadow/desired', level),
    publishConfig: (mqttId, config) => publishLevel(mqttId, 'config/desired', config),
    publishSchedule: (mqttId, schedule) => publishLevel(mqttId, 'schedule/desired', schedule),
    publishOta: (mqttId, level) => publishLevel(mqttId, 'ota/desired', level),
    forget: (mqttId) => {
      // First the connection: to it, a cleared level would be a message without content.
      table.disown(mqttId);
      for (const level of DEVICE_LEVELS) levels.forgetRetained(deviceTopic(mqttId, level));
      levels.forgetRetained(deviceTopic(mqttId, 'state'));
    },
    isConnected: table.isConnected,
  };

  /** Keeps levels for whoever subscribes, without sending them to anybody now. */
  function keep({ mqttId, shadow, config, schedule, ota }: Levels): void {
    const bodies = [
      ['shadow/desired', shadow],
      ['config/desired', config],
      ['schedule/desired', schedule],
    ] as const;
    for (const [level, body] of bodies) {
      levels.keepRetained({ cmd: 'publish', dup: false, ...levelMessage(mqttId, level, body) });
    }
    // most controllers never have an update under way: nothing is kept for them
    if (ota === undefined) levels.forgetRetained(deviceTopic(mqttId, 'ota/desired'));
    else levels.keepRetained({ cmd: 'publish', dup: false, ...levelMessage(mqttId, 'ota/desired', ota) });
  }

  const once = (topic: string, body: object): Message => ({
    topic,
    payload: Buffer.from(plainJson(body)),
    qos: 1,
    retain: false,
  });
  const talk: DeviceTalk = {
    sendCommand: (mqttId, correlation, command) => {
      if (!table.isConnected(mqttId)) return false;
      publish(once(commandTopic(mqttId, correlation), command));
      return true;
    },
    sendCredentials: (mac, credentials) => {
      if (!deps.guests.isHere(mac)) return false;
      publish(once(bootTopic(mac, 'credentials'), credentials));
      return true;
    },
    endGuests: deps.guests.end,
  };

  return {
    link,
    talk,
    keep,
    timeMessage,
    publishTime: (t: number): void => publish(timeMessage(t)),
  };
}

export type LevelStore = ReturnType<typeof createLevelStore>;

type Numbered = { cmd: string; messageId?: number };

const NOTHING = Promise.resolve(undefined);
const NOBODY = Promise.resolve([]);

/**
 * What the broker keeps: retained messages, and which QoS 2 messages wait for their release. Sessions are always clean
 * and wills are kept with the connection, so there is no queue for the absent: nothing here can grow with time.
 * It has the shape aedes asks of a persistence.
 */
export function createLevelStore() {
  const retainedByTopic = new Map<string, PublishPacket>();
  const unreleasedByClient = new WeakMap<Client, Set<number>>();

  function unreleasedOf(client: Client): Set<number> {
    const known = unreleasedByClient.get(client) ?? new Set<number>();
    unreleasedByClient.set(client, known);
    return known;
  }

  function storeRetained(packet: PublishPacket): void {
    if (packet.payload.length === 0) retainedByTopic.delete(packet.topic);
    // The payload is a window into the chunk it came in, which it would keep alive.
    else retainedByTopic.set(packet.topic, { ...packet, payload: Buffer.from(packet.payload) });
  }

  return {
    /** True while a QoS 2 message of this number waits for its release: the same again is a repetition. */
    isUnreleased: (client: Client, messageId: number | undefined): boolean =>
      messageId !== undefined && unreleasedByClient.get(client)?.has(messageId) === true,
    /** Whether what is retained there says this. */
    retainedSays: (topic: string, text: string): boolean =>
      retainedByTopic.get(topic)?.payload.includes(text) === true,
    forgetRetained: (topic: string): void => void retainedByTopic.delete(topic),
    keepRetained: storeRetained,
    retainedCount: (): number => retainedByTopic.size,

    persistence: {
      // aedes looks for this very kind of function
      setup: async () => {},
      destroy: async () => {},

      storeRetained: (packet: PublishPacket) => {
        storeRetained(packet);
        return NOTHING;
      },
      // A filter with a wildcard stands for orders, which are never retained: a look-up is enough.
      createRetainedStreamCombi: (filters: readonly string[]) =>
        Readable.from(filters.flatMap((filter) => retainedByTopic.get(filter) ?? [])),

      // aedes asks this first for a PUBLISH, and only then stores it: two in one segment would both be new.
      // So asking reserves the number.
      incomingGetPacket: (client: Client, packet: Numbered) => {
        const { messageId } = packet;
        const unreleased = unreleasedOf(client);
        if (messageId !== undefined && unreleased.has(messageId)) return Promise.resolve(packet);
        if (messageId !== undefined && packet.cmd === 'publish') unreleased.add(messageId);
        return Promise.reject(new Error('no such packet'));
      },
      incomingStorePacket: () => NOTHING,
      incomingDelPacket: (client: Client, packet: Numbered) => {
        if (packet.messageId !== undefined) unreleasedOf(client).delete(packet.messageId);
        return NOTHING;
      },
      cleanIncoming: (client: Client) => {
        unreleasedByClient.delete(client);
        return NOTHING;
      },

      addSubscriptions: () => NOTHING,
      removeSubscriptions: () => NOTHING,
      cleanSubscriptions: () => NOTHING,
      subscriptionsByClient: () => NOBODY,
      subscriptionsByTopic: () => NOBODY,
      outgoingEnqueue: () => NOTHING,
      outgoingEnqueueCombi: () => NOTHING,
      outgoingUpdate: () => NOTHING,
      outgoingClearMessageId: () => NOTHING,
      outgoingStream: () => Readable.from([]),
      putWill: () => NOTHING,
      getWill: () => NOTHING,
      delWill: () => NOTHING,
      streamWill: () => Readable.from([]),
    },
  };
}

const MINUTE_MS = 60_000;
/** Take-overs remembered of one identity. */
const MAX_REMEMBERED = 100;

type TableDeps = {
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
