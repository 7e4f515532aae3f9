import { generate, type Packet } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import type { BrokerBounds } from '#adapters/mqtt/bounds.ts';
import {
  connectPacket,
  eventually,
  publishPacket,
  type RawClient,
  someLevels,
  startBroker,
} from './broker-under-test.ts';

// Every weakness of a broker that we know of, by the bytes that show it, and what becomes of them here. The facts around
// each stand in the files beside; this table is the list to look at when the broker or its version changes.

type Farm = Awaited<ReturnType<typeof startBroker>>;
type Row = {
  weakness: string;
  bounds?: Partial<BrokerBounds>;
  /** What the harmful client does. Answers that client. */
  harm: (farm: Farm) => Promise<RawClient>;
  /** Whether its connection is over then. */
  isClosed: boolean;
  counted?: string;
  /** What it gets to see, if that says anything. */
  sees?: (client: RawClient, farm: Farm) => Promise<void>;
};

const OWN = 'sf/v1/d/aerator-1';
const SHADOW = `${OWN}/shadow/desired`;
const beat = (more: Record<string, unknown> = {}) =>
  publishPacket(`${OWN}/hb`, { current_status: 'ON' }, more);
const subscribe = (topic: string, qos: 0 | 1 | 2): Packet => ({
  cmd: 'subscribe',
  messageId: 7,
  subscriptions: [{ topic, qos }],
});
const topicBytes = (bytes: Buffer) =>
  Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes]);
const rawPublish = (topic: Buffer) => {
  const body = Buffer.concat([topicBytes(topic), Buffer.from([0, 1])]);
  return Buffer.concat([Buffer.from([0x32, body.length]), body]);
};

const connecting =
  (name: string, more: Record<string, unknown> = {}) =>
  async (farm: Farm) => {
    const client = farm.raw();
    client.send(connectPacket(name, more));
    return client;
  };
const sending =
  (...packets: (Packet | Buffer)[]) =>
  async (farm: Farm) => {
    const client = await farm.rawConnected();
    client.send(...packets);
    return client;
  };
const refusedWith = (returnCode: number) => async (client: RawClient) =>
  expect((await client.next('connack')).returnCode).toBe(returnCode);

const acknowledgedAndNotKept = (qos: 0 | 1 | 2) => async (client: RawClient, farm: Farm) => {
  if (qos === 1) await client.next('puback');
  if (qos === 2) await client.next('pubrec');
  expect(farm.counted('retained')).toBe(0);
};
const subscriptionDenied = async (client: RawClient) =>
  expect((await client.next('suback')).granted).toEqual([0x80]);

const TABLE: Row[] = [
  // devices.md 0.1
  ...['__proto__', 'valueOf', 'a', 'a'.repeat(65), 'aerator#1', ''].map(
    (name): Row => ({
      weakness: `client id ${JSON.stringify(name.slice(0, 20))}`,
      harm: connecting(name),
      isClosed: true,
      sees: refusedWith(name === '__proto__' || name === 'valueOf' ? 5 : 2),
      counted: name === '__proto__' || name === 'valueOf' ? 'refused_unknown' : 'refused_client_id',
    }),
  ),
  {
    weakness: 'client id constructor, known and right',
    harm: connecting('constructor'),
    isClosed: false,
    sees: refusedWith(0),
  },
  // 0.2
  {
    weakness: 'a length of 256 MiB',
    harm: sending(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f])),
    isClosed: true,
    counted: 'oversized_packets',
  },
  {
    weakness: 'a length of 256 MiB before CONNECT',
    harm: async (farm) => {
      const client = farm.raw();
      client.send(Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f]));
      return client;
    },
    isClosed: true,
    counted: 'oversized_packets',
  },
  // 0.3
  ...([0, 1, 2] as const).map(
    (qos): Row => ({
      weakness: `a stray topic at QoS ${qos}`,
      harm: sending(publishPacket('cmnd/tasmota/POWER', '', { qos, retain: true })),
      isClosed: false,
      counted: 'messages_denied',
      sees: acknowledgedAndNotKept(qos),
    }),
  ),
  {
    weakness: 'eleven stray topics in a minute',
    harm: sending(...Array.from({ length: 11 }, (_, n) => publishPacket('x/y', '', { messageId: n + 1 }))),
    isClosed: true,
    counted: 'violation_kicks',
  },
  // 0.4, 3: take-over
  {
    weakness: 'the will of a connection that was taken over',
    harm: async (farm) => {
      const will = { topic: `${OWN}/state`, payload: '{"s":"lost"}', qos: 1, retain: true };
      const older = await farm.rawConnected('aerator-1', { will });
      await farm.rawConnected('aerator-1');
      return older;
    },
    isClosed: true,
    sees: async (_client, farm) => {
      expect(farm.told('stateChanged')).toEqual([]);
      expect(farm.counted('retained')).toBe(0);
    },
  },
  {
    weakness: 'one identity on two boards',
    harm: async (farm) => {
      const first = await farm.rawConnected();
      for (let takeover = 0; takeover < 40; takeover++) await farm.rawConnected();
      return first;
    },
    isClosed: true,
    counted: 'contested',
    sees: async (_client, farm) => expect(farm.told('identityContested')).toHaveLength(1),
  },
  // 0.5, 1.2: QoS
  {
    weakness: 'a subscription at QoS 2',
    harm: sending(subscribe(SHADOW, 2)),
    isClosed: false,
    sees: async (client) => {
      expect((await client.next('suback')).granted).toEqual([1]);
      expect((await client.next('publish')).qos).toBe(1);
    },
  },
  {
    weakness: 'a subscription with a wildcard at QoS 0',
    harm: sending(subscribe(`${OWN}/cmd/+`, 0)),
    isClosed: false,
    sees: async (client) => expect((await client.next('suback')).granted).toEqual([0]),
  },
  {
    weakness: 'a QoS 2 message and its repetition in one segment',
    harm: sending(beat({ qos: 2, messageId: 5 }), beat({ qos: 2, messageId: 5, dup: true })),
    isClosed: false,
    sees: async (client, farm) => {
      await client.next('pubrec');
      await eventually(() => expect(farm.counted('duplicates')).toBe(1));
      expect(farm.told('heartbeat')).toHaveLength(1);
    },
  },
  // 0.6: sessions
  {
    weakness: 'a session that is to be kept',
    harm: async (farm) => {
      const kept = await farm.rawConnected('aerator-1', { clean: false });
      kept.send(subscribe(`${OWN}/cmd/+`, 1));
      await kept.next('suback');
      kept.stream.destroy();
      await eventually(() => expect(farm.told('disconnected')).toHaveLength(1));
      return connecting('aerator-1', { clean: false })(farm);
    },
    isClosed: false,
    sees: async (client) =>
      expect(await client.next('connack')).toMatchObject({ returnCode: 0, sessionPresent: false }),
  },
  // 0.7
  {
    weakness: 'MQTT 5',
    harm: connecting('aerator-1', { protocolVersion: 5 }),
    isClosed: true,
    sees: refusedWith(1),
  },
  // 1.1: what aedes has no bound for
  {
    weakness: 'sixty packets behind a CONNECT',
    bounds: { messagesPerS: 0 },
    harm: async (farm) => {
      const client = farm.raw();
      client.send(connectPacket('aerator-1'), ...Array.from({ length: 60 }, () => beat()));
      return client;
    },
    isClosed: true,
    counted: 'connection_errors',
  },
  {
    weakness: 'a keep-alive of none',
    bounds: { keepaliveS: 0.02 },
    harm: connecting('aerator-1', { keepalive: 0 }),
    isClosed: true,
    counted: 'keepalive_timeouts',
  },
  {
    weakness: 'half a CONNECT and silence',
    bounds: { connectTimeoutMs: 20 },
    harm: async (farm) => {
      const client = farm.raw();
      client.send(generate(connectPacket('aerator-1')).subarray(0, 12));
      return client;
    },
    isClosed: true,
    counted: 'connect_timeouts',
  },
  {
    weakness: 'messages beyond the rate',
    bounds: { messagesPerS: 1, burst: 1 },
    harm: sending(beat({ messageId: 1 }), beat({ messageId: 2 })),
    isClosed: false,
    counted: 'messages_over_rate',
    sees: async (_client, farm) => eventually(() => expect(farm.told('heartbeat')).toHaveLength(1)),
  },
  {
    weakness: 'a flood',
    bounds: { messagesPerS: 1, burst: 1 },
    harm: sending(...Array.from({ length: 70 }, (_, n) => beat({ messageId: n + 1 }))),
    isClosed: true,
    counted: 'rate_kicks',
  },
  {
    weakness: 'a flood of pings',
    bounds: { messagesPerS: 1, burst: 1 },
    harm: sending(...Array.from({ length: 10 }, (): Packet => ({ cmd: 'pingreq' }))),
    isClosed: true,
    counted: 'control_floods',
  },
  {
    weakness: 'more controllers than there is room for',
    bounds: { maxClients: 1 },
    harm: connecting('aerator-1'),
    isClosed: true,
    counted: 'refused_full',
    sees: refusedWith(3),
  },
  {
    weakness: 'more connections that say nothing than there is room for',
    bounds: { maxUnproved: 2 },
    harm: async (farm) => {
      const oldest = farm.raw();
      oldest.send(Buffer.from([0x10]));
      farm.raw().send(Buffer.from([0x10]));
      farm.raw().send(Buffer.from([0x10]));
      return oldest;
    },
    isClosed: true,
    counted: 'unproved_evicted',
  },
  {
    weakness: 'more connections of one address than a minute allows',
    bounds: { connectsPerMinutePerAddress: 1 },
    harm: async (farm) => farm.raw(),
    isClosed: true,
    counted: 'refused_connect_rate',
  },
  // 1.2: topics
  {
    weakness: 'a topic with U+0000',
    harm: sending(rawPublish(Buffer.from(`${OWN}/h\0b`))),
    isClosed: true,
    counted: 'bad_topics',
  },
  {
    weakness: 'a topic that is no UTF-8',
    harm: sending(rawPublish(Buffer.concat([Buffer.from(`${OWN}/`), Buffer.from([0xc3, 0x28])]))),
    isClosed: true,
    counted: 'bad_topics',
  },
  {
    weakness: 'a topic of a hundred levels',
    harm: sending(rawPublish(Buffer.from('a/'.repeat(50)))),
    isClosed: true,
    counted: 'connection_errors',
  },
  // $SYS
  {
    weakness: 'a forged $SYS message that would end another’s connection',
    harm: sending(publishPacket('$SYS/x/new/clients', 'aerator-2')),
    isClosed: false,
    counted: 'messages_denied',
    sees: async (client) => void (await client.next('puback')),
  },
  ...['$SYS/#', '#', '+/#', '+/v1/d/aerator-1/hb', `${OWN}/#`].map(
    (filter): Row => ({
      weakness: `a subscription to ${filter}`,
      harm: sending(subscribe(filter, 1)),
      isClosed: false,
      counted: 'subscriptions_denied',
      sees: subscriptionDenied,
    }),
  ),
  {
    weakness: 'a payload that is no JSON',
    harm: sending(publishPacket(`${OWN}/hb`, '{"current_status":')),
    isClosed: false,
    counted: 'bad_payloads',
    sees: async (client) => void (await client.next('puback')),
  },
];

describe('a weakness that is known is closed, and nobody else notices', () => {
  test.each(TABLE.map((row) => [row.weakness, row] as const))('%s', async (_weakness, row) => {
    const farm = await startBroker({ bounds: row.bounds ?? {}, levels: [someLevels()] });
    // with no room, or none left this minute, there is nobody else who could notice
    const isCrowded = row.bounds?.maxClients === 1 || row.bounds?.connectsPerMinutePerAddress === 1;
    const other = await farm.rawConnected('aerator-2', { keepalive: 60 });
    farm.broker.link.forget('aerator-1');
    if (row.weakness === 'a subscription at QoS 2')
      farm.broker.link.publishShadow('aerator-1', someLevels().shadow);

    const client = await row.harm(farm);
    await row.sees?.(client, farm);
    if (row.isClosed) await client.closed();
    if (row.counted !== undefined) {
      const { counted } = row;
      await eventually(() => expect(farm.counted(counted)).toBeGreaterThan(0));
    }
    expect(client.isClosed()).toBe(row.isClosed);

    // its own keep-alive is bounded too in one row, so it may have been closed in time like the harmful one
    if (row.bounds?.keepaliveS === undefined) {
      other.send({ cmd: 'pingreq' });
      await other.next('pingresp');
      if (!isCrowded && row.bounds?.messagesPerS !== 1) expect(await farm.broker.selfCheck()).toBe(true);
    }
    expect(farm.log.filter(({ level }) => level !== 'debug')).toEqual([]);
  });
});
