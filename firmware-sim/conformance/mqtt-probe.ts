import type { IClientOptions, MqttClient } from 'mqtt';
import { connect as connectMqtt } from 'mqtt';
import { Unmet } from './report.ts';

// A bare MQTT client for checks: it shows the CONNACK code, the retain flag and the end of the session.

export type Received = { topic: string; text: string; isRetained: boolean; atMs: number };

export type Probe = {
  received: readonly Received[];
  /** Granted QoS, 128 when refused. */
  subscribe(filter: string): Promise<number>;
  /** Answers when the broker has acknowledged it (QoS 1). */
  publish(topic: string, body: unknown, options?: { retain?: boolean }): Promise<void>;
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

type Opened = { code: number; probe: Probe | null };

const ANSWER_WITHIN_MS = 10_000;

/** Tries to open a session; `code` is that of the CONNACK (0 accepted), -1 when there was none. */
export async function openProbe(
  url: string,
  identity: ProbeIdentity,
  extra: Partial<IClientOptions> = {},
): Promise<Opened> {
  const client = connectMqtt(url, {
    protocolVersion: 4,
    clean: true,
    keepalive: 30,
    reconnectPeriod: 0,
    resubscribe: false,
    connectTimeout: ANSWER_WITHIN_MS,
    ...identity,
    ...extra,
  });
  const code = await new Promise<number>((resolve) => {
    client.once('connect', () => resolve(0));
    client.on('error', (error) => resolve(codeOf(error)));
    client.once('close', () => resolve(-1));
  });
  if (code === 0) return { code, probe: createProbe(client) };
  client.end(true);
  return { code, probe: null };
}

/** The same for an identity that must be let in. */
export async function openSession(
  url: string,
  identity: ProbeIdentity,
  extra: Partial<IClientOptions> = {},
): Promise<Probe> {
  const { code, probe } = await openProbe(url, identity, extra);
  if (probe === null) throw new Unmet(`the right key was refused (CONNACK ${code})`);
  return probe;
}

function codeOf(error: Error): number {
  return 'code' in error && typeof error.code === 'number' ? error.code : -1;
}

function createProbe(client: MqttClient): Probe {
  const received: Received[] = [];
  const waiting = new Set<(message: Received) => void>();
  let hasEnded = false;
  client.once('close', () => {
    hasEnded = true;
  });
  client.on('message', (topic, payload, packet) => {
    const message = { topic, text: payload.toString('utf8'), isRetained: packet.retain, atMs: Date.now() };
    received.push(message);
    for (const look of waiting) look(message);
  });
  return {
    received,
    subscribe: async (filter) => {
      const granted = await withLimit(`SUBACK for ${filter}`, grantedQos(client, filter));
      return granted;
    },
    publish: async (topic, body, options = {}) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      await withLimit(`PUBACK for ${topic}`, client.publishAsync(topic, text, { qos: 1, ...options }));
    },
    until: (what, test, withinMs = ANSWER_WITHIN_MS) => {
      const before = received.find(test);
      if (before !== undefined) return Promise.resolve(before);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look);
          reject(new Unmet(`${what}: nothing came within ${withinMs / 1000} s`));
        }, withinMs);
        const look = (message: Received) => {
          if (!test(message)) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve(message);
        };
        waiting.add(look);
      });
    },
    endsWithin: async (ms) => {
      for (let waitedMs = 0; !hasEnded && waitedMs < ms; waitedMs += 20) await pause(20);
      return hasEnded;
    },
    writeRaw: (bytes) => {
      client.stream.write(bytes);
    },
    vanish: () => {
      client.stream.destroy();
      client.end(true);
    },
    leave: () => client.endAsync(hasEnded),
  };
}

function grantedQos(client: MqttClient, filter: string): Promise<number> {
  return new Promise((resolve) => {
    client.subscribe(filter, { qos: 1 }, (error, granted) => {
      // mqtt.js tells a refusal (0x80) as an error.
      resolve(error ? 128 : (granted?.[0]?.qos ?? 128));
    });
  });
}

async function withLimit<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Unmet(`no ${what} within ${ANSWER_WITHIN_MS / 1000} s`)),
      ANSWER_WITHIN_MS,
    );
  });
  try {
    return await Promise.race([promise, limit]);
  } finally {
    clearTimeout(timer);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
