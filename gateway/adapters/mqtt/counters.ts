// What the broker counts about the world outside. All of it since the start of this broker.

const COUNTED = [
  'connects',
  'refused_full',
  'refused_connect_rate',
  'refused_client_id',
  'refused_unknown',
  'refused_wrong_key',
  'refused_upgrade',
  'connect_timeouts',
  'keepalive_timeouts',
  'connection_errors',
  'bad_topics',
  'oversized_packets',
  'control_floods',
  'wills_refused',
  'messages',
  'heartbeats',
  'messages_denied',
  'subscriptions_denied',
  'violation_kicks',
  'messages_over_rate',
  'rate_kicks',
  'bad_payloads',
  'large_payloads',
  'large_levels',
  'duplicates',
  'not_acknowledged',
  'takeovers',
  'contested',
  'slow_kicks',
  'door_failures',
] as const;
export type Counted = (typeof COUNTED)[number];

export type Counters = { count: (what: Counted) => void; read: () => Record<Counted, number> };

export function createCounters(): Counters {
  // built from the very list the type is made of
  const numbers = Object.fromEntries(COUNTED.map((what) => [what, 0])) as Record<Counted, number>;
  return {
    count: (what) => {
      numbers[what] += 1;
    },
    read: () => ({ ...numbers }),
  };
}
