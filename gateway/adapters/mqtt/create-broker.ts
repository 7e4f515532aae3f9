import type { Server as HttpServer, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Aedes, type AedesOptions, type Client } from 'aedes';
import { writeToStream } from 'mqtt-packet';
import { bootTopic } from '#contract/mqtt/boot.ts';
import { deviceTopic, maySubscribe, TIME_TOPIC } from '#contract/mqtt/topics.ts';
import type { Log } from '#core/kernel.ts';
import type {
  DeviceDoor,
  DeviceLink,
  DeviceTalk,
  GuestDoor,
  Levels,
  RelayDesk,
  SendToRelay,
} from '#features/control/device-link.ts';
import { type AdmissionDeps, createAdmission, noteOtherVersion, whyTurnedAway } from './admission.ts';
import {
  allowancesOf,
  type BrokerBounds,
  DEFAULT_BOUNDS,
  MAX_CLIENT_ID_LENGTH,
  MAX_FILTERS,
  MAX_INFLIGHT_QOS2,
  MAX_TOPIC_LEVELS,
} from './bounds.ts';
import { type Counters, createCounters } from './counters.ts';
import { createConnectionTable, createDeviceLink, createLevelStore } from './device-link.ts';
import { createGuests } from './guests.ts';
import { createListeners, type MakeTlsServer, type Peer, type PeerOf } from './listeners.ts';
import { createReception } from './reception.ts';
import { createSelfCheck } from './self-check.ts';
import { kick, noteViolation, type TakeDeps, takeInTurn } from './take-message.ts';

type Authorization = Required<
  Pick<AedesOptions, 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'>
>;

export type BrokerDeps = {
  door: DeviceDoor;
  /** Boards without a key; without it none is let in. */
  guestDoor?: GuestDoor | undefined;
  /** Relays of the trade, which speak protocols of their own; absent: there are none. */
  relays?: RelayDesk | undefined;
  /** Levels of all controllers as they should be now; read once, before the first may connect. */
  levels: () => Iterable<Levels>;
  /** Levels of one controller; read whenever it connects, and where it subscribes to one that ends, so that nothing older waits for it. */
  levelsOf?: (mqttId: string) => Levels | null;
  log: Log;
  /** Milliseconds since 1970. */
  now: () => number;
  /** False: no time is told to anybody, none is better than a wrong one. */
  isTimeTrusted: () => boolean;
  bounds?: Partial<BrokerBounds>;
  /** Where it counts; its own when not given. */
  counters?: Counters;
  /** Makes what routes the messages; tests silence it. */
  makeAedes?: (options: AedesOptions) => Promise<Aedes>;
  /** For the port within TLS; without it there is none. */
  makeTlsServer?: MakeTlsServer;
  /** Where an upgrade of an HTTP connection comes from; absent: from the other end of the connection. */
  sourceOf?: (request: IncomingMessage) => string;
  /** False for a WebSocket that a page of elsewhere opens; absent: anybody may. */
  mayUpgrade?: (request: IncomingMessage) => boolean;
};

export type Broker = {
  link: DeviceLink;
  talk: DeviceTalk;
  /** Rejects when the port is taken. Port 0 picks a free one. */
  listenTcp: (port: number, host: string) => Promise<AddressInfo>;
  /** The same within TLS. */
  listenTls: (port: number, host: string) => Promise<AddressInfo>;
  attachWebSocket: (httpServer: HttpServer, path?: string) => void;
  sendToRelay: SendToRelay;
  /** Tells all controllers the time, unless it is not to be trusted. */
  publishTime: () => void;
  /** What was counted; `retained` is what it keeps now. */
  counters: () => Record<string, number>;
  /** Controllers that are connected and known. */
  clientCount: () => number;
  /** True when a message still gets through the broker. */
  selfCheck: () => Promise<boolean>;
  /** Closes ports and connections; another broker may be made in the same process at once. */
  stop: () => Promise<void>;
};

/** The broker of the farm: aedes within bounds, with the controllers' doors to the use cases. */
export async function createBroker(deps: BrokerDeps): Promise<Broker> {
  // the library keeps a buffer for each of 65,536 packet ids: 8 MB, where making two bytes anew costs nothing
  writeToStream.cacheNumbers = false;
  const { door, log, now, relays } = deps;
  const bounds = { ...DEFAULT_BOUNDS, ...deps.bounds };
  const allowances = allowancesOf(bounds);
  const counters = deps.counters ?? createCounters();
  const selfCheck = createSelfCheck();
  const levels = createLevelStore();
  const peers = new Set<Peer>();
  const peersByClient = new WeakMap<Client, Peer>();
  const peerOf = (client: Client) => peersByClient.get(client);

  const table = createConnectionTable({
    door,
    log,
    now,
    counters,
    peers,
    takeoversPerMinute: bounds.takeoversPerMinute,
    keepWill: ({ will }, { mqttId }) => {
      if (!will?.isRetained) return;
      const topic = deviceTopic(mqttId, 'state');
      levels.keepRetained({ cmd: 'publish', topic, payload: will.payload, qos: 1, retain: true, dup: false });
    },
  });
  const guests = createGuests({ door: deps.guestDoor ?? null, log, counters, bounds });
  const admission: AdmissionDeps = {
    door,
    log,
    counters,
    peerOf,
    guests,
    bounds,
    relays,
    hasRoomFor: ({ mqttId }) => table.isConnected(mqttId) || table.size() < bounds.maxClients,
    proved: (peer) => reception.proved(peer),
  };
  const options: AedesOptions & { maxClientsIdLength: number } = {
    ...selfCheck.letThrough({
      ...createAdmission(admission),
      ...createAuthorization({
        door,
        log,
        now,
        counters,
        levels,
        guests,
        peerOf,
        bounds,
        allowances,
        relays,
        subscribing: (peer, filter) => {
          // what is left of a level is true for the moment alone
          const isLevel = filter === deviceTopic(peer.controller?.mqttId ?? '', 'shadow/desired');
          if (isLevel && levels.retainedSays(filter, '"until":')) refreshLevels(peer);
        },
      }),
    }),
    persistence: levels.persistence,
    // Messages to a client that does not read hold their place among these: with a bound, a hundred of them
    // would silence the broker for everybody. What one client may leave unread is bounded instead.
    concurrency: 0,
    connectTimeout: bounds.connectTimeoutMs,
    drainTimeout: bounds.drainTimeoutMs,
    keepaliveLimit: bounds.keepaliveS,
    maxTopicLevels: MAX_TOPIC_LEVELS,
    maxInflightInbound: MAX_INFLIGHT_QOS2,
    maxClientsIdLength: MAX_CLIENT_ID_LENGTH,
  };
  const aedes = await (deps.makeAedes ?? Aedes.createBroker)(options);
  const { link, talk, keep, publishTime, timeMessage } = createDeviceLink({
    broker: aedes,
    levels,
    table,
    guests,
    counters,
    log,
  });
  const reception = createReception({
    broker: aedes,
    table,
    guests,
    peers,
    peersByClient,
    counters,
    now,
    bounds,
    allowances,
    whyTurnedAway: (peer, who) => whyTurnedAway(admission, peer, who),
    otherVersion: (peer, who) => noteOtherVersion(admission, peer, who),
  });
  const listeners = createListeners({
    log,
    counters,
    // one frame may carry several packets
    maxMessageBytes: bounds.maxPacketBytes * 4,
    mayOpen: (source) => stopping === null && reception.mayOpen(source),
    accept: reception.accept,
    makeTlsServer: deps.makeTlsServer,
    sourceOf: deps.sourceOf,
    mayUpgrade: deps.mayUpgrade,
  });
  listenToAedes();
  for (const known of deps.levels()) keep(known);
  let stopping: Promise<void> | null = null;

  function listenToAedes(): void {
    aedes.on('client', (client) => {
      const peer = peerOf(client);
      if (peer === undefined) return;
      refreshLevels(peer);
      table.arrive(peer);
    });
    const sourceOf = (client: Client) => peerOf(client)?.source ?? '';
    aedes.on('keepaliveTimeout', (client) => counters.refuse('keepalive_timeouts', sourceOf(client)));
    const onError = (client: Client, error: Error): void => {
      if (selfCheck.isChecking(client)) return;
      const isLate = error.message === 'connect did not arrive in time';
      // Refusals and missed keep-alives have been counted where they were found.
      const isCounted = 'errorCode' in error || error.message === 'keep alive timeout';
      if (!isCounted) counters.refuse(isLate ? 'connect_timeouts' : 'connection_errors', sourceOf(client));
      log.debug({ err: error, source: sourceOf(client) }, 'a connection to the broker failed');
    };
    // a controller that has just booted runs no schedule until it knows the time
    aedes.on('subscribe', (subscriptions, client) => {
      const asksForTime = subscriptions.some(({ topic }) => topic === TIME_TOPIC);
      if (!asksForTime || !deps.isTimeTrusted()) return;
      client.publish(
        { cmd: 'publish', dup: false, ...timeMessage(Math.floor(now() / 1000)) },
        () => undefined,
      );
    });
    if (relays !== undefined) {
      aedes.on('subscribe', (subscriptions, client) => {
        const controller = peerOf(client)?.controller ?? null;
        if (controller === null || !relays.isRelay(controller.mqttId)) return;
        for (const { topic } of subscriptions) {
          table.tell('subscribed', () => relays.subscribed(controller, topic));
        }
      });
    }
    aedes.on('unsubscribe', (filters, client) => {
      for (const filter of filters) peerOf(client)?.filters.delete(filter);
    });
    aedes.on('clientError', onError);
    aedes.on('connectionError', onError);
    // Without a listener it would end the process.
    aedes.addListener('error', (error: unknown) => log.error({ err: error }, 'the broker has an error'));
  }

  function refreshLevels(peer: Peer): void {
    const mqttId = peer.controller?.mqttId;
    if (mqttId === undefined || deps.levelsOf === undefined) return;
    table.tell('levelsOf', () => {
      const current = deps.levelsOf?.(mqttId) ?? null;
      if (current !== null) keep(current);
    });
  }

  async function stop(): Promise<void> {
    // The gateway leaves, not the controllers: nothing is lost that an alarm should tell of.
    for (const peer of peers) table.end(peer, { clean: true, takenOver: false });
    await Promise.all([listeners.close(), new Promise<void>((resolve) => aedes.close(() => resolve()))]);
  }

  return {
    link,
    talk,
    listenTcp: listeners.listenTcp,
    listenTls: listeners.listenTls,
    attachWebSocket: (httpServer, path = '/mqtt') => listeners.attachWebSocket(httpServer, path),
    sendToRelay: (topic, payload) => {
      if (aedes.closed) return;
      aedes.publish(
        { cmd: 'publish', dup: false, topic, payload: Buffer.from(payload), qos: 1, retain: false },
        (error) => {
          if (error) log.warn({ err: error, topic }, 'an order to a relay was not sent');
        },
      );
    },
    publishTime: () => {
      if (deps.isTimeTrusted()) publishTime(Math.floor(now() / 1000));
    },
    counters: () => ({ ...counters.events(), ...counters.refusals(), retained: levels.retainedCount() }),
    clientCount: table.size,
    selfCheck: async () => listeners.areOpen() && (await selfCheck.check(aedes, bounds.selfCheckMs)),
    stop: () => (stopping ??= stop()),
  };
}

/**
 * What a controller may say and hear. Messages enter here, the last place before aedes acknowledges one. Denying by an
 * error would end the connection, and a relay that publishes one stray topic at every start would come back for ever:
 * so a denied message is acknowledged and led astray.
 */
function createAuthorization(
  deps: TakeDeps & {
    peerOf: PeerOf;
    /** A controller is about to get what is retained for this filter of its own. */
    subscribing: (peer: Peer, filter: string) => void;
  },
): Authorization {
  const { peerOf, counters, bounds } = deps;
  return {
    authorizePublish: (client, packet, done) => {
      const peer = client === null ? undefined : peerOf(client);
      if (client === null || peer === undefined) done(new Error('nobody publishes'));
      else takeInTurn(deps, { peer, client, packet, proceed: () => done(null) });
    },

    authorizeSubscribe: (client, subscription, done) => {
      const peer = peerOf(client);
      if (peer !== undefined && peer.guest !== null) {
        const isOwn = subscription.topic === bootTopic(peer.guest, 'credentials');
        if (!isOwn) noteViolation(deps, peer);
        done(null, isOwn ? subscription : null);
        return;
      }
      const mqttId = peer?.controller?.mqttId;
      if (peer !== undefined && mqttId !== undefined && deps.relays?.isRelay(mqttId) === true) {
        // it comes with filters for whatever its makers thought of; that is no offence
        const isAllowed =
          deps.relays.maySubscribe(mqttId, subscription.topic) && hasRoomFor(peer, subscription.topic);
        if (isAllowed) peer.filters.add(subscription.topic);
        else counters.refuse('subscriptions_denied', peer.source);
        done(null, isAllowed ? subscription : null);
        return;
      }
      if (peer === undefined || mqttId === undefined || !mayHear(peer, mqttId, subscription.topic)) {
        counters.refuse('subscriptions_denied', peer?.source ?? '');
        if (peer !== undefined) noteViolation(deps, peer);
        done(null, null);
        return;
      }
      peer.filters.add(subscription.topic);
      deps.subscribing(peer, subscription.topic);
      done(null, subscription);
    },

    // aedes holds what a client does not read without a bound.
    authorizeForward: (client, packet) => {
      const peer = peerOf(client);
      if (peer === undefined || peer.stream.writableLength <= bounds.maxUnsentBytes) return packet;
      kick(deps, peer, 'slow_kicks');
      return null;
    },
  };
}

function mayHear(peer: Peer, mqttId: string, filter: string): boolean {
  return maySubscribe(mqttId, filter) && hasRoomFor(peer, filter);
}

function hasRoomFor(peer: Peer, filter: string): boolean {
  return peer.filters.has(filter) || peer.filters.size < MAX_FILTERS;
}
