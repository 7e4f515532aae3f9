import { randomUUID } from 'node:crypto';
import { type Duplex, duplexPair } from 'node:stream';
import type { Aedes, AedesOptions, Client } from 'aedes';

/** Nobody outside may publish or subscribe to it. */
const LOOP_TOPIC = 'self-check';
/** Turns of the event loop a broker still gets when its time is up: a busy process must not be taken for a silent one. */
const LAST_TURNS = 500;

type Hooks = Required<
  Pick<
    AedesOptions,
    'preConnect' | 'authenticate' | 'authorizePublish' | 'authorizeSubscribe' | 'authorizeForward'
  >
>;

export type SelfCheck = {
  /** True when a message still finds its way through the broker in time: brokers have been seen to fall silent alone. */
  check: (broker: Aedes, deadlineMs: number) => Promise<boolean>;
  /** The hooks of the broker, which wave the checking client through. */
  letThrough: (hooks: Hooks) => Hooks;
  isChecking: (client: Client | null) => boolean;
};

/**
 * Checks the broker as a controller would use it, over a connection in memory: CONNECT, SUBSCRIBE, PUBLISH at QoS 1; its
 * acknowledgement and the message itself must come back.
 */
export function createSelfCheck(): SelfCheck {
  const checking = new WeakSet<Client>();
  const isChecking = (client: Client | null) => client !== null && checking.has(client);
  return {
    isChecking,
    letThrough: (hooks) => ({
      preConnect: (client, packet, done) =>
        isChecking(client) ? done(null, true) : hooks.preConnect(client, packet, done),
      authenticate: (client, username, password, done) =>
        isChecking(client) ? done(null, true) : hooks.authenticate(client, username, password, done),
      authorizePublish: (client, packet, done) =>
        isChecking(client) ? done(null) : hooks.authorizePublish(client, packet, done),
      authorizeSubscribe: (client, subscription, done) =>
        isChecking(client) ? done(null, subscription) : hooks.authorizeSubscribe(client, subscription, done),
      authorizeForward: (client, packet) =>
        isChecking(client) ? packet : hooks.authorizeForward(client, packet),
    }),
    async check(broker, deadlineMs) {
      if (broker.closed) return false;
      const [ours, theirs] = duplexPair();
      // a connection that is cut raises an error nobody needs
      ours.on('error', () => {});
      checking.add(broker.handle(theirs));
      try {
        return await inTime(converse(ours), deadlineMs);
      } finally {
        ours.destroy();
        theirs.destroy();
      }
    },
  };
}

// Control types of MQTT.
const CONNACK = 2;
const PUBLISH = 3;
const PUBACK = 4;
const SUBACK = 9;

/** Resolves when the message is back and acknowledged; never when the broker is silent. */
function converse(stream: Duplex): Promise<true> {
  const mark = randomUUID();
  const missing = new Set([PUBLISH, PUBACK]);
  const { promise, resolve } = Promise.withResolvers<true>();
  let buffered = Buffer.alloc(0);

  function take(type: number, body: Buffer): void {
    if (type === CONNACK) stream.write(packet(0x82, [0, 1, ...text(LOOP_TOPIC), 0]));
    if (type === SUBACK) stream.write(packet(0x32, [...text(LOOP_TOPIC), 0, 2, ...Buffer.from(mark)]));
    if (type === PUBACK || (type === PUBLISH && body.includes(mark))) missing.delete(type);
    if (missing.size === 0) resolve(true);
  }

  stream.on('data', (chunk: Buffer) => {
    buffered = Buffer.concat([buffered, chunk]);
    // every packet of this conversation is shorter than 128 bytes: its length is one byte
    for (;;) {
      const [head, length] = buffered;
      if (head === undefined || length === undefined || buffered.length < length + 2) return;
      const body = buffered.subarray(2, length + 2);
      buffered = buffered.subarray(length + 2);
      take(head >> 4, body);
    }
  });
  stream.write(packet(0x10, [...text('MQTT'), 4, 2, 0, 60, ...text(`self-check-${mark}`)]));
  return promise;
}

const packet = (head: number, body: number[]): Buffer => Buffer.from([head, body.length, ...body]);
const text = (characters: string): number[] => [0, characters.length, ...Buffer.from(characters)];

async function inTime(answer: Promise<true>, deadlineMs: number): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<false>();
  let turns = 0;
  const giveUp = () => {
    turns += 1;
    if (turns > LAST_TURNS) resolve(false);
    else setImmediate(giveUp);
  };
  const deadline = setTimeout(giveUp, deadlineMs);
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(deadline);
  }
}
