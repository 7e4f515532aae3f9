import type { IClientOptions, MqttClient } from 'mqtt';
import { connect as connectMqtt } from 'mqtt';
import type { SimClock } from '../sim-clock.ts';
import { orLate, Unmet } from './report.ts';

// A bare MQTT client for checks: it shows the CONNACK code, QoS, the retain flag and the end of the session. Whatever it
// waits for has an end on the monotonic clock.

export type Received = { topic: string; text: string; qos: number; isRetained: boolean; atMs: number };

export type Probe = {
  received: readonly Received[];
  /** Granted QoS, 128 when refused. */
  subscribe(filter: string): Promise<number>;
  /**
   * Sends at QoS 1 and answers whether it was acknowledged. A gateway that acknowledges nothing is judged by the check
   * of that clause alone; the others go on after a moment.
   */
  publish(topic: string, body: unknown, options?: { retain?: boolean; withinMs?: number }): Promise<boolean>;
  /** The first message the test accepts, also of those that came before. */
  until(what: string, test: (message: Received) => boolean, withinMs?: number): Promise<Received>;
  /** true when the session has ended within the time. */
  endsWithin(ms: number): Promise<boolean>;
  /** Bytes past the client library, for packets it would not send. */
  writeRaw(bytes: Buffer): void;
  /** As a power cut: the socket goes, no DISCONNECT. */
  vanish(): void;
  leave(): Promise<void>;
};

export type ProbeIdentity = { clientId: string; username?: string; password?: string };

export type ProbeDeps = {
  /** Monotonic. */
  clock: Pick<SimClock, 'nowMs' | 'at'>;
  url: string;
  /** To be told of every connection that was begun; it ends it when nobody else did. */
  opened: (close: () => void) => void;
};

/** `code` is that of the CONNACK (0 accepted), -1 when there was none; `seen` says it in words. */
export type Opened = { code: number; seen: string; probe: Probe | null };

const ANSWER_WITHIN_MS = 10_000;
/** How long a check that does not ask for an acknowledgement waits for it before it goes on. */
const ACKNOWLEDGED_WITHIN_MS = 500;
/** How long a goodbye may take; then the socket is closed without one. */
const LEAVES_WITHIN_MS = 500;
const LOOK_EVERY_MS = 20;

/** Tries to open a session. */
export async function openProbe(
  deps: ProbeDeps,
  identity: ProbeIdentity,
  extra: Partial<IClientOptions> = {},
): Promise<Opened> {
  const client = connectMqtt(deps.url, {
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    reconnectPeriod: 0,
    resubscribe: false,
    connectTimeout: ANSWER_WITHIN_MS,
    ...identity,
    ...extra,
  });
  deps.opened(() => cut(client));
  const answered = new Promise<Omit<Opened, 'probe'>>((resolve) => {
    client.once('connect', () => resolve({ code: 0, seen: 'it was let in' }));
    client.on('error', (error) => resolve(refusalOf(error)));
    client.once('close', () => resolve({ code: -1, seen: 'it was closed without a CONNACK' }));
  });
  const silent = () => ({ code: -1, seen: `no CONNACK within ${ANSWER_WITHIN_MS / 1000} s` });
  const answer = await orLate(deps.clock, answered, ANSWER_WITHIN_MS, silent);
  if (answer.code === 0) return { ...answer, probe: createProbe(deps, client) };
  cut(client);
  return { ...answer, probe: null };
}

function refusalOf(error: Error): Omit<Opened, 'probe'> {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return { code, seen: `CONNACK ${code}` };
  const isLate = error.message === 'connack timeout';
  const seen = isLate
    ? `no CONNACK within ${ANSWER_WITHIN_MS / 1000} s`
    : typeof code === 'string'
      ? code
      : error.message;
  return { code: -1, seen };
}

function createProbe({ clock }: ProbeDeps, client: MqttClient): Probe {
  const received: Received[] = [];
  const waiting = new Set<(message: Received) => void>();
  let hasEnded = false;
  client.once('close', () => {
    hasEnded = true;
  });
  client.on('message', (topic, payload, { qos, retain }) => {
    const text = payload.toString('utf8');
    const message = { topic, text, qos, isRetained: retain, atMs: clock.nowMs() };
    received.push(message);
    for (const offer of waiting) offer(message);
  });
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      clock.at(clock.nowMs() + ms, resolve);
    });
  return {
    received,
    subscribe: (filter) =>
      orLate(clock, grantedQos(client, filter), ANSWER_WITHIN_MS, () => {
        throw new Unmet(`no SUBACK for ${filter} within ${ANSWER_WITHIN_MS / 1000} s`);
      }),
    publish: (topic, body, { retain = false, withinMs = ACKNOWLEDGED_WITHIN_MS } = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const acknowledged = client.publishAsync(topic, text, { qos: 1, retain }).then(
        () => true,
        () => false,
      );
      return orLate(clock, acknowledged, withinMs, () => false);
    },
    until: async (what, test, withinMs = ANSWER_WITHIN_MS) => {
      const before = received.find(test);
      if (before !== undefined) return before;
      let look: ((message: Received) => void) | undefined;
      const found = new Promise<Received>((resolve) => {
        look = (message) => {
          if (test(message)) resolve(message);
        };
        waiting.add(look);
      });
      try {
        return await orLate(clock, found, withinMs, () => {
          throw new Unmet(`${what}: not within ${withinMs / 1000} s; ${described(received)}`);
        });
      } finally {
        if (look !== undefined) waiting.delete(look);
      }
    },
    endsWithin: async (ms) => {
      const untilMs = clock.nowMs() + ms;
      while (!hasEnded && clock.nowMs() < untilMs) await pause(LOOK_EVERY_MS);
      return hasEnded;
    },
    writeRaw: (bytes) => {
      client.stream.write(bytes);
    },
    vanish: () => cut(client),
    leave: async () => {
      // The library waits for every acknowledgement before its goodbye; who gives none is left without one.
      if (!hasEnded) await orLate(clock, client.endAsync(false), LEAVES_WITHIN_MS, () => undefined);
      cut(client);
    },
  };
}

function cut(client: MqttClient): void {
  client.stream?.destroy();
  client.end(true);
}

function grantedQos(client: MqttClient, filter: string): Promise<number> {
  return new Promise((resolve) => {
    client.subscribe(filter, { qos: 1 }, (error, granted) => {
      // mqtt.js tells a refusal (0x80) as an error.
      resolve(error ? 128 : (granted?.[0]?.qos ?? 128));
    });
  });
}

/** What came, newest last, for the reason of a failure. */
function described(received: readonly Received[]): string {
  if (received.length === 0) return 'nothing came';
  const last = received.slice(-5).map(({ topic, qos, isRetained, text }) => {
    const flag = isRetained ? ', retained' : '';
    return `${topic} (QoS ${qos}${flag}) ${text.slice(0, 120)}`;
  });
  return `${received.length} messages came, the last: ${last.join('; ')}`;
}
