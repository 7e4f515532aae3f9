import { Readable } from 'node:stream';
import type { Client, PublishPacket } from 'aedes';

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
