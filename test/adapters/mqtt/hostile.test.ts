import net from 'node:net';
import fc from 'fast-check';
import { generate } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { connectPacket, eventually, publishPacket, rawClient, startBroker } from './broker-under-test.ts';

const OWN = 'sf/v1/d/aerator-1';

/** A fixed header and its body. */
const packetOf = (head: number, ...body: number[]) => Buffer.from([head, body.length, ...body]);
const bytesOf = (text: string) => [...Buffer.from(text)];
const topicOf = (bytes: number[]) => [bytes.length >> 8, bytes.length & 0xff, ...bytes];
const CONNECT_BYTES = generate(connectPacket('aerator-1'));

describe('bytes that are no MQTT end that connection alone', () => {
  test.each([
    ['a web request', Buffer.from('GET / HTTP/1.1\r\nHost: gateway\r\n\r\n')],
    ['a TLS greeting', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['a ping first', generate({ cmd: 'pingreq' })],
    ['a message first', generate(publishPacket(`${OWN}/hb`, '{}'))],
    ['a subscription first', packetOf(0x82, 0, 1, ...topicOf(bytesOf('#')), 0)],
    ['an unknown protocol', packetOf(0x10, ...topicOf(bytesOf('MQXX')), 4, 2, 0, 60, 0, 0)],
    ['protocol level 9', packetOf(0x10, ...topicOf(bytesOf('MQTT')), 9, 2, 0, 60, 0, 0)],
    ['a CONNECT with its reserved bit', packetOf(0x10, ...topicOf(bytesOf('MQTT')), 4, 3, 0, 60, 0, 0)],
    ['a CONNECT cut short', packetOf(0x10, ...topicOf(bytesOf('MQTT')), 4)],
    ['a CONNECT without content', packetOf(0x10)],
    ['control type 0', Buffer.from([0x00, 0x00])],
    ['control type 15', Buffer.from([0xf0, 0x00])],
    ['a length of five bytes', Buffer.from([0x10, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ['256 MiB announced', Buffer.from([0x10, 0xff, 0xff, 0xff, 0x7f])],
  ])('%s, before CONNECT', async (_what, bytes) => {
    const farm = await startBroker();
    const client = farm.raw();
    client.send(bytes);
    await client.closed();
    await farm.rawConnected('aerator-2');
    expect(farm.told('connected')).toHaveLength(1);
    const { connection_errors, oversized_packets } = farm.broker.counters();
    expect(Number(connection_errors) + Number(oversized_packets)).toBe(1);
  });

  test.each([
    ['a second CONNECT', CONNECT_BYTES],
    ['QoS 3', packetOf(0x36, ...topicOf(bytesOf(`${OWN}/hb`)), 0, 1)],
    ['a topic with U+0000', packetOf(0x32, ...topicOf(bytesOf(`${OWN}/h\0b`)), 0, 1)],
    ['a topic that is no UTF-8', packetOf(0x32, ...topicOf([...bytesOf(`${OWN}/`), 0xc3, 0x28]), 0, 1)],
    [
      'a topic of a lone surrogate',
      packetOf(0x32, ...topicOf([...bytesOf(`${OWN}/`), 0xed, 0xa0, 0x80]), 0, 1),
    ],
    ['an empty topic', packetOf(0x32, 0, 0, 0, 1)],
    ['a topic with +', packetOf(0x32, ...topicOf(bytesOf('sf/v1/d/+/hb')), 0, 1)],
    ['a topic with #', packetOf(0x32, ...topicOf(bytesOf(`${OWN}/#`)), 0, 1)],
    ['a topic longer than its packet', packetOf(0x30, 0xff, 0xff, 1, 2, 3)],
    ['a topic of 60 levels', packetOf(0x30, ...topicOf(bytesOf('a/'.repeat(60))))],
    ['a subscription to nothing', packetOf(0x82, 0, 1)],
    ['a subscription with flags', packetOf(0x82, 0, 1, ...topicOf(bytesOf('sf/v1/time')), 0xf0)],
    ['a subscription of wrong kind', packetOf(0x80, 0, 1, ...topicOf(bytesOf('sf/v1/time')), 0)],
    ['a filter of 60 levels', packetOf(0x82, 0, 1, ...topicOf(bytesOf('a/'.repeat(60))), 0)],
    ['a filter with # inside', packetOf(0x82, 0, 1, ...topicOf(bytesOf('sf/#/d')), 0)],
    ['a CONNACK', Buffer.from([0x20, 2, 0, 0])],
    ['AUTH', Buffer.from([0xf0, 0])],
    ['100 MiB announced', Buffer.from([0x30, 0x80, 0x80, 0x80, 0x32])],
  ])('%s, after CONNECT', async (_what, bytes) => {
    const farm = await startBroker();
    const other = await farm.rawConnected('aerator-2');
    const client = await farm.rawConnected('aerator-1');
    client.send(bytes);
    await client.closed();
    await eventually(() => expect(farm.broker.clientCount()).toBe(1));
    expect(farm.told('heartbeat')).toEqual([]);
    other.send({ cmd: 'pingreq' });
    await other.next('pingresp');
    const { connection_errors, oversized_packets, bad_topics } = farm.broker.counters();
    expect(Number(connection_errors) + Number(oversized_packets) + Number(bad_topics)).toBeGreaterThan(0);
  });

  test.each([
    ['an acknowledgement of nothing', generate({ cmd: 'puback', messageId: 9 })],
    ['a release of nothing', generate({ cmd: 'pubrel', messageId: 9 })],
    ['an unsubscription from nothing', packetOf(0xa2, 0, 1, ...topicOf(bytesOf('never/had')))],
    ['a reception of nothing', generate({ cmd: 'pubrec', messageId: 9 })],
  ])('%s does no harm', async (_what, bytes) => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(bytes, { cmd: 'pingreq' });
    await client.next('pingresp');
    expect(client.isClosed()).toBe(false);
  });

  test('nothing the wire can carry ends the broker', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 0, violationsPerMinute: 0 } });
    const packets = fc.array(
      fc.oneof(
        fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
        fc
          .tuple(fc.integer({ min: 0x10, max: 0xff }), fc.uint8Array({ maxLength: 40 }))
          .map(([head, body]) => packetOf(head, ...body)),
        fc
          .tuple(
            fc.constantFrom(0x30, 0x32, 0x34, 0x3a),
            fc.uint8Array({ maxLength: 6 }),
            fc.uint8Array({ maxLength: 20 }),
          )
          .map(([head, name, body]) => packetOf(head, ...topicOf([...bytesOf(`${OWN}/`), ...name]), ...body)),
        fc
          .tuple(fc.constantFrom(0x82, 0xa2, 0x62, 0x40, 0x50, 0x70), fc.uint8Array({ maxLength: 12 }))
          .map(([head, body]) => packetOf(head, ...body)),
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(packets, fc.boolean(), async (sent, isConnected) => {
        const client = rawClient(net.connect(farm.port, '127.0.0.1'));
        const bytes = Buffer.concat([...(isConnected ? [CONNECT_BYTES] : []), ...sent]);
        client.stream.end(bytes);
        await client.closed();
      }),
      { numRuns: 300 },
    );
    await eventually(() => expect(farm.broker.clientCount()).toBe(0));
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/hb`, { current_status: 'ON' }));
    await client.next('puback');
    expect(await farm.broker.selfCheck()).toBe(true);
  });
});

describe('size and time', () => {
  test('a packet over 16 KiB ends the connection before its bytes are held', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/log`, 'x'.repeat(17_000)));
    await client.closed();
    expect(farm.counted('oversized_packets')).toBe(1);
    expect(farm.told('disconnected')).toHaveLength(1);
  });

  test('a packet of just under 16 KiB is taken', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    client.send(publishPacket(`${OWN}/log`, 'x'.repeat(16_300)));
    await client.next('puback');
    expect(farm.counted('messages')).toBe(1);
  });

  test('a packet that comes byte by byte is taken', async () => {
    const farm = await startBroker();
    const client = await farm.rawConnected();
    for (const byte of generate(publishPacket(`${OWN}/hb`, { current_status: 'ON' }))) {
      client.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await client.next('puback');
    expect(farm.told('heartbeat')).toHaveLength(1);
  });

  test.each([
    ['nothing at all', Buffer.alloc(0)],
    ['half a CONNECT', CONNECT_BYTES.subarray(0, 10)],
  ])('who sends %s and falls silent is closed in time', async (_what, bytes) => {
    const farm = await startBroker({ bounds: { connectTimeoutMs: 30 } });
    const client = farm.raw();
    client.send(bytes);
    await client.closed();
    await eventually(() => expect(farm.counted('connect_timeouts')).toBe(1));
  });

  test('who connects, sends half a message and falls silent is closed in time', async () => {
    const farm = await startBroker({ bounds: { keepaliveS: 0.2 } });
    const client = await farm.rawConnected();
    client.send(generate(publishPacket(`${OWN}/hb`, { current_status: 'ON' })).subarray(0, 12));
    await client.closed();
    await eventually(() => expect(farm.broker.clientCount()).toBe(0));
  });

  test('sixty packets behind a CONNECT are not held without a bound', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 0 } });
    const client = farm.raw();
    const beat = publishPacket(`${OWN}/hb`, { current_status: 'ON' });
    client.send(connectPacket('aerator-1'), ...Array.from({ length: 60 }, () => beat));
    await client.closed();
    await eventually(() => expect(farm.broker.clientCount()).toBe(0));
    expect(farm.counted('connection_errors')).toBe(1);
  });

  test('QoS 2 messages that are never released are not held without a bound', async () => {
    const farm = await startBroker({ bounds: { messagesPerS: 0 } });
    const client = await farm.rawConnected();
    for (let messageId = 1; messageId <= 200; messageId++) {
      client.send(publishPacket(`${OWN}/log`, 'x', { qos: 2, messageId }));
    }
    await client.closed();
    expect(farm.counted('connection_errors')).toBeGreaterThan(0);
  });
});

describe('how many', () => {
  test('one address may open so many connections a minute, then more as time goes by', async () => {
    const farm = await startBroker({ bounds: { connectsPerMinutePerAddress: 60 } });
    const clients = Array.from({ length: 1_000 }, () => rawClient(net.connect(farm.port, '127.0.0.1')));
    await eventually(() => expect(farm.counted('refused_connect_rate')).toBe(940));
    await eventually(() => expect(clients.filter((client) => client.isClosed())).toHaveLength(940));
    farm.clock.now += 2_000;
    await farm.rawConnected('aerator-1');
    await farm.rawConnected('aerator-2');
    const refused = farm.raw();
    await refused.closed();
    expect(farm.broker.clientCount()).toBe(2);
  });

  test('connections that prove nothing give way to others, oldest first, and take no place of a controller', async () => {
    const farm = await startBroker({ bounds: { maxClients: 3, maxUnproved: 4 } });
    farm.known.add('aerator-3');
    const live = await farm.rawConnected('aerator-1');
    const silent = Array.from({ length: 10 }, () => farm.raw());
    for (const client of silent) client.send(generate(connectPacket('aerator-2')).subarray(0, 9));
    await eventually(() => expect(farm.counted('unproved_evicted')).toBe(6));
    await eventually(() =>
      expect(silent.map((client) => client.isClosed())).toEqual(silent.map((_, n) => n < 6)),
    );
    await farm.rawConnected('aerator-2');
    await farm.rawConnected('aerator-3');
    expect(live.isClosed()).toBe(false);
    expect(farm.broker.clientCount()).toBe(3);
  });

  test('the broker holds so many controllers; who leaves makes room', async () => {
    const farm = await startBroker({ bounds: { maxClients: 2 } });
    farm.known.add('aerator-3');
    const first = await farm.rawConnected('aerator-1');
    await farm.rawConnected('aerator-2');
    const refused = farm.raw();
    refused.send(connectPacket('aerator-3'));
    expect(await refused.next('connack')).toMatchObject({ returnCode: 3 });
    await refused.closed();
    expect(farm.counted('refused_full')).toBe(1);
    // who comes again takes its own place
    const again = await farm.rawConnected('aerator-2');
    expect(again.isClosed()).toBe(false);
    first.stream.destroy();
    await eventually(() => expect(farm.broker.clientCount()).toBe(1));
    await farm.rawConnected('aerator-1');
  });
});
