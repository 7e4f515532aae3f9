import { createHmac, timingSafeEqual } from 'node:crypto';
import type { ConnectionOptions, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { BusMessage } from '../../sync/ports.ts';
import { payloadsOf, readPayload } from './bus-payloads.ts';
import type { Carrier, Line } from './process-bus.ts';

/** Half open, a server is taken for dead after as many seconds. */
const PING_EVERY_MS = 10_000;
const MOST_PINGS_OUT = 2;
const MAC_CHARS = 43;

/**
 * Sentences between processes through NATS (https://docs.nats.io/reference/reference-protocols/nats-protocol). What is
 * about one stream has a subject of its own, which only the process that has its gateway's connection hears. Subjects
 * are named after the instance, so that several may share a server; each sentence is sealed under a key of the instance, so
 * that nobody else who may write there is believed.
 */
export function natsCarrier(deps: { servers: readonly string[]; secret: string }): Carrier {
  const keyed = (what: string) => createHmac('sha256', deps.secret).update(what);
  const instance = keyed('subjects of the bus').digest('hex').slice(0, 16);
  const key = keyed('sentences of the bus').digest();
  const subject = (name: string) => `farm.${instance}.${name}`;
  const seal = createSeal(key);

  return {
    gatherMs: 2,
    deaf:
      'what this process says to the others of this instance does not come back through --bus-url: nothing that they change ' +
      'is heard at once',
    async open({ own, heard, heardOwn, lost }) {
      // a gateway, and an instance without it, loads none of this
      const { connect } = await import('@nats-io/transport-node');
      const connection = await connect(optionsOf(deps.servers));
      connection.closed().then((error) => lost(error ?? new Error('the connection ended')), lost);
      const probe = subject(`probe.${own}`);
      connection.subscribe(probe, { callback: heardOwn });
      const hearAll = (name: string) =>
        connection.subscribe(name, {
          callback: (error, message) => {
            const text = error === null ? seal.opened(name, message.string()) : null;
            if (text !== null) heard(readPayload(own, text) ?? []);
          },
        });
      hearAll(subject('all'));
      return lineOf(connection, { own, probe, subject, seal, hearAll });
    },
  };
}

function lineOf(
  connection: NatsConnection,
  at: {
    own: string;
    probe: string;
    subject: (name: string) => string;
    seal: Seal;
    hearAll: (subject: string) => Subscription;
  },
): Line {
  const ofStreams = new Map<number, Subscription>();
  const { own, subject, seal } = at;
  return {
    async say(messages) {
      for (const [name, said] of byName(messages)) {
        const to = subject(name);
        for (const text of payloadsOf(own, said)) connection.publish(to, seal.sealed(to, text));
      }
      // what a server does not take waits with whoever says it, where it is bounded
      await connection.flush();
    },
    probe() {
      if (!connection.isClosed()) connection.publish(at.probe);
    },
    async follow(streamIds) {
      for (const streamId of streamIds)
        if (!ofStreams.has(streamId)) ofStreams.set(streamId, at.hearAll(subject(nameOf(streamId))));
      await connection.flush();
    },
    unfollow(streamId) {
      if (!connection.isClosed()) ofStreams.get(streamId)?.unsubscribe();
      ofStreams.delete(streamId);
    },
    close: () => connection.close(),
  };
}

const nameOf = (streamId: number) => `stream.${streamId}`;

/** By the subject that they go to: what concerns one gateway alone, and the rest. */
function byName(messages: readonly BusMessage[]): Map<string, BusMessage[]> {
  return Map.groupBy(messages, (message) =>
    message.is === 'stream' || message.is === 'command' || message.is === 'socket'
      ? nameOf(message.streamId)
      : 'all',
  );
}

/** The same failures as any other line: the bus opens a new one itself, and tells of the gap. */
function optionsOf(servers: readonly string[]): ConnectionOptions {
  const addresses = servers.map((server) => new URL(server));
  const [first] = addresses;
  const user = decodeURIComponent(first?.username ?? '');
  const pass = decodeURIComponent(first?.password ?? '');
  const isEncrypted = addresses.some(({ protocol }) => protocol === 'tls:');
  return {
    servers: addresses.map(({ host }) => host),
    // whoever looks at the connections of the server sees what this one is for
    name: 'farm bus',
    ...(pass !== '' ? { user, pass } : user !== '' ? { token: user } : {}),
    ...(isEncrypted ? { tls: {} } : {}),
    timeout: 5_000,
    reconnect: false,
    ignoreClusterUpdates: true,
    pingInterval: PING_EVERY_MS,
    maxPingOut: MOST_PINGS_OUT,
  };
}

type Seal = ReturnType<typeof createSeal>;

/** What it was said to is sealed too: nothing said of one stream counts for another. */
function createSeal(key: Buffer) {
  const macOf = (subject: string, text: string) =>
    createHmac('sha256', key).update(`${subject}\n${text}`).digest('base64url');
  return {
    sealed: (subject: string, text: string) => `${macOf(subject, text)}${text}`,
    /** null: nobody of this instance said it. */
    opened(subject: string, said: string): string | null {
      const text = said.slice(MAC_CHARS);
      const given = Buffer.from(said.slice(0, MAC_CHARS));
      const wanted = Buffer.from(macOf(subject, text));
      return given.length === wanted.length && timingSafeEqual(given, wanted) ? text : null;
    },
  };
}
