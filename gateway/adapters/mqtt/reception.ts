import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Aedes, Client } from 'aedes';
import { createBoundedConnections } from '#core/bounded-connections.ts';
import { oneATurn } from '#core/one-a-turn.ts';
import type { Refusal } from './admission.ts';
import type { Counters } from './counters.ts';
import type { ConnectionTable } from './device-link.ts';
import type { Guests } from './guests.ts';
import { type Limits, openPeer, type Peer } from './listeners.ts';
import { guardFraming, isPartOfConnect, peekConnect, peekVersion5, type WhoComes } from './peek-connect.ts';
import { createConnectRate, takeToken } from './token-bucket.ts';

type Parser = {
  prependListener: (
    event: 'packet',
    listener: (packet: { cmd: string; subscriptions?: { qos: number }[] }) => void,
  ) => void;
};

export type ReceptionDeps = Limits & {
  broker: Pick<Aedes, 'handle'>;
  table: Pick<ConnectionTable, 'leave'>;
  guests: Pick<Guests, 'leave'>;
  /** Every open connection; kept here. */
  peers: Set<Peer>;
  peersByClient: WeakMap<Client, Peer>;
  counters: Counters;
  now: () => number;
  /** Who speaks a version of the protocol that is not spoken here was refused for it. */
  otherVersion: (peer: Peer, who: WhoComes) => void;
  /** The return code for who belongs to nobody, which has been noted; null: the broker judges. */
  whyTurnedAway: (peer: Peer, who: WhoComes) => Refusal | null;
};

const connack = (returnCode: Refusal | 1) => Buffer.from([0x20, 2, 0, returnCode]);
/** CONNACK that refuses (section 3.2.2). */
const REFUSALS: Readonly<Record<Refusal | 1, Buffer>> = {
  1: connack(1),
  2: connack(2),
  3: connack(3),
  4: connack(4),
  5: connack(5),
};

/** Also for a client of version 5: it understands this refusal, and says what it is. */
const OTHER_VERSION = 1;
/** Who was refused gives its place back by then. */
const GOODBYE_MS = 1_000;

const EMPTY = Buffer.alloc(0);

// Control types of MQTT.
const CONNECT = 1;
const PUBLISH = 3;
const DISCONNECT = 14;
/** Those only a server sends, and those that stand for nothing. */
const NEVER_FROM_CLIENTS: ReadonlySet<number> = new Set([0, 2, 9, 11, 13, 15]);

/** Takes a stream in: counts it, turns strangers away, puts the guard before it and gives it to aedes. */
export function createReception(deps: ReceptionDeps) {
  const { bounds, allowances, peers, counters, now } = deps;
  const connectRate = createConnectRate(allowances.connects, now);
  // thousands that came together run out of time together
  const inTurn = oneATurn();
  /** Those who proved who they are have places of their own. */
  const maxUnproved = bounds.maxUnproved ?? bounds.maxClients;
  const unproved = createBoundedConnections<Peer>({
    // how often one address may open a connection is bounded before
    bounds: { most: maxUnproved, mostPerSource: maxUnproved },
    end({ stream }, source) {
      counters.refuse('unproved_evicted', source);
      stream.destroy();
    },
  });

  function mayPass(peer: Peer, type: number): boolean {
    if (NEVER_FROM_CLIENTS.has(type)) {
      counters.refuse('connection_errors', peer.source);
      return false;
    }
    if (type === DISCONNECT) peer.saidGoodbye = true;
    // Messages have a rate of their own, which drops before it disconnects.
    if (type === PUBLISH || type === CONNECT) return true;
    if (takeToken(peer.buckets.control, allowances.control, now())) return true;
    counters.refuse('control_floods', peer.source);
    return false;
  }

  function hand(stream: Duplex, peer: Peer, request?: IncomingMessage): void {
    guardFraming(stream, {
      maxPacketBytes: bounds.maxPacketBytes,
      onPacket: (type) => mayPass(peer, type),
      onOversize: () => counters.refuse('oversized_packets', peer.source),
    });
    const client = deps.broker.handle(stream, request);
    lowerGrantedQos(client);
    deps.peersByClient.set(client, peer);
  }

  /** Tells why, and ends: thousands may knock, so that it takes as little of the controllers' time as it can. */
  function turnAway(stream: Duplex, returnCode: Refusal | 1): void {
    stream.write(REFUSALS[returnCode]);
    // a bare socket has given it to the system already; TLS and WebSocket have not yet
    if (stream.writableLength === 0) {
      stream.destroy();
      return;
    }
    // over WebSocket the end waits for the other side's goodbye
    const goodbye = setTimeout(() => stream.destroy(), Math.min(GOODBYE_MS, bounds.connectTimeoutMs));
    stream.once('close', () => clearTimeout(goodbye));
    stream.end(() => stream.destroy());
  }

  return {
    mayOpen: (source: string): boolean => {
      if (connectRate(source)) return true;
      counters.refuse('refused_connect_rate', source);
      return false;
    },

    /** It proved who it is, and gives its place to the next who has not. */
    proved: (peer: Peer): void => unproved.remove(peer),

    accept: (stream: Duplex, source: string, request?: IncomingMessage): void => {
      const peer = openPeer(stream, source, allowances, now());
      peers.add(peer);
      stream.on('close', () => {
        clearTimeout(silence);
        peers.delete(peer);
        unproved.remove(peer);
        deps.table.leave(peer);
        deps.guests.leave(peer);
      });
      // the broker waits for CONNECT only from when it has the stream
      const silence = setTimeout(() => inTurn(late), bounds.connectTimeoutMs);
      stream.on('error', () => undefined);
      stream.on('readable', look);
      unproved.add(peer, source);
      let heard: Buffer = EMPTY;
      let isHeard = false;

      function late(): void {
        // what came while others had their turn counts
        if (isHeard || stream.destroyed) return;
        counters.refuse('connect_timeouts', source);
        stream.destroy();
      }

      /** Whoever sends half a CONNECT costs no more than its bytes: the broker is given whole ones. */
      function look(): void {
        const chunk: unknown = stream.read();
        if (!(chunk instanceof Buffer)) return;
        heard = heard.length === 0 ? chunk : Buffer.concat([heard, chunk]);
        if (isPartOfConnect(heard, bounds.maxPacketBytes)) return;
        isHeard = true;
        clearTimeout(silence);
        stream.off('readable', look);
        const first = heard;
        heard = EMPTY;
        greet(first);
      }

      function greet(first: Buffer): void {
        const who = peekConnect(first);
        const why = who === null ? null : deps.whyTurnedAway(peer, who);
        if (why !== null) return turnAway(stream, why);
        const other = who === null ? peekVersion5(first) : null;
        if (other !== null) {
          deps.otherVersion(peer, other);
          return turnAway(stream, OTHER_VERSION);
        }
        stream.unshift(first);
        hand(stream, peer, request);
      }
    },
  };
}

/**
 * Nothing is sent above QoS 1, so nothing above it is granted (section 3.8.4 lets a server grant less). aedes answers
 * with the QoS that was asked for, whatever its authorisation makes of it, so it is lowered where the packet is read.
 */
function lowerGrantedQos(client: Client): void {
  // aedes does not type its parser; a test subscribes with QoS 2 and looks at what is granted
  const { _parser: parser } = client as Client & { _parser?: Parser };
  parser?.prependListener('packet', ({ cmd, subscriptions = [] }) => {
    if (cmd !== 'subscribe') return;
    for (const subscription of subscriptions) subscription.qos = Math.min(subscription.qos, 1);
  });
}
