import { once } from 'node:events';
import http from 'node:http';
import { type AddressInfo, connect as netConnect } from 'node:net';
import mqtt from 'mqtt';
import { generate } from 'mqtt-packet';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createWebSocketStream, WebSocket } from 'ws';
import type { BrokerBounds } from '#adapters/mqtt/bounds.ts';
import {
  aController,
  aShadow,
  connectPacket,
  eventually,
  KEY,
  publishPacket,
  rawClient,
  startBroker,
} from './broker-under-test.ts';

async function startWithWebSocket(bounds: Partial<BrokerBounds> = {}) {
  const farm = await startBroker({ bounds });
  const server = http.createServer((_request, response) => response.end('the interface'));
  farm.broker.attachWebSocket(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  // a server that listens on a port has this sort of address
  const { port } = server.address() as AddressInfo;
  const open = async (path = '/mqtt', protocols: string[] = ['mqtt']) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols);
    onTestFinished(() => socket.terminate());
    await once(socket, 'open');
    const stream = createWebSocketStream(socket);
    // the stream alone would wait for its writing side to end
    socket.once('close', () => setImmediate(() => stream.destroy()));
    return rawClient(stream);
  };
  return { ...farm, server, webPort: port, open };
}

describe('over WebSocket', () => {
  test('a controller connects, reports and gets its order', async () => {
    const farm = await startWithWebSocket();
    const client = await mqtt.connectAsync(`ws://127.0.0.1:${farm.webPort}/mqtt`, {
      clientId: 'aerator-1',
      username: 'aerator-1',
      password: KEY,
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    onTestFinished(() => void client.end(true));
    await client.subscribeAsync('sf/v1/d/aerator-1/shadow/desired', { qos: 1 });
    const orders: unknown[] = [];
    client.on('message', (topic, payload) => orders.push([topic, JSON.parse(payload.toString())]));
    farm.broker.link.publishShadow('aerator-1', aShadow());
    await eventually(() => expect(orders).toEqual([['sf/v1/d/aerator-1/shadow/desired', aShadow()]]));
    await client.publishAsync('sf/v1/d/aerator-1/hb', '{"current_status":"ON"}', { qos: 1 });
    expect(farm.calls).toEqual([
      ['connected', aController(), { source: '127.0.0.1', since: farm.clock.now }],
      ['heartbeat', aController(), { current_status: 'ON' }],
    ]);
    await client.endAsync();
    await eventually(() =>
      expect(farm.told('disconnected')).toEqual([
        ['disconnected', aController(), { clean: true, takenOver: false }],
      ]),
    );
  });

  test('a wrong key is refused', async () => {
    const farm = await startWithWebSocket();
    const client = await farm.open();
    client.send(connectPacket('aerator-1', { password: Buffer.from('guess') }));
    expect(await client.next('connack')).toMatchObject({ returnCode: 4 });
    await client.closed();
  });

  test('who belongs to nobody hears why, and a goodbye after it', async () => {
    const farm = await startWithWebSocket();
    const socket = new WebSocket(`ws://127.0.0.1:${farm.webPort}/mqtt`, ['mqtt']);
    const heard: unknown[] = [];
    socket.on('message', (message) => void heard.push(message));
    socket.on('open', () => socket.send(generate(connectPacket('stranger'))));
    const [code] = await once(socket, 'close');
    // 1006 would be a line that broke
    expect({ heard, code }).toEqual({ heard: [Buffer.from([0x20, 2, 0, 5])], code: 1005 });
  });

  test('denied topics and too large packets meet the same bounds', async () => {
    const farm = await startWithWebSocket();
    const client = await farm.open();
    client.send(connectPacket('aerator-1'));
    await client.next('connack');
    client.send(publishPacket('sf/v1/d/aerator-2/hb', { current_status: 'ON' }));
    await client.next('puback');
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] });
    expect((await client.next('suback')).granted).toEqual([128]);
    client.send(Buffer.from([0x30, 0xff, 0xff, 0xff, 0x7f]));
    await client.closed();
    expect(farm.counted('messages_denied')).toBe(1);
    expect(farm.counted('oversized_packets')).toBe(1);
  });

  test('a connection that breaks is told', async () => {
    const farm = await startWithWebSocket();
    const client = await farm.open();
    client.send(connectPacket('aerator-1'));
    await client.next('connack');
    client.stream.destroy();
    await eventually(() =>
      expect(farm.told('disconnected')).toEqual([
        ['disconnected', aController(), { clean: false, takenOver: false }],
      ]),
    );
  });

  test('one name is one controller, whichever way it comes', async () => {
    const farm = await startWithWebSocket();
    const overTcp = await farm.rawConnected('aerator-1');
    const client = await farm.open();
    client.send(connectPacket('aerator-1'));
    await client.next('connack');
    await overTcp.closed();
    expect(farm.told('disconnected')).toEqual([
      ['disconnected', aController(), { clean: false, takenOver: true }],
    ]);
  });

  test.each([
    ['another path', '/other', ['mqtt'], 404],
    ['no sub-protocol', '/mqtt', [], 400],
    ['another sub-protocol', '/mqtt', ['chat'], 400],
    ['a path that only begins so', '/mqtt/more', ['mqtt'], 404],
  ])('%s is refused', async (_what, path, protocols, status) => {
    const farm = await startWithWebSocket();
    await expect(farm.open(path, protocols)).rejects.toThrow(`Unexpected server response: ${status}`);
    expect(farm.counted('refused_upgrade')).toBe(1);
  });

  test('a stranger who was refused and does not say goodbye holds no place', async () => {
    const farm = await startWithWebSocket();
    const socket = netConnect(farm.webPort, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const heard: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => heard.push(chunk));
    const over = once(socket, 'end');
    socket.write(
      [
        'GET /mqtt HTTP/1.1',
        'Host: farm',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        'Sec-WebSocket-Protocol: mqtt',
        '\r\n',
      ].join('\r\n'),
    );
    await eventually(() => expect(Buffer.concat(heard).toString('latin1')).toContain('101 Switching'));
    const packet = generate(connectPacket('stranger'));
    // one binary frame, masked with zeros
    socket.write(Buffer.concat([Buffer.from([0x82, 0x80 | packet.length, 0, 0, 0, 0]), packet]));
    await eventually(() => expect(Buffer.concat(heard).includes(Buffer.from([0x20, 2, 0, 5]))).toBe(true));
    await over;
    expect(farm.counted('refused_unknown')).toBe(1);
    expect(farm.counted('connect_timeouts')).toBe(0);
  });

  test('a frame that is none ends that connection', async () => {
    const farm = await startWithWebSocket();
    const socket = new WebSocket(`ws://127.0.0.1:${farm.webPort}/mqtt`, ['mqtt']);
    socket.on('error', () => {});
    await once(socket, 'open');
    socket.send('text that is no MQTT');
    await once(socket, 'close');
    expect(farm.told('connected')).toEqual([]);
    expect(await farm.broker.selfCheck()).toBe(true);
  });

  test('the bounds of connections hold', async () => {
    const farm = await startWithWebSocket({ maxUnproved: 1, connectsPerMinutePerAddress: 2 });
    const oldest = await farm.open();
    await farm.open();
    await oldest.closed();
    expect(farm.counted('unproved_evicted')).toBe(1);
    await expect(farm.open()).rejects.toThrow('429');
    expect(farm.counted('refused_connect_rate')).toBe(1);
  });

  test('ordinary requests of the server are left alone', async () => {
    const farm = await startWithWebSocket();
    const response = await fetch(`http://127.0.0.1:${farm.webPort}/mqtt`);
    expect(await response.text()).toBe('the interface');
  });

  test('stop ends its connections and leaves the server to its owner', async () => {
    const farm = await startWithWebSocket();
    const client = await farm.open();
    client.send(connectPacket('aerator-1'));
    await client.next('connack');
    await farm.broker.stop();
    await client.closed();
    expect(farm.server.listenerCount('upgrade')).toBe(0);
    expect((await fetch(`http://127.0.0.1:${farm.webPort}/`)).status).toBe(200);
  });
});
