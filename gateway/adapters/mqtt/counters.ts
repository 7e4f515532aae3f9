// What the broker counts about the world outside. It only grows, also across restarts of the broker in place.

const EVENTS = [
  'connects',
  'messages',
  'heartbeats',
  'takeovers',
  'duplicates',
  'large_payloads',
  'large_levels',
  'not_acknowledged',
  'door_failures',
] as const;

/** What was refused, dropped or cut off, by reason. */
const REFUSALS = [
  'refused_full',
  'refused_connect_rate',
  'refused_client_id',
  'refused_unknown',
  'refused_wrong_key',
  'refused_guest',
  'refused_protocol',
  'refused_upgrade',
  'unproved_evicted',
  'connect_timeouts',
  'keepalive_timeouts',
  'connection_errors',
  'bad_topics',
  'oversized_packets',
  'control_floods',
  'wills_refused',
  'messages_denied',
  'subscriptions_denied',
  'violation_kicks',
  'messages_over_rate',
  'rate_kicks',
  'bad_payloads',
  'not_stored',
  'contested',
  'slow_kicks',
  'tls_errors',
  'tls_full',
  'tls_silent',
  'tls_timeout',
] as const;

type Event = (typeof EVENTS)[number];
export type Refusal = (typeof REFUSALS)[number];

export type Counters = {
  /** One thing that happened. */
  count: (what: Event) => void;
  /** One thing that was refused, and the address that caused it. */
  refuse: (why: Refusal, source: string) => void;
  events: () => Record<Event, number>;
  refusals: () => Record<Refusal, number>;
};

/** `refused` hears of every refusal, for whoever sums them up. */
export function createCounters(refused: (why: Refusal, source: string) => void = () => {}): Counters {
  const events = zeros(EVENTS);
  const refusals = zeros(REFUSALS);
  return {
    count: (what) => {
      events[what] += 1;
    },
    refuse: (why, source) => {
      refusals[why] += 1;
      refused(why, source);
    },
    events: () => ({ ...events }),
    refusals: () => ({ ...refusals }),
  };
}

function zeros<Word extends string>(words: readonly Word[]): Record<Word, number> {
  // built from the very list the type is made of
  return Object.fromEntries(words.map((word) => [word, 0])) as Record<Word, number>;
}
