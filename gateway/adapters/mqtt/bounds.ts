import { type Allowance, perMinute, perSecond } from './token-bucket.ts';

/** What one client, one address and all of them together may take from the broker. */
export type BrokerBounds = {
  /** Connections that have proved who they are. */
  maxClients: number;
  /** Connections that have not; the oldest give way. As many as clients by default, who all may come at once. */
  maxUnproved?: number;
  /** Messages one controller may send; 0 switches the limit off. */
  messagesPerS: number;
  /** Messages that may come at once; five seconds' worth when not given. */
  burst?: number;
  /** Connections one address may open; 0 switches the limit off. */
  connectsPerMinutePerAddress: number;
  /** Denied topics before the client is disconnected. */
  violationsPerMinute: number;
  /** Take-overs of one identity before it counts as contested. */
  takeoversPerMinute: number;
  maxPacketBytes: number;
  /** Larger payloads are ignored; from MAX_DEVICE_MESSAGE_BYTES on they are only counted. */
  maxPayloadBytes: number;
  /** A client that leaves more than this unread is disconnected. */
  maxUnsentBytes: number;
  /** Time for CONNECT to arrive, ms. */
  connectTimeoutMs: number;
  /** A client that reads nothing for this long is disconnected, ms. */
  drainTimeoutMs: number;
  /** Longest keep-alive; who asks for more, or for none, gets this. */
  keepaliveS: number;
  /** Time the loop of the self check may take, ms. */
  selfCheckMs: number;
};

export const DEFAULT_BOUNDS: BrokerBounds = {
  maxClients: 5_500,
  messagesPerS: 20,
  connectsPerMinutePerAddress: 600,
  violationsPerMinute: 10,
  takeoversPerMinute: 3,
  maxPacketBytes: 16 * 1024,
  maxPayloadBytes: 4 * 1024,
  maxUnsentBytes: 256 * 1024,
  connectTimeoutMs: 10_000,
  drainTimeoutMs: 30_000,
  keepaliveS: 120,
  selfCheckMs: 1_000,
};

/** Deepest topic aedes looks at; the protocol's own have six levels. */
export const MAX_TOPIC_LEVELS = 10;

/** As long as a name of a controller may be; aedes keeps MQTT 3.1 clients to 23 otherwise. */
export const MAX_CLIENT_ID_LENGTH = 64;

/** Filters one client may subscribe to; the protocol has six, and `cmd/` may be named one by one. */
export const MAX_FILTERS = 32;

/** QoS 2 messages of one client between PUBLISH and PUBREL. */
export const MAX_INFLIGHT_QOS2 = 100;

export type Allowances = {
  messages: Allowance;
  /** Messages beyond the rate, before they count as a flood: a minute's worth within a minute. */
  excess: Allowance;
  /** Packets that carry no message: pings, subscriptions, acknowledgements. */
  control: Allowance;
  violations: Allowance;
  connects: Allowance;
};

export function allowancesOf(bounds: BrokerBounds): Allowances {
  const { messagesPerS } = bounds;
  const burst = messagesPerS === 0 ? 0 : (bounds.burst ?? messagesPerS * 5);
  return {
    messages: perSecond(messagesPerS, burst),
    excess: perMinute(messagesPerS * 60),
    // An acknowledgement and a release may belong to each message.
    control: perSecond(messagesPerS * 2, burst * 2),
    violations: perMinute(bounds.violationsPerMinute),
    connects: perMinute(bounds.connectsPerMinutePerAddress),
  };
}
